package tests

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/wire"
)

// The tests of this file plant a bug between a running server and its client, one for each promise of doc.go. Without the
// bug the validators find nothing; with it the one of the promise reports it.

// planted runs a scene without a bug, and then with it.
func planted(t *testing.T, validator string, b func() bug, scene func(t *testing.T, b bug) Observation) {
	t.Helper()
	t.Run("without the bug", func(t *testing.T) {
		t.Parallel()
		assert.NoError(t, Validate(scene(t, bug{})))
	})
	t.Run("with the bug", func(t *testing.T) {
		t.Parallel()
		assert.ErrorContains(t, Validate(scene(t, b())), validator+": ")
	})
}

// onDesk follows a subscription to the conversation desk through a meddler, while frames are told one by one.
func onDesk(f following) func(t *testing.T, b bug) Observation {
	const frames = 33
	return func(t *testing.T, b bug) Observation {
		p, s := upstream(t)
		desk := p.add(t, "desk.ndjson", "")
		desk.tell(8)
		control := dial(t, s).subscribe(t, timeline("").operation("desk"))
		before := f.read(t, s, "desk")
		m := dial(t, meddle(t, s, b)).subscribe(t, f.operation("desk"))
		m.message(t, 1)
		for told := 8; told < frames; told++ {
			desk.tell(1)
			eventually(t, patience, func() string {
				if want := timeline("").read(t, s, "desk"); !same(want, timeline("").latest(t, control)) {
					return "the control has not got " + want
				}
				return ""
			})
		}
		history := desk.folded(t, s, f, frames)
		o := received(t, f, m, b, lastOf(history))
		o.Before, o.History = before, history
		return o
	}
}

// folded waits until a query reads what a slice of the conversation desk comes to with the first n frames, and answers every value
// that it has on the way.
func (c *play) folded(t *testing.T, s *server, f following, n int) (history []string) {
	t.Helper()
	history = c.history(t, n, f.sliceField(), f.slice().operation("desk"))
	eventually(t, patience, func() string {
		if now := f.read(t, s, "desk"); !same(now, lastOf(history)) {
			return "a query reads " + now
		}
		return ""
	})
	return history
}

// received waits until a stream has the final value, or where there is a bug until nothing more comes, and answers what it
// received.
func received(t *testing.T, f following, m *stream, b bug, final string) (o Observation) {
	t.Helper()
	take := func() {
		o = Observation{Final: final}
		for _, value := range m.values(t, f.field) {
			o.Values = append(o.Values, string(value))
		}
		if f.field == "rowChanges" {
			o.Changes = o.Values
			o.Values, _ = Replay("", o.Changes) // as far as they can be replayed
		}
	}
	if b.asks == nil && b.answers == nil {
		eventually(t, patience, func() string {
			if take(); Complete(o) != nil {
				return Complete(o).Error()
			}
			return ""
		})
		return o
	}
	for n := -1; n != m.count(); time.Sleep(500 * time.Millisecond) {
		n = m.count()
	}
	take()
	return o
}

// Promise 1: two messages in the wrong order.
func TestOrderedCatchesASwap(t *testing.T) {
	t.Parallel()
	planted(t, "Ordered", func() bug {
		var held envelope
		return bug{answers: nth("next", func(n int, e envelope) []envelope {
			switch n {
			case 5:
				held = e
				return nil
			case 6:
				return []envelope{e, held}
			}
			return []envelope{e}
		})}
	}, onDesk(timeline("")))
}

// Promise 2: a change that came just before quiet, and was never sent.
func TestCompleteCatchesALostLastMessage(t *testing.T) {
	t.Parallel()
	planted(t, "Complete", func() bug {
		return bug{answers: nth("next", func(n int, e envelope) []envelope {
			if n > 6 {
				return nil
			}
			return []envelope{e}
		})}
	}, onDesk(timeline("")))
}

// Promise 3: operations that were lost on the way, and others that came twice.
func TestNoGapsCatchesLostAndRepeatedOperations(t *testing.T) {
	t.Parallel()
	for name, times := range map[string]int{"lost": 0, "twice": 2} {
		t.Run(name, func(t *testing.T) {
			planted(t, "NoGaps", func() bug {
				return bug{answers: nth("next", func(n int, e envelope) (all []envelope) {
					if n < 6 || n > 12 { // one alone may be of a row that is replaced again
						return []envelope{e}
					}
					for range times {
						all = append(all, e)
					}
					return all
				})}
			}, onDesk(rowChanges()))
		})
	}
}

// Promise 4: a message for what did not change.
func TestIsolatedCatchesAnIdleMessage(t *testing.T) {
	t.Parallel()
	planted(t, "Isolated", func() bug {
		return bug{answers: nth("next", func(n int, e envelope) []envelope {
			if n == 6 {
				return []envelope{e, e}
			}
			return []envelope{e}
		})}
	}, onDesk(rowsAt(`path: ["left"]`)))
}

