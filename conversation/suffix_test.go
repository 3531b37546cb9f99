package conversation

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"

	"inlaygraph/wire"
)

// seen is what somebody sees who opens a story after so many frames to a window of so many rows, at once and once the run
// has gone on for some frames more.
func seen(t *testing.T, s story, told, more, window int) (atOnce, later []string) {
	t.Helper()
	bubble(t, s, told, Options{WindowRows: window}, func(t *testing.T, h *Hub, p *fake) {
		l := open(t, h)
		atOnce = rowTexts(l)
		defer l.Subscribe(timelineSlice, 0).Close()
		for range more {
			p.play(1)
			synctest.Wait()
		}
		later = rowTexts(l)
		assert.Empty(t, h.Stats().Rejected, "what is repeated is no contradiction")
	})
	return atOnce, later
}

func rowTexts(l *Live) (all []string) {
	for _, row := range l.Conversation().Timeline() {
		all = append(all, rowText(row, true))
	}
	return all
}

// isEndOf tells whether rows are the last of the whole.
func isEndOf(t *testing.T, whole, rows []string, of ...any) bool {
	t.Helper()
	end := whole[max(0, len(whole)-len(rows)):]
	return assert.Equal(t, strings.Join(end, "\n"), strings.Join(rows, "\n"), fmt.Sprint(of...))
}

// startedOnce is a story in which a node that goes on after a tool opens no placeholder. A window that does not reach back
// to its first start can't know that it is no other visit.
func startedOnce(s story) story {
	started := map[string]bool{}
	s.frames = slices.Clone(s.frames)
	for i, f := range s.frames {
		if f.Type != wire.NodeStart {
			continue
		}
		visit := fmt.Sprint(f.SubgraphPath, f.NodeID, f.Activation)
		if started[visit] {
			again := *f
			again.Kind, s.frames[i] = "again", &again
		}
		started[visit] = true
	}
	return s
}

// Promise 24: at whatever moment a run is opened, and to however small a window, what is there is the end of what a window
// of everything has, at once and later.
func TestAnyWindowIsTheEndOfTheWhole(t *testing.T) {
	stories := map[string]story{"chat": chat(3, 6)}
	for seed := range 25 {
		stories[fmt.Sprint("generated ", seed)] = startedOnce(generated(t, seed))
	}
	for name, s := range stories {
		for told := 1; told <= len(s.frames); told++ {
			if s.head(told).Status != wire.Running {
				continue
			}
			whole, wholeLater := seen(t, s, told, 15, 10_000)
			for _, window := range []int{1, 2, 3, 5, 500} {
				rows, later := seen(t, s, told, 15, window)
				if !isEndOf(t, whole, rows, name, " after frame ", told, ", window ", window) ||
					!isEndOf(t, wholeLater, later, name, " some frames after frame ", told, ", window ", window) {
					break
				}
			}
		}
	}
}
