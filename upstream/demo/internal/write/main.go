// Command write writes the built-in scenarios into the first folder it is given, and the plans of their agents
// into the second.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"inlaygraph/upstream/demo/internal/script"
	"inlaygraph/wire"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: write SCENARIOS PLANS")
		os.Exit(2)
	}
	for _, s := range script.All() {
		if err := errors.Join(
			write(filepath.Join(os.Args[1], s.File()), s.Records()), writePlan(filepath.Join(os.Args[2], s.PlanFile()), s),
		); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

func writePlan(path string, s *script.Script) error {
	text, err := s.PlanText()
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o644)
}

func write(path string, records []wire.Record) error {
	var b bytes.Buffer
	w := wire.NewWriter(&b)
	for _, r := range records {
		if err := w.Write(r); err != nil {
			return err
		}
	}
	return os.WriteFile(path, b.Bytes(), 0o644)
}
