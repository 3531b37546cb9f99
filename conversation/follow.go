package conversation

import (
	"context"
	"errors"
	"io"
	"time"

	"inlaygraph/projection"
	"inlaygraph/upstream"
	"inlaygraph/wire"
)

// A joiner of a running conversation waits until the stream has said what it already holds: until it is
// quiet for catchUpQuiet, at most catchUpMax.
const (
	catchUpQuiet = 30 * time.Millisecond
	catchUpMax   = 300 * time.Millisecond
)

// followRun follows the run in flight to its end. nil means that the run stopped and was folded whole.
func (r *reader) followRun(ctx context.Context) error {
	for {
		err := r.stream(ctx)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, upstream.CannotReattach):
			head, headErr := r.hub.opts.Source.Head(ctx, "", r.id)
			if headErr != nil {
				return headErr
			}
			if head.Status != wire.Running {
				return err
			}
			return r.pollLog(ctx)
		case err != nil:
			return err
		case r.live.standing() != wire.Running:
			return nil
		}
		if err := r.pause(ctx); err != nil { // cut in mid-run: go on where it was
			return err
		}
	}
}

// stream folds one attachment to the live frames; nil when it ended.
func (r *reader) stream(ctx context.Context) error {
	st, err := r.hub.opts.Source.Stream(ctx, "", r.id, r.live.lastOffset())
	if err != nil {
		return err
	}
	defer st.Close()
	caughtUp := r.catchUp()
	defer caughtUp.done()
	for {
		item, err := st.Next(ctx)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		r.back()
		caughtUp.more()
		if next, known := r.live.nextOffset(); known && item.Offset > next {
			return errGap
		}
		if item.Rejection != nil {
			r.reject(item.Rejection)
			r.live.Apply(projection.Skipped{Offset: item.Offset})
			continue
		}
		change, _ := r.live.Apply(item.Frame)
		r.count(change)
	}
}

// pollLog reads the log while the head says running, where upstream cannot reattach.
func (r *reader) pollLog(ctx context.Context) error {
	for {
		if err := r.readLog(ctx); err != nil {
			return err
		}
		head, err := r.hub.opts.Source.Head(ctx, "", r.id)
		if err != nil {
			return err
		}
		r.refreshed(nil)
		r.back()
		if head.Status != wire.Running {
			if err := r.readLog(ctx); err != nil { // what was written between the two
				return err
			}
			change, _ := r.live.Apply(head)
			r.count(change)
			r.head = head
			return nil
		}
		if err := sleep(ctx, r.hub.opts.LogPoll); err != nil {
			return err
		}
	}
}

// readLog folds the rows after the last one held.
func (r *reader) readLog(ctx context.Context) error {
	for {
		_, last := r.live.seqs()
		page, rejected, err := r.hub.opts.Source.Rows(ctx, "", r.id, upstream.RowsQuery{AfterSeq: last, Limit: r.hub.opts.WindowRows})
		if err != nil {
			return err
		}
		r.reject(rejected...)
		if last == 0 { // nothing was held: this is the tail window
			change, _ := r.live.Apply(page)
			r.count(change)
			return nil
		}
		for _, row := range page.Rows { // one by one: the page's word on earlier rows is about its own start
			change, _ := r.live.Apply(row)
			r.count(change)
		}
		if len(page.Rows) == 0 || page.Rows[len(page.Rows)-1].Seq <= last {
			return nil
		}
	}
}

// count logs what was dropped, never its content.
func (r *reader) count(c projection.Change) {
	log := r.hub.opts.Logger
	if c.Outcome == projection.Rejected {
		log.Warn("rejected", "conversation", r.id, "reason", c.Reason)
	}
	for _, reason := range c.RowReasons {
		log.Warn("rejected", "conversation", r.id, "reason", reason)
	}
	if c.OtherOpener {
		log.Warn("a run of another agent or version", "conversation", r.id)
	}
}

func (r *reader) reject(rejections ...*wire.Rejection) {
	for _, rejection := range rejections {
		r.hub.opts.Logger.Warn("rejected", "conversation", r.id, "reason", rejection.Error())
	}
}

// catchUp tells whoever waits for the conversation once the stream has said what it holds.
type catchUp struct {
	reader *reader
	quiet  *time.Timer
	latest *time.Timer
}

func (r *reader) catchUp() *catchUp {
	tell := func() { r.refreshed(nil) }
	return &catchUp{r, time.AfterFunc(catchUpQuiet, tell), time.AfterFunc(catchUpMax, tell)}
}

func (c *catchUp) more() {
	if c.quiet.Stop() {
		c.quiet.Reset(catchUpQuiet)
	}
	c.reader.fresh()
}

func (c *catchUp) done() {
	c.quiet.Stop()
	c.latest.Stop()
	c.reader.refreshed(nil)
}
