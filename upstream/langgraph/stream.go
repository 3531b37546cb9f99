package langgraph

import (
	"context"
	"errors"
	"io"
	"time"

	"inlaygraph/upstream"
	"inlaygraph/upstream/internal/exchange"
	"inlaygraph/wire"
)

// A stream that was cut, or that says nothing, is joined again behind the last event that came. That is tried so often
// without any event, with a pause that doubles, before the reader is told.
const (
	maxRejoins  = 6
	firstPause  = 50 * time.Millisecond
	beforeFirst = "-1" // the id before a run's first event
)

// SkipTooLarge is an event that is larger than is read.
const SkipTooLarge Skip = "too_large"

// stream tells one run: the events of its connections, one after the other, as one numbered sequence of frames. It is
// read by its caller alone: nothing runs beside it.
type stream struct {
	c       *Client
	op      string
	outer   context.Context
	ctx     context.Context // ends with outer, Close, or the context of a Next; its cause says which
	cancel  context.CancelCauseFunc
	numbers *numbers
	telling *telling
	run     *Run
	thread  string

	events   *exchange.Events // nil between connections
	lastID   string           // of the last event that came whole
	came     bool             // an event came on this connection
	cut      bool             // one came that was cut off
	settled  bool             // the run was known to be over before this connection began
	rejoins  int              // connections in a row on which none came
	frames   []*wire.Frame    // told, and not handed out yet
	offset   int64            // of the last frame that was numbered
	after    int64            // frames up to here are not wanted
	complete bool             // nothing more will be told
	err      error            // what Next answers from now on
}

// tell makes the stream of a run.
func (c *Client) tell(
	ctx context.Context, op string, n *numbers, t *telling, info *RunInfo, after int64,
) (upstream.Stream, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s := &stream{
		c: c, op: op, outer: ctx, numbers: n, telling: t, run: NewRun(*info), thread: info.ThreadID,
		lastID: beforeFirst, after: after,
	}
	s.ctx, s.cancel = context.WithCancelCause(ctx)
	s.offset = n.begin(t, after)
	context.AfterFunc(s.ctx, func() { n.leave(t) })
	s.frames = s.run.Start()
	return s, nil
}

// Next implements upstream.Stream.
func (s *stream) Next(ctx context.Context) (upstream.Item, error) {
	if s.err != nil {
		return upstream.Item{}, s.err
	}
	if ctx.Done() != nil && ctx.Done() != s.outer.Done() {
		stop := context.AfterFunc(ctx, func() { s.cancel(ctx.Err()) })
		defer stop()
	}
	for {
		if s.ctx.Err() != nil {
			return upstream.Item{}, s.end(context.Cause(s.ctx))
		}
		if item, ok := s.take(); ok {
			return item, nil
		}
		if s.complete {
			return upstream.Item{}, s.end(io.EOF)
		}
		if err := s.read(); err != nil {
			return upstream.Item{}, s.end(err)
		}
	}
}

func (s *stream) end(err error) error {
	if s.ctx.Err() != nil && err != io.EOF {
		err = context.Cause(s.ctx)
	}
	s.err = err
	s.Close()
	return err
}

// Close implements upstream.Stream.
func (s *stream) Close() error {
	s.cancel(context.Canceled) // which closes the connection
	return nil
}

// take hands out the next frame that is wanted. One that is longer than a frame may be is told as not taken.
func (s *stream) take() (upstream.Item, bool) {
	for len(s.frames) > 0 {
		f := s.frames[0]
		s.frames = s.frames[1:]
		s.offset++
		s.numbers.reaches(s.offset)
		f.Offset = s.offset
		if f.Offset <= s.after {
			continue
		}
		if lengthOf(&f.Body) > s.c.opts.MaxFrame {
			r := &wire.Rejection{Reason: wire.ReasonTooLarge, Type: f.Type.String(), Offset: f.Offset}
			return upstream.Item{Rejection: r, Offset: f.Offset}, true
		}
		return upstream.Item{Frame: f, Offset: f.Offset}, true
	}
	return upstream.Item{}, false
}

// read brings the next frames: of an event, or of the end.
func (s *stream) read() error {
	if s.events == nil {
		return s.join()
	}
	ev, err := s.events.Next(s.ctx)
	switch {
	case err != nil:
		return s.parted(err)
	case ev.Cut: // it comes again
		s.cut = true
		return nil
	}
	if len(ev.ID) > 0 {
		s.lastID, s.came, s.rejoins = string(ev.ID), true, 0
	}
	if ev.TooBig {
		s.c.count(map[Skip]int64{SkipTooLarge: 1})
		s.c.opts.Logger.Warn("an event is larger than is read", "conversation", s.thread, "event", ev.Name)
		return nil
	}
	s.frames = s.run.Event(ev.Name, ev.Data)
	return nil
}

// join connects to the run's stream, behind the last event that came.
func (s *stream) join() error {
	events, err := s.c.http.Open(s.ctx, exchange.Call{
		Op: s.op, Path: s.path("stream"), LastEventID: s.lastID,
	})
	if err != nil {
		return s.again(err)
	}
	s.events, s.came, s.cut = events, false, false
	return nil
}

func (s *stream) path(more ...string) []string {
	return append([]string{"threads", s.thread, "runs", s.telling.runID}, more...)
}

// parted finds out what the end of a connection means. No event says that a run is over: the server is asked.
func (s *stream) parted(end error) error {
	whole := end == io.EOF && !s.cut && (s.events.Delimited || s.settled && !s.came)
	s.events = nil
	body, err := s.c.http.Read(s.ctx, exchange.Call{Op: s.op, Path: s.path()})
	if err != nil {
		return s.again(err)
	}
	record, err := ParseRun(body)
	if err != nil {
		return s.again(errUnlike(s.op, err))
	}
	over := record.Status != "pending" && record.Status != "running"
	if over && whole {
		return s.finish(record)
	}
	s.settled = over
	if s.came {
		return nil // at once
	}
	if end == io.EOF {
		end = refusal(s.op, upstream.Unavailable, "the stream of a run ends again and again, though the run goes on")
	}
	return s.again(end)
}

// again waits before the next connection, or gives up. What no further try changes is told at once.
func (s *stream) again(err error) error {
	e, ok := errors.AsType[*upstream.Error](err)
	if s.rejoins++; !ok || e.Kind != upstream.Unavailable || s.rejoins > maxRejoins {
		return err
	}
	pause := time.NewTimer(firstPause << (s.rejoins - 1))
	defer pause.Stop()
	select {
	case <-pause.C:
		return nil
	case <-s.ctx.Done():
		return context.Cause(s.ctx)
	}
}

// finish tells how the run ended.
func (s *stream) finish(record RunRecord) error {
	l := &look{op: s.op, threadRecord: threadRecord{id: s.thread}}
	err := s.c.readState(s.ctx, l)
	if e, ok := errors.AsType[*upstream.Error](err); ok && e.Kind == upstream.Unavailable {
		return s.again(err)
	} else if err != nil && s.ctx.Err() != nil {
		return err
	}
	outcome, _ := OutcomeOf(record, l.state) // without a state by its status alone
	s.frames = s.run.End(outcome)
	s.complete = true
	s.numbers.finish(s.telling, l.point)
	s.c.told.put(s.thread, latestTold{s.telling.runID, l.point, s.run.Known(), s.run.Pending()})
	s.c.count(s.run.Skipped())
	s.c.opts.Logger.Debug("a run was told", "conversation", s.thread, "run", s.telling.runID, "skipped", s.run.Skipped())
	return nil
}
