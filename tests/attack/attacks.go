package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"inlaygraph/wire"
)

// figures are what an attack came to.
type figures struct {
	name   string
	told   string // what the server was told
	took   time.Duration
	before int64 // bytes of live objects before
	heap   int64 // of live objects after, with the conversation followed
	peak   int64 // of resident memory, ever
	visits int   // that the run says there were
	note   string
}

const (
	statusOf = `query ($id: ID!) { conversation(id: $id) { chat { status } timeline { id } run { nodes { visitCount } } } }`
	follow   = `subscription ($id: ID!) { chat(conversationId: $id) { status } }`
	changes  = `subscription ($id: ID!) { rowChanges(conversationId: $id, minIntervalMs: 100) { ops { __typename } } }`
)

// oneRow streams so many bytes into one row.
func oneRow(ctx context.Context, p *program, size int64, flags ...string) (*figures, error) {
	text := strings.Repeat("All work and no play. ", 3000)[:64<<10]
	return attackStream(ctx, p, &figures{name: "a stream into one row", told: fmt.Sprintf("%d MB", size/1e6)}, func(say func(wire.Frame) error) error {
		for left := size; left > 0; left -= int64(len(text)) {
			if err := say(wire.Frame{Type: wire.MessageDelta, Body: wire.Body{ID: "m", Content: text}}); err != nil {
				return err
			}
		}
		return nil
	}, flags...)
}

// longRows streams so many bytes in rows of a megabyte.
func longRows(ctx context.Context, p *program, size int64, flags ...string) (*figures, error) {
	text := strings.Repeat("x", 1_000_000)
	return attackStream(ctx, p, &figures{name: "a stream of rows of 1 MB", told: fmt.Sprintf("%d MB", size/1e6)}, func(say func(wire.Frame) error) error {
		for n := range size / int64(len(text)) {
			if err := say(wire.Frame{Type: wire.MessageEnd, Body: wire.Body{ID: fmt.Sprint("m", n), Content: text, HasContent: true}}); err != nil {
				return err
			}
		}
		return nil
	}, flags...)
}

// manyRows streams so many rows, each in a visit of its own.
func manyRows(ctx context.Context, p *program, rows int, flags ...string) (*figures, error) {
	text := strings.Repeat("word ", 40)
	return attackStream(ctx, p, &figures{name: "a conversation of many rows", told: fmt.Sprintf("%d rows, %d visits", rows, rows)}, func(say func(wire.Frame) error) error {
		for n := range rows {
			spine := wire.Spine{NodeID: "loop", Activation: fmt.Sprint("visit-", n)}
			for _, f := range []wire.Frame{
				{Type: wire.NodeStart, Body: wire.Body{Spine: spine, Kind: "code"}},
				{Type: wire.MessageEnd, Body: wire.Body{Spine: spine, ID: fmt.Sprint("m", n), Content: text, HasContent: true}},
				{Type: wire.NodeEnd, Body: wire.Body{Spine: spine, Status: wire.Completed}},
			} {
				if err := say(f); err != nil {
					return err
				}
			}
		}
		return nil
	}, flags...)
}

// everything grows whatever a stream can grow without ending anything: open rows, paths, names, calls, tables, edges.
func everything(ctx context.Context, p *program, times int, flags ...string) (*figures, error) {
	text := strings.Repeat("x", 300)
	f := &figures{name: "open rows, paths, names, calls, tables and edges", told: fmt.Sprintf("%d of each", times)}
	return attackStream(ctx, p, f, func(say func(wire.Frame) error) error {
		for n := range times {
			id := fmt.Sprint("x", n)
			value := wire.JSON(`"` + text + `"`)
			for _, f := range []wire.Frame{
				{Type: wire.NodeStart, Body: wire.Body{Spine: wire.Spine{NodeID: id, SubgraphPath: []string{"s" + id}}, Kind: "code"}},
				{Type: wire.MessageDelta, Body: wire.Body{ID: "m" + id, Content: text}},
				{Type: wire.OutputSet, Body: wire.Body{Spine: wire.Spine{NodeID: "a"}, Name: id, Value: value, ValueStatus: wire.Final, Complete: true}},
				{Type: wire.ToolCall, Body: wire.Body{ToolCallID: id, ToolName: "tool", Input: text, RequiresClientResponse: true}},
				{Type: wire.TableRow, Body: wire.Body{Table: "t", RowID: id, Value: value, ValueStatus: wire.Final}},
				{Type: wire.EdgeFired, Body: wire.Body{From: "a", To: id}},
			} {
				if err := say(f); err != nil {
					return err
				}
			}
		}
		return nil
	}, flags...)
}

