package conversation

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"

	"inlaygraph/coded"
	"inlaygraph/projection"
	"inlaygraph/upstream"
	"inlaygraph/wire"
)

// reader brings one conversation from upstream into memory and keeps it current while somebody asks: the
// window first, then the stream by offset; a gap or a refusal means the window again (docs/wire.md).
type reader struct {
	hub     *Hub
	id      string
	live    *Live
	adopted bool

	mu      sync.Mutex
	running bool
	cancel  context.CancelFunc
	headAt  time.Time     // when the head was last known to be current
	loaded  chan struct{} // closed when the refresh under way has ended
	err     error         // how it ended
	waiting int           // callers of ready that wait
	nudge   chan struct{} // capacity 1: refresh now

	// Used by the reading goroutine alone.
	head  *wire.Head // the latest
	since time.Time  // when upstream went away; zero while it is there
	wait  *backoff.ExponentialBackOff
}

func newReader(h *Hub, id string) *reader {
	r := &reader{hub: h, id: id, live: NewLive(id), nudge: make(chan struct{}, 1)}
	r.live.log = &logReader{h.opts.Source, id}
	r.live.attend = r.attend
	r.wait = backoff.NewExponentialBackOff()
	r.wait.InitialInterval, r.wait.MaxInterval = h.opts.MinBackoff, h.opts.MaxBackoff
	return r
}

// attend starts the reading goroutine unless it runs.
func (r *reader) attend() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.startLocked()
}

func (r *reader) startLocked() {
	if r.running || r.hub.ctx.Err() != nil {
		return
	}
	ctx, cancel := context.WithCancel(r.hub.ctx)
	r.running, r.cancel = true, cancel
	if r.loaded == nil {
		r.loaded = make(chan struct{})
	}
	r.hub.tasks.Go(func() {
		r.run(ctx)
		cancel()
		r.mu.Lock()
		defer r.mu.Unlock()
		r.running = false
		if n, _ := r.live.following(); (n > 0 || r.waiting > 0) && r.live.open() {
			r.startLocked() // somebody came while it was stopping
		}
	})
}

// stop ends the reading goroutine; attend starts another.
func (r *reader) stop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.running {
		r.cancel()
	}
}

// busy tells whether somebody waits for the conversation.
func (r *reader) busy() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.waiting > 0
}

// ready returns once the conversation is loaded and, where nobody follows it, no older than HeadFresh.
func (r *reader) ready(ctx context.Context) error {
	r.live.noteUse()
	followed, _ := r.live.following()
	r.mu.Lock()
	fresh := !r.headAt.IsZero() && (followed > 0 || time.Since(r.headAt) < r.hub.opts.HeadFresh)
	if fresh {
		r.mu.Unlock()
		return r.live.endedBy()
	}
	if r.loaded == nil {
		r.loaded = make(chan struct{})
	}
	done := r.loaded
	r.waiting++
	r.startLocked()
	r.mu.Unlock()
	select {
	case r.nudge <- struct{}{}:
	default:
	}
	defer func() {
		r.mu.Lock()
		r.waiting--
		r.mu.Unlock()
	}()
	select {
	case <-done:
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.err
	case <-ctx.Done():
		return ctx.Err()
	case <-r.hub.ctx.Done():
		return coded.New(coded.UpstreamUnavailable, "the server is shutting down")
	}
}

// refreshed answers whoever waits.
func (r *reader) refreshed(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil {
		r.headAt = time.Now()
	}
	r.err = err
	if r.loaded != nil {
		close(r.loaded)
		r.loaded = nil
	}
}

// fresh notes that the conversation is current now, since its stream says so.
func (r *reader) fresh() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.headAt = time.Now()
}

var errGap = errors.New("frames were lost")

// run reads until nobody asks, or the conversation is lost.
func (r *reader) run(ctx context.Context) {
	reload := r.head == nil
	for ctx.Err() == nil {
		follow, err := r.refresh(ctx, reload)
		if err != nil {
			if r.failed(ctx, err) != nil {
				return
			}
			continue
		}
		reload = false
		if !follow {
			r.refreshed(nil)
			if r.idle(ctx) != nil {
				return
			}
			continue
		}
		switch err := r.followRun(ctx); {
		case err == nil:
		case errors.Is(err, upstream.Idle): // the head decides what that means
			if r.pause(ctx) != nil {
				return
			}
		case errors.Is(err, errGap), errors.Is(err, upstream.Gone), errors.Is(err, upstream.CannotReattach):
			r.hub.opts.Logger.Info("reload", "conversation", r.id, "reason", err.Error())
			reload = true
			if r.pause(ctx) != nil {
				return
			}
		default:
			if r.failed(ctx, err) != nil {
				return
			}
		}
	}
	r.refreshed(context.Canceled)
}

