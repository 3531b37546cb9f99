package tests

import (
	"context"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	up "inlaygraph/upstream"
	"inlaygraph/upstream/demo"
	source "inlaygraph/upstream/platform"
	"inlaygraph/upstream/recording"
	"inlaygraph/wire"
)

// film is one round of a conversation of the demo's: its frames, and how its head and its log stood in between.
type film struct {
	name, id string
	frames   []*wire.Frame
	moments  []moment // in order; the last is the end
}

// filmed are all recordings, once one of the tests has filmed them.
var filmed struct {
	sync.Mutex
	all []*film
}

// films are the scenarios of the demo, and the recordings of these tests and of the fold's.
func films(t *testing.T) []*film {
	t.Helper()
	filmed.Lock()
	defer filmed.Unlock()
	if filmed.all == nil {
		var all []*film
		for _, folder := range []string{"../upstream/demo/scenarios", "testdata", "../projection/testdata/recordings"} {
			recordings, err := recording.Load(folder, 0)
			require.NoError(t, err)
			require.NotEmpty(t, recordings)
			for _, rec := range recordings {
				if starts(rec) > 0 { // or else it is a window of a log, and no run to be played
					all = append(all, shoot(t, rec))
				}
			}
		}
		filmed.all = all
	}
	return filmed.all
}

// moment is how a conversation stood after some frames.
type moment struct {
	told int
	head *wire.Head
	rows []*wire.Row
}

// at is the first moment at which at least so many frames were told.
func (f *film) at(told int) moment {
	for _, m := range f.moments {
		if m.told >= told {
			return m
		}
	}
	return f.moments[len(f.moments)-1]
}

// stepping is a clock that stands still, but for the one who waits for it last and is let go.
type stepping struct {
	mu     sync.Mutex
	now    time.Time
	asleep chan time.Time
	wake   chan struct{}
}

// Now implements demo.Clock.
func (c *stepping) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// SleepUntil implements demo.Clock.
func (c *stepping) SleepUntil(ctx context.Context, t time.Time) error {
	select {
	case c.asleep <- t:
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-c.wake:
		return ctx.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// step lets go of whoever sleeps until then.
func (c *stepping) step(until time.Time) {
	c.mu.Lock()
	if until.After(c.now) {
		c.now = until
	}
	c.mu.Unlock()
	c.wake <- struct{}{}
}

// shoot plays a recording once and films it.
func shoot(t *testing.T, rec *recording.Recording) *film {
	t.Helper()
	clock := &stepping{now: time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC), asleep: make(chan time.Time), wake: make(chan struct{})}
	d, err := demo.New(demo.Options{Recordings: []*recording.Recording{rec}, Loops: 1, Patience: -1, Clock: clock})
	require.NoError(t, err)
	defer func() { require.NoError(t, d.Close()) }()
	require.NoError(t, d.Start("127.0.0.1:0"))
	client, err := source.New(source.Options{BaseURL: d.URL()})
	require.NoError(t, err)
	defer client.Close()

	f := &film{name: filepath.Base(filepath.Dir(rec.Path)) + " " + rec.Name, id: d.Playing()[0].ConversationID}
	for run, runs := 0, starts(rec); run < runs; {
		until := <-clock.asleep
		m := f.look(t, client)
		if m.head.Status != wire.Running { // between two runs
			clock.step(until)
			continue
		}
		run++
		stream, err := client.Stream(t.Context(), "", f.id, int64(len(f.frames)))
		require.NoError(t, err)
		ended := make(chan []*wire.Frame, 1)
		go func() { ended <- drain(stream) }()
		first, between := len(f.moments), false
		for told := []*wire.Frame(nil); told == nil; {
			f.moments = append(f.moments, m)
			clock.step(until)
			select {
			case told = <-ended:
			case until = <-clock.asleep:
				if m = f.look(t, client); m.head.Status != wire.Running {
					told, between = <-ended, true
				}
			}
			f.frames = append(f.frames, told...)
		}
		f.moments = append(f.moments, f.look(t, client))
		// Whoever plays waits before each frame but the first ones, so that there is one between two moments.
		for i, n := len(f.moments)-1, len(f.frames); i >= first; i, n = i-1, n-1 {
			f.moments[i].told = n
		}
		if between {
			clock.step(until)
		}
	}
	for i, frame := range f.frames {
		require.EqualValues(t, i+1, frame.Offset)
	}
	return f
}

func starts(rec *recording.Recording) (n int) {
	for _, record := range rec.Records {
		if f, ok := record.(*wire.Frame); ok && f.Type == wire.RunStart {
			n++
		}
	}
	return n
}

// drain reads a stream to its end.
func drain(s up.Stream) []*wire.Frame {
	defer s.Close()
	all := []*wire.Frame{}
	for {
		item, err := s.Next(context.Background())
		if err != nil || item.Frame == nil {
			return all
		}
		all = append(all, item.Frame)
	}
}

// look reads head and log.
func (f *film) look(t *testing.T, client *source.Client) moment {
	t.Helper()
	head, err := client.Head(t.Context(), "", f.id)
	require.NoError(t, err)
	page, rejected, err := client.Rows(t.Context(), "", f.id, up.RowsQuery{Limit: 1000})
	require.NoError(t, err)
	require.Empty(t, rejected)
	require.False(t, page.HasEarlier)
	return moment{head: head, rows: page.Rows}
}
