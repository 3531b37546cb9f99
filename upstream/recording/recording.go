package recording

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"inlaygraph/wire"
)

// Ext is how the name of a recording in a folder ends.
const Ext = ".ndjson"

// Recording is one file, read.
type Recording struct {
	Name     string // the file's name without its folder and without .ndjson
	Path     string
	Records  []wire.Record // *wire.Frame, *wire.Row, *wire.Head, in the file's order
	Problems []Problem     // the lines that are no record
}

// Problem is a line that is no record.
type Problem struct {
	Path   string
	Line   int // from 1
	Reason *wire.Rejection
}

func (p Problem) Error() string { return fmt.Sprintf("%s:%d: %v", p.Path, p.Line, p.Reason) }

// Unwrap lets errors.As find the rejection.
func (p Problem) Unwrap() error { return p.Reason }

// Read reads one recording. The path only names it.
func Read(r io.Reader, path string, maxRecord int) (*Recording, error) {
	rec := &Recording{Name: strings.TrimSuffix(filepath.Base(path), Ext), Path: path}
	lines := wire.NewReader(r, maxRecord)
	for {
		line, err := lines.Next()
		switch {
		case err == io.EOF && len(rec.Records) == 0 && len(rec.Problems) > 0:
			return nil, fmt.Errorf("%w; no line of %s is a record", rec.Problems[0], path)
		case err == io.EOF && len(rec.Records) == 0:
			return nil, fmt.Errorf("%s: the file is empty", path)
		case err == io.EOF:
			return rec, nil
		case err != nil:
			return nil, fmt.Errorf("%s: %w", path, err)
		case line.Rejected != nil:
			rec.Problems = append(rec.Problems, Problem{Path: path, Line: line.Number, Reason: line.Rejected})
		default:
			rec.Records = append(rec.Records, line.Record)
		}
	}
}

// Load reads a recording, or the recordings of a folder, in the order of their names. maxRecord is the limit
// on the bytes of one record; 0 means wire.DefaultMaxRecord. It answers everything that is wrong at once.
func Load(path string, maxRecord int) ([]*Recording, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		rec, err := loadFile(path, maxRecord)
		if err != nil {
			return nil, err
		}
		return []*Recording{rec}, nil
	}
	entries, err := os.ReadDir(path) // sorted by name
	if err != nil {
		return nil, err
	}
	var all []*Recording
	var wrong []error
	for _, entry := range entries {
		if entry.IsDir() || filepath.Ext(entry.Name()) != Ext {
			continue
		}
		rec, err := loadFile(filepath.Join(path, entry.Name()), maxRecord)
		if err != nil {
			wrong = append(wrong, err)
			continue
		}
		all = append(all, rec)
	}
	if len(wrong) > 0 {
		return nil, errors.Join(wrong...)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: no *%s file in it", path, Ext)
	}
	return all, nil
}

func loadFile(path string, maxRecord int) (*Recording, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return Read(file, path, maxRecord)
}