// failed answers whoever waits, and decides whether to go on after a pause (nil) or to stop.
func (r *reader) failed(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		r.refreshed(ctx.Err())
		return ctx.Err()
	}
	r.refreshed(err)
	if r.since.IsZero() {
		r.since = time.Now()
	}
	terminal := upstream.Hidden(err) || errors.Is(err, upstream.Unauthenticated)
	if n, _ := r.live.following(); terminal || time.Since(r.since) > r.hub.opts.AwayLimit {
		r.hub.forget(r)
		r.live.end(present(err))
		return err
	} else if n == 0 {
		if r.head == nil {
			r.hub.forget(r)
			r.live.end(present(err))
		}
		return err
	}
	r.hub.opts.Logger.Warn("upstream", "conversation", r.id, "error", err.Error())
	return r.pauseAfter(ctx, err)
}

// back notes that upstream answers.
func (r *reader) back() {
	r.since = time.Time{}
	r.wait.Reset()
}

// pauseAfter waits as long as upstream asked, else as backoff says.
func (r *reader) pauseAfter(ctx context.Context, err error) error {
	var u *upstream.Error
	if errors.As(err, &u) && u.HasRetryAfter {
		return sleep(ctx, min(u.RetryAfter, r.hub.opts.AwayLimit))
	}
	return r.pause(ctx)
}

func (r *reader) pause(ctx context.Context) error {
	return sleep(ctx, r.wait.NextBackOff())
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// idle waits until it is time to look at the head again.
func (r *reader) idle(ctx context.Context) error {
	timer := time.NewTimer(r.hub.opts.IdlePoll)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-r.nudge:
	case <-ctx.Done():
	}
	return ctx.Err()
}

// refresh reads the head and, when the conversation moved otherwise than by what was folded, the window.
// It reports whether there is a run to follow.
func (r *reader) refresh(ctx context.Context, reload bool) (follow bool, err error) {
	head, err := r.hub.opts.Source.Head(ctx, "", r.id)
	if err != nil {
		return false, err
	}
	moved := reload || r.moved(head)
	if moved && !reload && head.Status == wire.Running {
		r.head = head
		return true, nil // a run that began after what is folded: its stream may go on from there
	}
	if moved {
		if err := r.load(ctx, head); err != nil {
			return false, err
		}
	}
	r.head = head
	r.back()
	return head.Status == wire.Running, nil
}

// moved tells whether the head speaks of something that was not folded.
func (r *reader) moved(head *wire.Head) bool {
	if r.head == nil {
		return true
	}
	if last := r.live.lastOffset(); head.HasLastOffset && last > 0 && head.Status != wire.Running {
		return head.LastOffset > last || head.Status != r.live.standing()
	}
	return head.Status != r.live.standing() || head.LastOffset != r.head.LastOffset || !head.UpdatedAt.Equal(r.head.UpdatedAt)
}

// load folds head and window into a new state and puts it in the old one's place.
func (r *reader) load(ctx context.Context, head *wire.Head) error {
	state := projection.New(r.id)
	r.count(state.Apply(head))
	if head.Status != wire.Running || head.HasLastOffset {
		if err := r.loadWindow(ctx, state); err != nil {
			return err
		}
	} // else the stream is folded from its start instead of rows
	r.live.Replace(state)
	return nil
}

// loadWindow folds the tail of the log, at least down to the oldest row that was held before.
func (r *reader) loadWindow(ctx context.Context, state *projection.State) error {
	held := r.live.leastSeq()
	q := upstream.RowsQuery{Limit: r.hub.opts.WindowRows}
	for {
		page, rejected, err := r.hub.opts.Source.Rows(ctx, "", r.id, q)
		if err != nil {
			return err
		}
		r.reject(rejected...)
		r.count(state.Apply(page))
		if len(page.Rows) == 0 || !page.HasEarlier || held == 0 || page.Rows[0].Seq <= held {
			return nil
		}
		q.BeforeSeq = page.Rows[0].Seq
	}
}
