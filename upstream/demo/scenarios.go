package demo

import (
	"bytes"
	"embed"
	"fmt"

	"inlaygraph/upstream/recording"
)

//go:generate go run inlaygraph/upstream/demo/internal/write scenarios

// The built-in scenarios, written by internal/script.
//
//go:embed scenarios/*.ndjson
var files embed.FS

// order is the order in which a newcomer might look at the scenarios.
var order = []string{"chat", "fanout", "subagents", "repeats", "artifacts", "approval", "failure"}

// scenarios are the built-in recordings.
func scenarios() ([]*recording.Recording, error) {
	var all []*recording.Recording
	for _, name := range order {
		path := "scenarios/" + name + recording.Ext
		text, err := files.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("demo: %w", err)
		}
		rec, err := recording.Read(bytes.NewReader(text), path, 0)
		if err != nil {
			return nil, fmt.Errorf("demo: %w", err)
		}
		all = append(all, rec)
	}
	return all, nil
}
