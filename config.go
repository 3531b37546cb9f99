package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/alecthomas/kong"
)

// fileConfig is what a --config file says: a JSON object whose members are flag names, as on the command line and
// without the dashes in front. The command line and the environment win over it.
type fileConfig map[string]any

// readConfig reads a file, but for some of its members.
func readConfig(r io.Reader, without map[string]bool) (kong.Resolver, error) {
	config := fileConfig{}
	decoder := json.NewDecoder(r)
	decoder.UseNumber()
	if err := decoder.Decode(&config); err != nil {
		name := "the file"
		if f, ok := r.(*os.File); ok {
			name = f.Name()
		}
		if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
			err = fmt.Errorf("it is a JSON %s", wrong.Value)
		}
		return nil, fmt.Errorf("--config: %s is not a JSON object of flags: %w", name, err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("--config: there is something after the JSON object")
	}
	for name := range without {
		delete(config, name)
	}
	return config, nil
}

// Validate refuses a member that is no flag of any command, so that a misspelt one is not silently without effect.
func (f fileConfig) Validate(app *kong.Application) error {
	left := map[string]bool{}
	for name := range f {
		left[name] = true
	}
	err := kong.Visit(app, func(node kong.Visitable, next kong.Next) error {
		if flag, ok := node.(*kong.Flag); ok {
			delete(left, flag.Name)
		}
		return next(nil)
	})
	if err != nil {
		return err
	}
	if len(left) > 0 {
		return unknownFlags(left)
	}
	return nil
}

// Resolve gives the file's value of a flag, nil where something else decides.
func (f fileConfig) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	for _, name := range flag.Envs {
		if _, set := os.LookupEnv(name); set {
			return nil, nil
		}
	}
	value := f[flag.Name]
	if n, ok := value.(json.Number); ok {
		return n.String(), nil // kong rounds a float to an int
	}
	if value != nil && flag.IsMap() && !isTexts(value) { // kong would quote it, and a header's may be secret
		return nil, errors.New(`in the file it is an object of texts: {"NAME": "VALUE"}`)
	}
	return value, nil
}

// isTexts tells whether a value is an object of texts.
func isTexts(value any) bool {
	texts, ok := value.(map[string]any)
	for _, text := range texts {
		_, is := text.(string)
		ok = ok && is
	}
	return ok
}

// maxSeconds keeps what is given in seconds within a time.Duration.
const maxSeconds = 1_000_000_000

// checkNumbers refuses a number that makes no sense: every one is a limit, a size, a time or a pace, and above 0 unless
// its flag is tagged orzero.
func checkNumbers(parsed *kong.Context) (wrong []error) {
	for _, flag := range parsed.Flags() {
		sensible := true
		switch value := flag.Target.Interface().(type) {
		case int:
			sensible = (value > 0 || value == 0 && flag.Tag.Has("orzero")) && (value <= maxSeconds || !strings.HasSuffix(flag.Name, "-seconds"))
		case int64:
			sensible = value > 0
		case float64:
			sensible = value > 0 || value == 0 && flag.Tag.Has("orzero")
		}
		if !sensible {
			wrong = append(wrong, fmt.Errorf("--%s: %v is out of range", flag.Name, flag.Target.Interface()))
		}
	}
	return wrong
}
