package langgraph

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"inlaygraph/upstream"
	"inlaygraph/upstream/internal/exchange"
	"inlaygraph/wire"
)

// pageOfHistory is how many checkpoints one answer is asked for: each holds all that its graph holds.
const pageOfHistory = 25

// passingFor is how old what is told of a run may be that is not told live.
const passingFor = 500 * time.Millisecond

// keptPast is a thread's past, and how the thread stood when it was read.
type keptPast struct {
	run, point string
	past       *Past
}

// restingPast is the past of a thread without a run in flight, whose state was read.
func (c *Client) restingPast(ctx context.Context, l *look) (*Past, error) {
	run := l.lastRun()
	if kept, ok := c.pasts.get(l.id); ok && kept.run == run && kept.point == l.point {
		return kept.past, nil
	}
	past, err := c.readPast(ctx, l, "")
	if err == nil {
		c.pasts.put(l.id, keptPast{run, l.point, past})
	}
	return past, err
}

// passingPast is the past of a thread while a run goes on there that is not told live. Whoever follows it asks again and
// again, a page at a time.
func (c *Client) passingPast(ctx context.Context, l *look) (*Past, error) {
	key := l.id + "/passing"
	if kept, ok := c.pasts.get(key); ok {
		return kept.past, nil
	}
	past, err := c.readPast(ctx, l, "")
	if err == nil {
		c.pasts.putFor(key, keptPast{past: past}, passingFor)
	}
	return past, err
}

// lastRun is the id of the newest run, "" when the server keeps none.
func (l *look) lastRun() string {
	if last := l.last(); last != nil {
		return last.RunID
	}
	return ""
}

// readPast reads a thread's history and folds it: all of it, or what was before a run.
func (c *Client) readPast(ctx context.Context, l *look, before string) (*Past, error) {
	a, err := c.assistantOf(ctx, l)
	if err != nil {
		return nil, err
	}
	h := NewHistory(ThreadInfo{
		ThreadID: l.id, AgentID: a.agentID, AgentVersion: a.version, Plan: c.planIndex(ctx, l.op, a), PrivateTools: c.private,
	}, l.records())
	left := c.opts.MaxHistory
	for wanted := h.Wanted(); len(wanted) > 0; wanted = h.Wanted() {
		for _, namespace := range wanted {
			if err := c.readHistory(ctx, l, h, namespace, &left); err != nil {
				return nil, err
			}
		}
	}
	past := h.FoldBefore(before)
	for _, note := range past.Unknown {
		c.opts.Logger.Debug("not known of a thread's past", "conversation", l.id, "what", note)
	}
	return past, nil
}

// readHistory adds the checkpoints of one graph of a thread, the newest first, until there are no more or no more is to
// be read.
func (c *Client) readHistory(ctx context.Context, l *look, h *History, namespace string, left *int64) error {
	for before := ""; ; {
		if *left <= 0 {
			if before == "" {
				return h.Add(namespace, []byte("[]"))
			}
			return nil
		}
		body, err := json.Marshal(historyRequest{
			Limit: pageOfHistory, Before: before, Checkpoint: historyOf{ThreadID: l.id, Namespace: namespace},
		})
		if err != nil {
			return err
		}
		answer, err := c.http.Read(ctx, exchange.Call{
			Op: l.op, Method: http.MethodPost, Path: []string{"threads", l.id, "history"}, Body: body,
		})
		if err != nil {
			return unreadable(err)
		}
		*left -= int64(len(answer))
		if err := h.Add(namespace, answer); err != nil {
			return errUnlike(l.op, err)
		}
		next := h.Earlier(namespace)
		if next == "" || next == before {
			return nil
		}
		before = next
	}
}

// historyRequest is the body of POST /threads/{thread}/history.
type historyRequest struct {
	Limit      int       `json:"limit"`
	Before     string    `json:"before,omitempty"`
	Checkpoint historyOf `json:"checkpoint"`
}

type historyOf struct {
	ThreadID  string `json:"thread_id"`
	Namespace string `json:"checkpoint_ns"`
}

// stretch is the part of the rows that a query asks for (docs/wire.md, "Endpoints").
func stretch(past *Past, q upstream.RowsQuery) *wire.Page {
	rows := past.Rows
	from, to := 0, len(rows)
	if q.AfterSeq > 0 || q.FromStart {
		from = firstAfter(rows, q.AfterSeq)
	}
	if q.BeforeSeq > 0 {
		to = max(from, firstAfter(rows, q.BeforeSeq-1))
	}
	limit := q.Limit
	if limit <= 0 {
		limit = defaultRows
	}
	if to-from > limit {
		if q.AfterSeq > 0 || q.FromStart {
			to = from + limit
		} else {
			from = to - limit
		}
	}
	return &wire.Page{Rows: slices.Clone(rows[from:to]), HasEarlier: from > 0 || past.HasEarlier}
}

// defaultRows is the size of a page that was not asked for any.
const defaultRows = 500

// firstAfter is the place of the first row whose seq is greater.
func firstAfter(rows []*wire.Row, seq int64) int {
	i, _ := slices.BinarySearchFunc(rows, seq, func(r *wire.Row, seq int64) int {
		if r.Seq > seq {
			return 1
		}
		return -1
	})
	return i
}

// tooLarge takes out of a page what is longer than a row may be, and tells it.
func (c *Client) tooLarge(page *wire.Page) []*wire.Rejection {
	var rejected []*wire.Rejection
	page.Rows = slices.DeleteFunc(page.Rows, func(r *wire.Row) bool {
		if lengthOf(&r.Body) <= c.opts.MaxFrame {
			return false
		}
		rejected = append(rejected, &wire.Rejection{Reason: wire.ReasonTooLarge, Type: r.Type.String()})
		return true
	})
	return rejected
}

// lengthOf is how long the text of a frame or row is.
func lengthOf(b *wire.Body) int {
	return len(b.Content) + len(b.Reasoning) + len(b.Input) + len(b.Output) + len(b.Value) + len(b.Delta)
}
