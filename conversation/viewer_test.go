package conversation

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"

	"inlaygraph/projection"
)

// viewer follows a conversation's timeline as a value and as operations, until it leaves or the conversation ends.
type viewer struct {
	t       *testing.T
	live    *Live
	sub     *Subscription
	changes *Changes
	stop    context.CancelFunc
	over    sync.WaitGroup
	sizes   []int // how much text the values had
	copy    copied
	err     error // why it ended
	ended   atomic.Bool
	left    bool
}

func watch(t *testing.T, l *Live) *viewer { return watchAs(t, &Viewer{Live: l, who: nobody}) }

// watchAs follows with a session of its own.
func watchAs(t *testing.T, as *Viewer) *viewer {
	ctx, stop := context.WithCancel(t.Context())
	v := &viewer{t: t, live: as.Live, sub: as.Subscribe(timelineSlice, 0), changes: as.Changes(everything, "", 0), stop: stop}
	v.over.Go(func() {
		v.err = v.read(ctx)
		v.ended.Store(true)
	})
	v.over.Go(func() { v.replay(ctx) })
	return v
}

func (v *viewer) read(ctx context.Context) error {
	for {
		c, err := v.sub.Next(ctx)
		if err != nil {
			return err
		}
		v.sizes = append(v.sizes, sizeOf(c))
	}
}

func (v *viewer) replay(ctx context.Context) {
	for {
		m, err := v.changes.Next(ctx)
		if err != nil {
			return
		}
		v.copy.take(v.t, m)
	}
}

// leave stops the viewer, once it has taken what was there for it.
func (v *viewer) leave() {
	v.stop()
	v.over.Wait()
	if v.left {
		return
	}
	v.left = true
	v.live.mu.Lock()
	more := v.changes.sub.dirty
	v.live.mu.Unlock()
	if more {
		v.copy.next(v.t, v.changes)
	}
	v.sub.Close()
	v.changes.Close()
}

// resets is how often the copy began anew beyond the first time, once all is quiet in the bubble.
func (v *viewer) resets() int {
	synctest.Wait()
	return v.copy.resets - 1
}

// sizeOf is how much there is to read.
func sizeOf(c *Conversation) (n int) {
	for _, r := range c.Timeline() {
		n++
		switch r := r.(type) {
		case *projection.AssistantRow:
			n += len(r.Content)
		case *projection.UserRow:
			n += len(r.Content)
		}
	}
	return n
}

// done stops the viewer and checks what it saw: it never went back, and its copy is the timeline. resets is how
// often the copy began anew beyond the first time.
func (v *viewer) done(resets int) {
	v.t.Helper()
	v.leave()
	assert.IsNonDecreasing(v.t, v.sizes, "promise 3: never back")
	assert.Equal(v.t, rowsOf(v.live, everything), v.copy.rows, "promise 7: the copy is the timeline")
	assert.Equal(v.t, 1+resets, v.copy.resets)
}
