package langgraph

import (
	"context"
	"encoding/json"
	"time"

	"inlaygraph/upstream"
	"inlaygraph/wire"
)

// Head implements upstream.Source.
func (c *Client) Head(ctx context.Context, auth, id string) (*wire.Head, error) {
	l, err := c.look(ctx, "head", auth, id)
	if err != nil {
		return nil, err
	}
	if err := c.readState(ctx, l); err != nil {
		return nil, err
	}
	a, err := c.assistantOf(ctx, l)
	if err != nil {
		return nil, err
	}
	head := &wire.Head{
		ConversationID: id, AgentID: a.agentID, AgentVersion: a.version, Title: l.title(), HasLastOffset: true,
		CreatedAt: l.createdAt, UpdatedAt: latest(l.updatedAt, l.state.At),
	}
	n := c.numbersOf(id, false)
	if run := l.current(); run != nil {
		head.Status = wire.Running
		_, head.LastOffset = n.tells(run.RunID, l.before(run.RunID))
		return head, nil
	}
	head.LastOffset = n.rests(l.lastRun(), l.point)
	switch outcome := l.outcome(); outcome.Status {
	case Failed: // what failed is in the history
		past, err := c.restingPast(ctx, l)
		if err != nil {
			return nil, err
		}
		head.Status, head.Error = wire.Failed, past.Head.Error
		head.Retryable, head.HasRetryable = true, true
	case Cancelled:
		head.Status = wire.Cancelled
	case Interrupted:
		head.Status = wire.Paused
		if len(outcome.Interrupts) > 0 {
			head.Status = wire.AwaitingClientTool
		}
	default:
		head.Status = wire.Paused
	}
	return head, nil
}

// outcome is how the newest run ended. A thread whose runs are not kept takes another turn.
func (l *look) outcome() Outcome {
	last := l.last()
	if last == nil {
		last = &runAt{RunRecord: RunRecord{Status: "success"}}
	}
	outcome, ended := OutcomeOf(last.RunRecord, l.state)
	if !ended {
		return Outcome{Status: Succeeded}
	}
	return outcome
}

// title is the first that a user said.
func (l *look) title() string {
	for _, r := range l.runs {
		if len(r.Human) > 0 {
			return clipped(r.Human[0].Content)
		}
	}
	return ""
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// Rows implements upstream.Source. While a run is in flight that can be followed, they are those before it: the stream
// tells the run from its start. Of one that can't be followed they are what its checkpoints tell so far.
func (c *Client) Rows(ctx context.Context, auth, id string, q upstream.RowsQuery) (*wire.Page, []*wire.Rejection, error) {
	l, err := c.look(ctx, "rows", auth, id)
	if err != nil {
		return nil, nil, err
	}
	past, err := c.pastOf(ctx, l)
	if err != nil {
		return nil, nil, err
	}
	page := stretch(past, q)
	return page, c.tooLarge(page), nil
}

func (c *Client) pastOf(ctx context.Context, l *look) (*Past, error) {
	run := l.current()
	switch {
	case run == nil:
		if err := c.readState(ctx, l); err != nil {
			return nil, err
		}
		return c.restingPast(ctx, l)
	case !run.joinable:
		return c.passingPast(ctx, l)
	}
	n := c.numbersOf(l.id, false)
	t, _ := n.tells(run.RunID, l.before(run.RunID))
	return c.pastBefore(ctx, l, n, t)
}

// pastBefore is what was before a run in flight, the same however often it is asked for.
func (c *Client) pastBefore(ctx context.Context, l *look, n *numbers, t *telling) (*Past, error) {
	if past := n.after(t, nil); past != nil {
		return past, nil
	}
	past, err := c.readPast(ctx, l, t.runID)
	if err != nil {
		return nil, err
	}
	return n.after(t, past), nil
}

// Stream implements upstream.Source. A run that others started and that can't be joined from its start without taking
// events from them is CannotReattach.
func (c *Client) Stream(ctx context.Context, auth, id string, after int64) (upstream.Stream, error) {
	const op = "stream"
	l, err := c.look(ctx, op, auth, id)
	if err != nil {
		return nil, err
	}
	run := l.current()
	switch {
	case run == nil:
		return nil, refusal(op, upstream.Idle, "no run is in flight")
	case !run.joinable:
		return nil, refusal(op, upstream.CannotReattach, "the run was not started so that it can be joined")
	}
	n := c.numbersOf(id, false)
	t, _ := n.tells(run.RunID, l.before(run.RunID))
	info := n.tellWith(t, nil)
	if info == nil {
		if info, err = c.infoOf(ctx, l, n, t, run); err != nil {
			return nil, err
		}
	}
	return c.tell(ctx, op, n, t, info, after)
}

// infoOf makes up what a run is told with that was started by others, or before this process.
func (c *Client) infoOf(ctx context.Context, l *look, n *numbers, t *telling, run *runAt) (*RunInfo, error) {
	past, err := c.pastBefore(ctx, l, n, t)
	if err != nil {
		return nil, err
	}
	a, err := c.assistantOf(ctx, l)
	if err != nil {
		return nil, err
	}
	return n.tellWith(t, c.info(ctx, l.op, l.id, a, run.RunRecord, past.Known)), nil
}

// info is what a run is told with.
func (c *Client) info(ctx context.Context, op, thread string, a *assistant, run RunRecord, known *Known) *RunInfo {
	return &RunInfo{
		ThreadID: thread, RunID: run.RunID, AgentID: a.agentID, AgentVersion: a.version, At: run.At,
		Human: run.Human, Answers: run.Answers, Known: known, Plan: c.planIndex(ctx, op, a), PrivateTools: c.private,
	}
}

// Backlinks implements upstream.History: there are no tables.
func (c *Client) Backlinks(ctx context.Context, auth, id, _, _ string) (json.RawMessage, error) {
	const op = "backlinks"
	if _, err := c.thread(ctx, op, auth, id); err != nil {
		return nil, err
	}
	return nil, refusal(op, upstream.NotFound, "this upstream has no tables")
}
