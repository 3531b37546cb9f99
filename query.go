package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"inlaygraph/conversation"
	"inlaygraph/graph"
	"inlaygraph/graph/resolvers"
	"inlaygraph/graph/scalars"
	"inlaygraph/projection"
	"inlaygraph/session"
	"inlaygraph/transport"
	"inlaygraph/upstream"
	"inlaygraph/upstream/planfile"
	"inlaygraph/wire"
)

// queryCommand folds a recording and runs one operation on it, without any network (docs/cli.md, "query").
type queryCommand struct {
	Recording      string   `required:"" type:"existingfile" placeholder:"FILE" help:"The recording, NDJSON."`
	Plan           []string `sep:"none" placeholder:"FILE|FOLDER" help:"An agent's plan, or a folder of plans; may be repeated."`
	Variables      string   `placeholder:"JSON" help:"The operation's variables, a JSON object."`
	MaxRecordBytes int      `default:"1048576" help:"The longest line that is read, in bytes."`
	Operation      string   `arg:"" help:"The GraphQL operation, or @FILE to read it from a file."`
}

// Run prints one JSON response a line: a query's after the whole recording, a subscription's at the start
// and after each input that changed it.
func (q *queryCommand) Run(ctx context.Context, std streams) error {
	operation, err := textOrFile(q.Operation)
	if err != nil {
		return exit{exitUsage, fmt.Errorf("OPERATION: %w", err)}
	}
	if q.Variables != "" {
		var object map[string]json.RawMessage
		if err := json.Unmarshal([]byte(q.Variables), &object); err != nil {
			return exit{exitUsage, fmt.Errorf("--variables: not a JSON object: %w", err)}
		}
	}
	lines, err := readRecording(q.Recording, q.MaxRecordBytes)
	if err != nil {
		return exit{exitUsage, err}
	}
	files, err := planfile.Load(q.Plan...)
	if err != nil {
		return exit{exitUsage, fmt.Errorf("--plan: %w", err)}
	}
	plans, err := upstream.NewPlans(nil, files)
	if err != nil {
		return exit{exitUsage, err}
	}
	live := conversation.NewLive(identity(lines))
	for _, plan := range files {
		index, err := wire.NewPlanIndex(plan)
		if err != nil {
			return exit{exitUsage, err}
		}
		for _, fault := range live.Know(index) {
			fmt.Fprintf(std.err, "inlaygraph: plan of %s %d: unchecked: %v\n", plan.AgentID, plan.AgentVersion, fault)
		}
	}
	hub := conversation.NewHub(conversation.Options{Plans: plans})
	defer hub.Close()
	hub.Adopt(live)
	local, err := transport.NewLocal(graph.New(&resolvers.Root{Hub: hub, Unpaced: true}), transport.Options{Scalars: scalars.Checks()})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(session.With(ctx, session.Anonymous()))
	defer cancel()
	r := replay{live: live, lines: lines, out: std.out}
	op, refused, err := local.Start(ctx, operation, json.RawMessage(q.Variables))
	switch {
	case err != nil:
		return exit{exitUsage, err}
	case refused != nil:
		err = r.print(refused)
	default:
		err = r.follow(ctx, op)
	}
	if err != nil {
		return exit{exitFound, err}
	}
	if r.failed {
		return exit{exitFound, nil}
	}
	return nil
}

func textOrFile(s string) (string, error) {
	path, isFile := strings.CutPrefix(s, "@")
	if !isFile {
		return s, nil
	}
	text, err := os.ReadFile(path)
	return string(text), err
}

// readRecording reads a whole recording. A file none of whose lines is a record is no recording.
func readRecording(path string, maxRecord int) ([]wire.Line, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	reader := wire.NewReader(f, maxRecord)
	var lines []wire.Line
	records := 0
	for {
		line, err := reader.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if line.Rejected == nil {
			records++
		}
		lines = append(lines, line)
	}
	if records == 0 && len(lines) > 0 {
		return nil, fmt.Errorf("%s is no recording: line %d: %w", path, lines[0].Number, lines[0].Rejected)
	}
	return lines, nil
}

// identity is the conversation's id: the first opener's, "" when the recording names none.
func identity(lines []wire.Line) string {
	for _, line := range lines {
		switch r := line.Record.(type) {
		case *wire.Frame:
			if r.Type == wire.RunStart {
				return r.ConversationID
			}
		case *wire.Head:
			return r.ConversationID
		}
	}
	return ""
}

// input is what a line of a recording folds as: a line that was not taken uses up its offset.
func input(line wire.Line) projection.Input {
	if line.Rejected != nil {
		return projection.Skipped{Offset: line.Rejected.Offset}
	}
	return line.Record
}

// replay folds a recording in lock-step with one operation.
type replay struct {
	live   *conversation.Live
	lines  []wire.Line
	out    io.Writer
	failed bool
}

func (r *replay) foldAll() {
	for _, line := range r.lines {
		r.live.Apply(input(line))
	}
	r.lines = nil
}

// follow prints a query's response after everything; a subscription's first response before anything, then
// one for every input that woke it.
func (r *replay) follow(ctx context.Context, op *transport.Operation) error {
	if !op.Subscription {
		r.foldAll()
	}
	if err := r.next(ctx, op); err != nil {
		return err
	}
	for _, line := range r.lines {
		_, woken := r.live.Apply(input(line))
		for range woken {
			if err := r.next(ctx, op); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *replay) next(ctx context.Context, op *transport.Operation) error {
	result, err := op.Next(ctx)
	if errors.Is(err, io.EOF) || result == nil && err == nil {
		return nil
	}
	if err != nil {
		return err
	}
	return r.print(result)
}

func (r *replay) print(result *transport.Result) error {
	r.failed = r.failed || result.Failed
	_, err := r.out.Write(append(append([]byte{}, result.Payload...), '\n'))
	return err
}