// attackStream has a server follow a run for two viewers until its stop, and looks at what it holds.
func attackStream(ctx context.Context, p *program, f *figures, tell func(func(wire.Frame) error) error, flags ...string) (*figures, error) {
	up := newPlatform()
	up.stream = tell
	if err := up.serve(); err != nil {
		return nil, err
	}
	defer up.close()
	s, err := p.start(ctx, up, nil, append(flags, "--insecure")...)
	if err != nil {
		return nil, err
	}
	defer s.close()
	if err := f.begin(s); err != nil {
		return nil, err
	}
	c, err := newClient(s, "")
	if err != nil {
		return nil, err
	}
	defer c.close()
	began := time.Now()
	var viewers []*stream
	for _, query := range []string{follow, changes} {
		v, err := c.subscribe(ctx, query, "c")
		if err != nil {
			return nil, err
		}
		defer v.close()
		viewers = append(viewers, v)
	}
	for !viewers[0].says("PAUSED") {
		if err := errors.Join(s.alive(), ctx.Err()); err != nil {
			return nil, err
		}
		if viewers[0].ended() {
			return nil, errors.New("the viewer's subscription ended")
		}
		time.Sleep(10 * time.Millisecond)
	}
	f.took = time.Since(began)
	a, err := c.query(ctx, statusOf, "c")
	if err != nil {
		return nil, err
	}
	if a.code() != "" || a.Data.Conversation == nil || a.Data.Conversation.Chat.Status != "PAUSED" {
		return nil, fmt.Errorf("the conversation reads %+v", a)
	}
	for _, node := range a.Data.Conversation.Run.Nodes {
		f.visits += node.VisitCount
	}
	f.note = fmt.Sprintf("%d frames; %d rows in the window, %d visits in the run; %d messages to whoever follows the rows",
		up.said.Load(), len(a.Data.Conversation.Timeline), f.visits, viewers[1].messages.Load())
	return f, f.end(s)
}

// begin notes what the server holds before.
func (f *figures) begin(s *server) error {
	m, err := s.probe.Memory()
	f.before = m.Heap
	return err
}

// end notes what it holds after.
func (f *figures) end(s *server) (err error) {
	m, err := s.probe.Memory()
	if err != nil {
		return errors.Join(err, s.alive())
	}
	f.heap = m.Heap
	f.peak, err = s.peak()
	return err
}

// crowd is a user who opens so many conversations of so many rows, while another follows one.
type crowd struct {
	conversations, rows int
	limit               int64 // GOMEMLIMIT, 0 for none
}

func manyConversations(ctx context.Context, p *program, w crowd, flags ...string) (*figures, error) {
	up := newPlatform()
	text := strings.Repeat("word ", 40)
	for n := range w.rows {
		up.rows = append(up.rows, &wire.Row{Type: wire.RowUser, Body: wire.Body{Seq: int64(n) + 1, ID: fmt.Sprint("u", n), Content: text, HasContent: true}})
	}
	if err := up.serve(); err != nil {
		return nil, err
	}
	defer up.close()
	env := []string{}
	f := &figures{name: "conversations opened by one user", told: fmt.Sprintf("%d of %d rows", w.conversations, w.rows)}
	if w.limit > 0 {
		env = append(env, fmt.Sprint("GOMEMLIMIT=", w.limit))
		f.told += fmt.Sprintf(", GOMEMLIMIT %d MiB", w.limit>>20)
	}
	flags = append(flags, "--max-operations-per-second-per-user", "0") // which would hold the attack up
	s, err := p.start(ctx, up, append(env, "INLAY_JWT_SECRET="+secret), flags...)
	if err != nil {
		return nil, err
	}
	defer s.close()
	if err := f.begin(s); err != nil {
		return nil, err
	}
	ann, err := newClient(s, "ann")
	if err != nil {
		return nil, err
	}
	defer ann.close()
	hers, err := ann.subscribe(ctx, follow, "ann's")
	if err != nil {
		return nil, err
	}
	defer hers.close()
	mallory, err := newClient(s, "mallory")
	if err != nil {
		return nil, err
	}
	defer mallory.close()
	began := time.Now()
	refused, err := mallory.openAll(ctx, w.conversations)
	if err != nil {
		return nil, errors.Join(err, s.alive())
	}
	f.took = time.Since(began)
	if hers.ended() || hers.messages.Load() == 0 {
		return nil, errors.New("another user's subscription ended")
	}
	tries := 0
	for deadline := time.Now().Add(patience); ; tries++ { // memory is looked at every second
		a, err := ann.query(ctx, statusOf, "another of ann's")
		if err != nil {
			return nil, errors.Join(err, s.alive())
		}
		if a.code() == "" {
			break
		}
		if time.Now().After(deadline) {
			return nil, fmt.Errorf("another user is shut out: %+v", a.Errors)
		}
		time.Sleep(100 * time.Millisecond)
	}
	f.note = fmt.Sprintf("%d refused with RATE_LIMITED; another user's subscription went on, and a new conversation of hers opened at try %d", refused, tries+1)
	return f, f.end(s)
}

// openAll opens conversations, sixteen at a time, and counts those that were refused for want of room.
func (c *client) openAll(ctx context.Context, n int) (refused int64, err error) {
	var next, limited atomic.Int64
	var failure atomic.Pointer[error]
	var askers sync.WaitGroup
	for range 16 {
		askers.Go(func() {
			for i := next.Add(1); i <= int64(n) && failure.Load() == nil; i = next.Add(1) {
				a, err := c.query(ctx, statusOf, fmt.Sprint("c", i))
				switch {
				case err != nil:
				case a.code() == "RATE_LIMITED":
					limited.Add(1)
				case a.code() != "":
					err = fmt.Errorf("opening a conversation: %+v", a.Errors)
				}
				if err != nil {
					failure.Store(&err)
				}
			}
		})
	}
	askers.Wait()
	if e := failure.Load(); e != nil {
		return 0, *e
	}
	return limited.Load(), nil
}
