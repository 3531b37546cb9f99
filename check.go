package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"inlaygraph/projection"
	"inlaygraph/wire"
)

// checkCommand folds a recording and tells what was not taken (docs/cli.md, "check").
type checkCommand struct {
	Recording      string `required:"" type:"existingfile" placeholder:"FILE" help:"The recording, NDJSON."`
	MaxRecordBytes int    `default:"1048576" help:"The longest line that is read, in bytes."`
}

// Run prints a line for everything that was skipped, rejected, dropped as a duplicate or lost in a gap, then
// the counts. It leaves with 1 when anything was skipped or rejected.
func (c *checkCommand) Run(std streams) error {
	f, err := os.Open(c.Recording)
	if err != nil {
		return exit{exitUsage, err}
	}
	defer f.Close()
	state, reader := projection.New(""), wire.NewReader(f, c.MaxRecordBytes)
	var lines, folded, refused, duplicates int
	var lost int64
	for {
		line, err := reader.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return exit{exitUsage, fmt.Errorf("%s: %w", c.Recording, err)}
		}
		lines++
		say := func(format string, args ...any) {
			fmt.Fprintf(std.out, "line %d: %s\n", line.Number, fmt.Sprintf(format, args...))
		}
		change := state.Apply(input(line))
		if change.Lost > 0 {
			lost += change.Lost
			if change.Lost == 1 {
				say("gap: 1 frame was lost before it")
			} else {
				say("gap: %d frames were lost before it", change.Lost)
			}
		}
		switch {
		case line.Rejected != nil && line.Rejected.Reason == wire.ReasonUnknownType:
			refused++
			say("skipped: %v", line.Rejected)
		case line.Rejected != nil:
			refused++
			say("rejected: %v", line.Rejected)
		case change.Outcome == projection.Rejected:
			refused++
			say("rejected: %s", change.Reason)
		case change.Outcome == projection.Duplicate:
			duplicates++
			say("dropped: a duplicate")
		default:
			folded++
			if change.OtherOpener {
				say("a run of another agent or version; the conversation keeps its identity")
			}
		}
	}
	fmt.Fprintf(std.out, "%d lines: %d folded, %d skipped or rejected, %d duplicates, %d lost in gaps\n", lines, folded, refused, duplicates, lost)
	if refused > 0 {
		return exit{exitFound, nil}
	}
	return nil
}