// Promise 5: a server that forgets where its client was.
func TestResumableCatchesAForgottenCursor(t *testing.T) {
	t.Parallel()
	planted(t, "Resumable", func() bug {
		return bug{asks: func(e envelope) envelope {
			if e.Type != "subscribe" {
				return e
			}
			var asked request
			if json.Unmarshal(e.Payload, &asked) == nil {
				asked.Query = fromCursor.ReplaceAllString(asked.Query, "")
			}
			e.Payload, _ = json.Marshal(asked) // two texts
			return e
		}}
	}, func(t *testing.T, b bug) Observation {
		p, s := upstream(t)
		desk := p.add(t, "desk.ndjson", "")
		desk.tell(20)
		meddled := meddle(t, s, b)
		c := dial(t, meddled)
		first := c.subscribe(t, rowChanges().operation("desk"))
		first.message(t, 1)
		kept := rowChanges().observe(t, first)
		c.close()
		again := dial(t, meddled).subscribe(t, rowChanges().after(cursorOf(t, lastOf(kept.Changes))).operation("desk"))
		again.message(t, 1)
		desk.tell(5)
		again.message(t, 2)
		final := lastOf(desk.folded(t, s, timeline(""), 25))
		eventually(t, patience, func() string {
			if last := lastOf(resumed(t, again, lastOf(kept.Values)).Values); !same(last, final) {
				return last
			}
			return ""
		})
		o := resumed(t, again, lastOf(kept.Values))
		o.Final = final
		return o
	})
}

// Promise 6: a first value from before the subscription, as somebody else was sent it earlier.
func TestAtomicCatchesAFirstValueFromACache(t *testing.T) {
	t.Parallel()
	planted(t, "Atomic", func() bug {
		var cached envelope
		return bug{answers: nth("next", func(n int, e envelope) []envelope {
			switch {
			case n == 1:
				cached = e
			case e.ID == "2" && cached.ID == "1":
				cached.ID = "2"
				return []envelope{cached, e}
			}
			return []envelope{e}
		})}
	}, func(t *testing.T, b bug) Observation {
		p, s := upstream(t)
		desk := p.add(t, "desk.ndjson", "")
		desk.tell(8)
		f, c := timeline(""), dial(t, meddle(t, s, b))
		first := c.subscribe(t, f.operation("desk"))
		first.message(t, 1)
		desk.tell(12)
		history := desk.history(t, 20, f.field, f.operation("desk"))
		before := lastOf(history)
		eventually(t, patience, func() string {
			if now := f.read(t, s, "desk"); !same(before, now) || !same(before, f.latest(t, first)) {
				return now
			}
			return ""
		})
		late := c.subscribe(t, f.operation("desk"))
		late.message(t, 1)
		o := received(t, f, late, b, before)
		o.Before, o.History = before, history
		return o
	})
}

// Promise 7: another tenant's session on the connection, where the tenants have conversations of one name.
func TestScopedCatchesAMixedUpSession(t *testing.T) {
	t.Parallel()
	p := newTenancy(t)
	s := p.front(t)
	until := time.Now().Add(time.Hour)
	own, other := p.enrol(t, "ann", "acme", until), p.enrol(t, "eve", "umbrella", until)
	p.add("acme", "talk", "ann").begin(wire.Paused)
	p.add("umbrella", "talk", "eve").begin(wire.Paused)
	planted(t, "Scoped", func() bug {
		return bug{asks: func(e envelope) envelope {
			if e.Type == "connection_init" {
				e.Payload = json.RawMessage(fmt.Sprintf(`{"token":%q}`, other))
			}
			return e
		}}
	}, func(t *testing.T, b bug) Observation {
		operation := timeline("").operation("talk")
		m := dialWith(t, meddle(t, s, b), map[string]any{"token": own}).subscribe(t, operation)
		m.message(t, 1)
		o, ok := newHeld(m, s.url, "Bearer "+own, operation).observation()
		require.True(t, ok)
		return o
	})
}

// Promise 8: a lock that is held while a client is written to that does not read.
func TestBoundedCatchesALockOverAWrite(t *testing.T) {
	t.Parallel()
	planted(t, "Bounded", func() bug { return bug{oneLock: true} }, func(t *testing.T, b bug) Observation {
		p, s := upstream(t, "--write-timeout-seconds", "60")
		const frames = 70
		c := talk(p, "talk", frames)
		c.tell(2)
		f, meddled := rowsAt(`path: ["short"]`), meddle(t, s, b)
		m := dial(t, meddled).subscribe(t, f.operation("talk"))
		m.message(t, 1)
		stuck := stalled(t, meddled, timeline("").operation("talk"))
		eventually(t, patience, func() string {
			if scrape(t, s.base()).sum("inlay_subscribers") < 2 {
				return "the stalled client does not subscribe"
			}
			return ""
		})
		o := Observation{}
		for i := 0; i < frames && o.Slowest <= slow; i++ {
			begin := time.Now()
			c.tell(1)
			for m.count() < i+2 && time.Since(begin) <= slow {
				time.Sleep(time.Millisecond)
			}
			o.Slowest = max(o.Slowest, time.Since(begin))
		}
		stuck.Close()
		for _, value := range m.values(t, f.field) {
			o.Values = append(o.Values, string(value))
		}
		return o
	})
}
