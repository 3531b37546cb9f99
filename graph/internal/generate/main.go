// Command generate makes graph/generated out of graph/schema.graphqls and gqlgen.yml, and has the lists of graph/encoded
// answered there first.
package main

import (
	"bytes"
	"fmt"
	"go/format"
	"os"
	"path/filepath"

	"github.com/99designs/gqlgen/api"
	"github.com/99designs/gqlgen/codegen/config"
)

// lists are the functions that marshal a list which graph/encoded knows, and who answers there.
var lists = []struct{ marshal, answer string }{
	{"marshalNAssistantRow2ᚕᚖinlaygraphᚋprojectionᚐAssistantRowᚄ", "AssistantRows"},
	{"marshalNNodeView2ᚕᚖinlaygraphᚋprojectionᚐNodeViewᚄ", "NodeViews"},
	{"marshalNOutputRow2ᚕᚖinlaygraphᚋprojectionᚐOutputRowᚄ", "OutputRows"},
	{"marshalNRow2ᚕinlaygraphᚋprojectionᚐRowᚄ", "Rows"},
}

func main() {
	if err := generate(); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func generate() error {
	cfg, err := config.LoadConfigFromDefaultLocations() // goes to the folder that gqlgen.yml is in
	if err != nil {
		return err
	}
	if err := api.Generate(cfg); err != nil {
		return err
	}
	name := filepath.Join(cfg.Exec.DirName, "schema.generated.go")
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if text, err = ask(text); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return os.WriteFile(name, text, 0o644)
}

// ask adds the question to generated code. It fails when one of the functions is not there, or is there differently.
func ask(text []byte) (_ []byte, err error) {
	const before = "\t\"inlaygraph/graph/scalars\"\n"
	if text, err = insert(text, before, "\t\"inlaygraph/graph/encoded\"\n", ""); err != nil {
		return nil, err
	}
	for _, l := range lists {
		head := "func (ec *executionContext) " + l.marshal + "(ctx context.Context, sel ast.SelectionSet, v "
		if text, err = insert(text, head, "", "\tif m := encoded."+l.answer+"(ctx, sel, v); m != nil {\n\t\treturn m\n\t}\n"); err != nil {
			return nil, err
		}
	}
	return format.Source(text)
}

// insert puts one text before the line that begins with start, and another behind it. There must be one such line.
func insert(text []byte, start, before, behind string) ([]byte, error) {
	if n := bytes.Count(text, []byte("\n"+start)); n != 1 {
		return nil, fmt.Errorf("%d lines begin with %q, not one", n, start)
	}
	at := bytes.Index(text, []byte("\n"+start)) + 1
	end := at + bytes.IndexByte(text[at:], '\n') + 1
	return bytes.Join([][]byte{text[:at], []byte(before), text[at:end], []byte(behind), text[end:]}, nil), nil
}
