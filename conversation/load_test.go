package conversation

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"inlaygraph/coded"
	"inlaygraph/projection"
	"inlaygraph/upstream"
	"inlaygraph/wire"
)

// A window that is loaded again reaches down to the oldest row that was held, in pages, and no further.
func TestReloadKeepsWhatWasHeld(t *testing.T) {
	s := chat(12, 4)
	turn := framesOf(4)
	bubble(t, s, 4*turn+5, Options{WindowRows: 6, MinBackoff: time.Millisecond}, func(t *testing.T, h *Hub, p *fake) {
		v := watch(t, open(t, h))
		first := jsonRows(v.live.Conversation().Timeline())[0]
		assert.True(t, v.live.Conversation().Snapshot().HasEarlier())
		lost(p, int64(11*turn)+4)
		tell(p, len(s.frames))
		assert.Equal(t, 1, v.resets())
		rows := jsonRows(v.live.Conversation().Timeline())
		assert.Equal(t, first["id"], rows[0]["id"])
		assert.Len(t, rows, 18, "two of each turn from the fourth on")
		assert.True(t, v.live.Conversation().Snapshot().HasEarlier())
		v.done(1)
		var cursors []int64
		for _, q := range p.queries[1:] {
			cursors = append(cursors, q.BeforeSeq)
		}
		assert.Equal(t, []int64{0, 41, 35, 29, 23, 17}, cursors)
	})
}

// Pages that do not go down are no answer, and not asked for over and over.
func TestPagesThatDoNotGoDown(t *testing.T) {
	s := chat(3, 2)
	bubble(t, s, framesOf(2), Options{WindowRows: 2}, func(t *testing.T, h *Hub, p *fake) {
		p.noBefore = true
		l := open(t, h)
		p.playTo(2 * framesOf(2))
		time.Sleep(time.Minute)
		p.called()
		_, err := h.Open(t.Context(), nobody, conv)
		assert.Equal(t, coded.UpstreamUnavailable, coded.CodeOf(err))
		assert.Equal(t, map[string]int{"head": 1, "rows": 2}, p.called())
		assert.Equal(t, want(t, s, framesOf(2)).Status, factsOf(t, l.Conversation(), false).Status)
	})
}

// Following what was just opened asks upstream for nothing more until it is time to look.
func TestSubscribingAsksForNothing(t *testing.T) {
	s := chat(1, 2)
	bubble(t, s, len(s.frames), Options{}, func(t *testing.T, h *Hub, p *fake) {
		v := watch(t, open(t, h))
		time.Sleep(9 * time.Second)
		assert.Equal(t, map[string]int{"head": 1, "rows": 1}, p.called())
		watch(t, open(t, h)).leave()
		time.Sleep(2 * time.Second)
		assert.Equal(t, map[string]int{"head": 1}, p.called())
		time.Sleep(50 * time.Second)
		assert.Equal(t, map[string]int{"head": 5}, p.called())
		v.done(0)
	})
}

// What was not taken is counted by reason, and logged at most once a second, without its content.
func TestRejectionsAreCounted(t *testing.T) {
	s := chat(1, 300)
	var log bytes.Buffer
	opts := Options{Logger: slog.New(slog.NewTextHandler(&log, nil))}
	bubble(t, s, 2, opts, func(t *testing.T, h *Hub, p *fake) {
		p.alter = func(f *wire.Frame) (upstream.Item, bool) {
			switch {
			case f.Offset%2 == 0 && f.Type == wire.MessageDelta:
				r := &wire.Rejection{Reason: wire.ReasonWrongType, Member: "content", Type: "message.delta", Offset: f.Offset}
				return upstream.Item{Rejection: r, Offset: f.Offset}, true
			case f.Type == wire.NodeEnd: // in its place, a delta for the turn that is over
				late := *s.frames[4]
				late.Offset = f.Offset
				return upstream.Item{Frame: &late, Offset: f.Offset}, true
			}
			return item(f), true
		}
		v := watch(t, open(t, h))
		for p.at() < len(s.frames) {
			p.play(1)
			time.Sleep(10 * time.Millisecond)
		}
		assert.Equal(t, map[string]int64{"wrong_type": 150, projection.ReasonRowComplete: 1}, h.Stats().Rejected)
		v.leave()
	})
	lines := strings.Count(log.String(), "msg=rejected")
	assert.True(t, lines >= 3 && lines <= 5, "%s", log.String())
	assert.Contains(t, log.String(), "wrong_type at content in message.delta")
	assert.NotContains(t, log.String(), "w1.")
}

// Pages of the log are read for whoever asks, without touching what is shown, and upstream's refusals are coded.
func TestRowPage(t *testing.T) {
	s := chat(4, 2)
	bubble(t, s, len(s.frames), Options{}, func(t *testing.T, h *Hub, p *fake) {
		c := open(t, h).Conversation()
		before, after, limit := int64(9), int64(4), 3
		page, err := c.RowPage(t.Context(), nobody, &before, nil, &limit)
		assert.NoError(t, err)
		assert.Len(t, page.Rows, 1, "two of the three are a node's start and end")
		assert.True(t, page.HasEarlier)
		page, err = c.RowPage(t.Context(), nobody, nil, &after, nil)
		assert.NoError(t, err)
		assert.Len(t, page.Rows, 6)
		assert.Equal(t, []upstream.RowsQuery{{BeforeSeq: 9, Limit: 3}, {AfterSeq: 4, Limit: 200}}, p.queries[1:])
		p.set(func() { p.fail = always("rows", refused("rows", upstream.RateLimited)) })
		_, err = c.RowPage(t.Context(), nobody, nil, nil, nil)
		assert.Equal(t, coded.RateLimited, coded.CodeOf(err))
	})
	_, err := NewLive(conv).Conversation().RowPage(t.Context(), nobody, nil, nil, nil)
	assert.Equal(t, coded.UpstreamUnavailable, coded.CodeOf(err))
}
