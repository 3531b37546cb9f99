package conversation

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/bus"
	"inlaygraph/wire"
)

// endsAs waits until a timeline is the end of another's, once both have folded everything that was told.
func endsAs(t *testing.T, p *fake, whole, l *Live) {
	t.Helper()
	lines := func(l *Live) (all []string) {
		for _, row := range l.Conversation().Timeline() {
			all = append(all, rowText(row, false))
		}
		return all
	}
	told := func(l *Live) bool {
		last, _ := l.place()
		return last == int64(p.at())
	}
	for end := time.Now().Add(soon); ; time.Sleep(5 * time.Millisecond) {
		all, rows := lines(whole), lines(l)
		if told(whole) && told(l) && len(rows) <= len(all) && slices.Equal(all[len(all)-len(rows):], rows) {
			return
		}
		if time.Now().After(end) {
			require.Equal(t, all, rows)
			require.Fail(t, "not everything was told")
		}
	}
}

// wholeOf follows a window of everything, alone.
func wholeOf(t *testing.T, w *world) *Live {
	t.Helper()
	return watchAs(t, openAs(t, hubOn(t, w, Options{WindowRows: 10_000}), user("whole", 0))).live
}

// Promises 24 and 28: a window that several instances share reaches down to what the stream repeats before it is shown at
// any of them, and when another goes on with it.
func TestSharedRepeatedFromBeforeTheWindow(t *testing.T) {
	for window := 1; window <= 6; window++ {
		t.Run(fmt.Sprint(window), func(t *testing.T) {
			s, told := overlap()
			p := newFake(s, told)
			w := newWorld(p)
			whole := wholeOf(t, w)
			all, _ := instances(t, w, 3, Options{WindowRows: window})
			var viewers []*viewer
			for i, at := range all {
				v := watchAs(t, openAs(t, at.Hub, user(string(rune('a'+i)), 0)))
				endsAs(t, p, whole, v.live)
				viewers = append(viewers, v)
			}
			require.True(t, all[0].owns())
			half := (told + len(s.frames)) / 2
			for p.at() < half {
				p.play(1)
				for _, v := range viewers {
					endsAs(t, p, whole, v.live)
				}
			}
			all[0].kill()
			viewers = viewers[1:]
			for p.at() < len(s.frames) {
				p.play(1)
				for _, v := range viewers {
					endsAs(t, p, whole, v.live)
				}
			}
			finish(t, p, 0, viewers...)
			for _, at := range all[1:] {
				assert.Empty(t, at.Stats().Rejected)
			}
		})
	}
}

// Promise 24, on a bus: at whatever moment a run is opened, and to however small a window, what is there is the end of what
// a window of everything has, at once and later, also for whoever joins.
func TestSharedWindowIsTheEndOfTheWhole(t *testing.T) {
	server := startNATS(t)
	for seed := range 8 {
		s := startedOnce(generated(t, seed))
		var running []int
		for told := 1; told <= len(s.frames); told++ {
			if s.head(told).Status == wire.Running {
				running = append(running, told)
			}
		}
		for i := range min(4, len(running)) {
			told := running[i*(len(running)-1)/3]
			for _, window := range []int{1, 2 + (seed+i)%9} {
				scope := fmt.Sprint(seed, "-", told, "-", window)
				t.Run(scope, func(t *testing.T) { // whose instances leave at its end: all of them hear of each other
					p := newFake(s, told)
					w := newWorld(p)
					joins := func() *Live {
						b := joinBus(t, bus.Options{URL: server.ClientURL(), Scope: scope})
						return watchAs(t, openAs(t, hubOn(t, w, Options{Bus: b, WindowRows: window}), user("u", 0))).live
					}
					whole, first := wholeOf(t, w), joins()
					endsAs(t, p, whole, first)
					p.play(min(15, len(s.frames)-told))
					second := joins()
					endsAs(t, p, whole, first)
					endsAs(t, p, whole, second)
				})
			}
		}
	}
}
