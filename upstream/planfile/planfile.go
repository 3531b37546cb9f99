package planfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"inlaygraph/wire"
)

// Ext is how the name of a plan in a folder ends.
const Ext = ".json"

// maxBytes bounds one file: as much as a platform may answer.
const maxBytes = 64 << 20

// Load reads the plans of files and folders, in the order given.
func Load(paths ...string) ([]*wire.Plan, error) {
	var all []*wire.Plan
	var wrong []error
	from := map[string]string{} // by version, the file
	for _, path := range paths {
		files, err := filesOf(path)
		if err != nil {
			wrong = append(wrong, err)
		}
		for _, file := range files {
			plan, err := read(file)
			if err != nil {
				wrong = append(wrong, err)
				continue
			}
			version := fmt.Sprintf("version %d of %q", plan.AgentVersion, plan.AgentID)
			if other, twice := from[version]; twice {
				wrong = append(wrong, fmt.Errorf("%s and %s are both plans of %s", other, file, version))
				continue
			}
			from[version] = file
			all = append(all, plan)
		}
	}
	if len(wrong) > 0 {
		return nil, errors.Join(wrong...)
	}
	return all, nil
}

// filesOf lists the plan files that a path stands for.
func filesOf(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	entries, err := os.ReadDir(path) // sorted by name
	if err != nil {
		return nil, err
	}
	var files []string
	for _, entry := range entries {
		if !entry.IsDir() && filepath.Ext(entry.Name()) == Ext {
			files = append(files, filepath.Join(path, entry.Name()))
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: no *%s file in it", path, Ext)
	}
	return files, nil
}

func read(path string) (*wire.Plan, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > maxBytes {
		return nil, fmt.Errorf("%s: more than %d bytes", path, maxBytes)
	}
	text, err := io.ReadAll(io.LimitReader(file, maxBytes)) // a pipe has no size
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	plan, err := wire.DecodePlan(text)
	if err != nil {
		return nil, fmt.Errorf("%s%s: %w", path, line(text, err), err)
	}
	return plan, nil
}

// line tells where a text stops being JSON, as ":12"; "" for every other fault, which has a place of its own.
func line(text []byte, err error) string {
	var rejected *wire.Rejection
	if !errors.As(err, &rejected) || rejected.Reason != wire.ReasonMalformed {
		return ""
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	var broken *json.SyntaxError
	if !errors.As(json.Unmarshal(text, new(any)), &broken) {
		return ""
	}
	read := text[:min(max(broken.Offset-1, 0), int64(len(text)))]
	return fmt.Sprintf(":%d", 1+bytes.Count(read, []byte("\n")))
}
