package demo

import (
	"net/http"
	"slices"

	"inlaygraph/wire"
)

// refusal is why a request is not taken. Nil: it is.
type refusal struct {
	status        int
	code, message string
}

func invalid(message string) *refusal  { return &refusal{http.StatusBadRequest, "bad_request", message} }
func unknown(message string) *refusal  { return &refusal{http.StatusNotFound, "not_found", message} }
func conflict(message string) *refusal { return &refusal{http.StatusConflict, "conflict", message} }

var closing = &refusal{http.StatusServiceUnavailable, "unavailable", "the demo is shutting down"}

// The methods below drive a conversation for a person, whom m charges. Those that begin a run answer the offset before
// its run.start, which is out when they return.

// say continues the conversation with what a person says. The tape that answers is t; nil: its own.
func (c *conversation) say(text string, t *tape, m *meter) (before int64, no *refusal) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.closed:
		return 0, closing
	case c.inFlight:
		return 0, conflict("a run is in flight")
	case c.ledger.status == wire.AwaitingClientTool:
		return 0, conflict("a client tool's call waits for its answer")
	case c.ledger.status != wire.Paused:
		return 0, conflict("the conversation is over: a message starts another one")
	}
	if t != nil && t != c.tape {
		c.tape, c.next = t, len(t.parts)
	}
	if !c.atTurn() {
		c.beginLoop()
	}
	c.given = nil
	return c.begin(c.said(text), m), nil
}

// answer gives the outputs of client tools. While other calls wait, the run that takes them pauses again.
func (c *conversation) answer(outputs []wire.Message, m *meter) (before int64, no *refusal) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return 0, closing
	}
	var now []given
	for _, o := range outputs {
		i := slices.IndexFunc(c.ledger.waiting, func(b wire.Body) bool { return b.ToolCallID == o.ToolCallID })
		switch {
		case i < 0 && c.ledger.knowsCall(o.ToolCallID):
			return 0, conflict("the call does not wait for an answer")
		case i < 0:
			return 0, invalid("no such call")
		case slices.ContainsFunc(now, func(g given) bool { return g.call.ToolCallID == o.ToolCallID }):
			return 0, invalid("a call is answered twice")
		}
		now = append(now, given{call: c.ledger.waiting[i], output: o.Content})
	}
	if c.inFlight || c.ledger.status != wire.AwaitingClientTool {
		return 0, conflict("the conversation does not wait for answers")
	}
	c.given = append(c.given, now...)
	if len(now) < len(c.ledger.waiting) {
		return c.begin(c.partly(now), m), nil
	}
	return c.begin(c.resumed(), m), nil
}

// retry runs a failed conversation again from where it failed.
func (c *conversation) retry(m *meter) (before int64, no *refusal) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.closed:
		return 0, closing
	case c.inFlight || c.ledger.status != wire.Failed:
		return 0, conflict("the conversation has not failed")
	case !c.ledger.retryable:
		return 0, conflict("the failure is for good")
	}
	return c.begin(c.retried(), m), nil
}

// begin sends a run's first frame and has the others follow. The lock is held.
func (c *conversation) begin(r *run, m *meter) (before int64) {
	before = c.ledger.offset
	c.meter = m
	c.send(r.cues[0], r.suffix)
	c.launch(r, false)
	return before
}

// cancel ends the run in flight, or the conversation that waits for a person. One that loops goes on with its next
// loop after the usual rest.
func (c *conversation) cancel() *refusal {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.closed:
		return closing
	case !c.inFlight && c.ledger.status != wire.Paused && c.ledger.status != wire.AwaitingClientTool:
		return conflict("the conversation is over")
	}
	if c.halt != nil {
		c.halt()
	}
	if c.inFlight {
		for _, start := range slices.Backward(slices.Clone(c.ledger.entered)) {
			c.sendOurs(wire.NodeEnd, wire.Body{Spine: start.Spine, Status: wire.Cancelled})
		}
	}
	c.sendOurs(wire.RunEnd, wire.Body{Status: wire.Cancelled})
	c.next, c.given = len(c.tape.parts), nil
	c.ledger.waiting = nil
	if c.looping && !c.loopsAreOver() {
		c.launch(&run{}, false)
	}
	return nil
}

func (c *conversation) sendOurs(t wire.FrameType, body wire.Body) {
	c.send(cue{frame: &wire.Frame{Type: t, Body: body}, ours: true}, "")
}
