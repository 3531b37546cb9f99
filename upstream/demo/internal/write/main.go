// Command write writes the built-in scenarios into the folder it is given.
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"inlaygraph/upstream/demo/internal/script"
	"inlaygraph/wire"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: write FOLDER")
		os.Exit(2)
	}
	for _, s := range script.All() {
		if err := write(filepath.Join(os.Args[1], s.File()), s.Records()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
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
