package conversation

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/projection"
	"inlaygraph/upstream"
	"inlaygraph/wire"
)

// What an operator sees of a stream that loses a frame: every frame that came by its type, one reset for the gap.
func TestFiguresOfAGap(t *testing.T) {
	s := chat(1, 10)
	bubble(t, s, 2, Options{}, func(t *testing.T, h *Hub, p *fake) {
		lost := false
		p.alter = func(f *wire.Frame) (upstream.Item, bool) {
			if f.Offset == 6 && !lost {
				lost = true
				return upstream.Item{}, false
			}
			return item(f), true
		}
		v := watch(t, open(t, h))
		f := h.Figures()
		assert.Equal(t, 1, f.Watched)
		assert.Empty(t, f.Resets, "the first window is none")
		tell(p, len(s.frames))
		f = h.Figures()
		assert.Equal(t, map[string]int64{ResetGap: 1}, f.Resets)
		assert.Zero(t, f.Reconnects)
		assert.Positive(t, f.Frames[wire.MessageDelta.String()])
		assert.Zero(t, f.Frames[UnknownFrame])
		v.leave()
		assert.Zero(t, h.Figures().Watched)
	})
}

// A stream that was cut is a reconnect and no reset; one without offsets is both.
func TestFiguresOfACut(t *testing.T) {
	for _, bare := range []bool{false, true} {
		s := chat(1, 10)
		bubble(t, s, 5, Options{}, func(t *testing.T, h *Hub, p *fake) {
			if bare {
				p.alter = func(f *wire.Frame) (upstream.Item, bool) {
					f = new(*f)
					f.Offset = 0
					return upstream.Item{Frame: f}, true
				}
			}
			once := false
			p.cut = func(_ int, f *wire.Frame) bool {
				now := f.Offset == 9 && !once
				once = once || now
				return now
			}
			v := watch(t, open(t, h))
			p.playTo(len(s.frames) - 1)
			time.Sleep(time.Minute)
			f := h.Figures()
			assert.EqualValues(t, 1, f.Reconnects)
			if bare {
				assert.Equal(t, map[string]int64{ResetCut: 1}, f.Resets)
			} else {
				assert.Empty(t, f.Resets)
			}
			v.leave()
		})
	}
}

// A run that was not followed, and frames of no known type.
func TestFiguresOfAnotherRun(t *testing.T) {
	const turn = 10
	s := chat(3, turn)
	bubble(t, s, framesOf(turn), Options{IdlePoll: 10 * time.Second}, func(t *testing.T, h *Hub, p *fake) {
		p.between = func(*wire.Frame) []upstream.Item {
			return []upstream.Item{{Rejection: &wire.Rejection{Reason: wire.ReasonUnknownType, Type: "node.dream"}}}
		}
		v := watch(t, open(t, h))
		p.playTo(2 * framesOf(turn)) // over before the head is looked at
		time.Sleep(time.Minute)
		assert.Equal(t, map[string]int64{ResetMoved: 1}, h.Figures().Resets)
		p.playTo(2*framesOf(turn) + 3)
		time.Sleep(time.Minute)
		assert.Positive(t, h.Figures().Frames[UnknownFrame])
		v.leave()
	})
}

// Changes that find their subscriber not done with one before are counted, and cost it nothing.
func TestFiguresOfCoalescing(t *testing.T) {
	s := chat(1, 20)
	bubble(t, s, 3, Options{}, func(t *testing.T, h *Hub, p *fake) {
		l := open(t, h)
		sub := l.subscribe(nobody, []projection.Slice{everything.Slice()}, 0, nil)
		defer sub.Close()
		_, err := sub.Next(t.Context())
		require.NoError(t, err)
		before := h.Figures().Coalesced
		p.playTo(13)
		time.Sleep(time.Second)
		assert.EqualValues(t, 9, h.Figures().Coalesced-before, "the first of ten changes woke it")
	})
}

// contexts notes the contexts that upstream is asked under.
type contexts struct {
	*fake
	note func(op string, ctx context.Context)
}

func (c *contexts) Head(ctx context.Context, auth, id string) (*wire.Head, error) {
	c.note("head", ctx)
	return c.fake.Head(ctx, auth, id)
}

func (c *contexts) Rows(ctx context.Context, auth, id string, q upstream.RowsQuery) (*wire.Page, []*wire.Rejection, error) {
	c.note("rows", ctx)
	return c.fake.Rows(ctx, auth, id, q)
}

// What upstream is asked for somebody is asked with what the request carries, and nothing else of it.
func TestCarry(t *testing.T) {
	type carried struct{}
	type own struct{}
	synctest.Test(t, func(t *testing.T) {
		with := map[string]any{}
		source := &contexts{newFake(chat(2, 3), 2*framesOf(3)), func(op string, ctx context.Context) {
			with[op] = ctx.Value(carried{})
			assert.Nil(t, ctx.Value(own{}))
		}}
		h := NewHub(Options{Source: source, Carry: func(to, from context.Context) context.Context {
			return context.WithValue(to, carried{}, from.Value(carried{}))
		}})
		defer h.Close()
		ctx := context.WithValue(context.WithValue(t.Context(), carried{}, "an id"), own{}, "a session")
		_, err := h.Open(ctx, nobody, conv)
		require.NoError(t, err)
		assert.Equal(t, map[string]any{"head": "an id", "rows": "an id"}, with)
	})
}
