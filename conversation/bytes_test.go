package conversation

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/coded"
	"inlaygraph/projection"
	"inlaygraph/wire"
)

// Promise 25: a window that is full of bytes loses its oldest rows as one that is full of rows does, live and from the log;
// every copy is the timeline throughout, and the log is read no further than there is room.
func TestWindowIsBoundedInBytes(t *testing.T) {
	const bound = 40 << 10
	s := chat(150, 2)
	turn := framesOf(2)
	opts := Options{Limits: projection.Limits{WindowBytes: bound}, WindowRows: 10}
	bubble(t, s, 100*turn, opts, func(t *testing.T, h *Hub, p *fake) {
		v := watchAs(t, openAs(t, h, user("ann", 0)))
		for n := p.at(); n < len(s.frames); n++ {
			tell(p, n+1)
			require.LessOrEqual(t, v.live.held().WindowBytes, int64(bound))
		}
		assert.Greater(t, rowCount(v.live), 20)
		assert.True(t, v.live.Conversation().Snapshot().HasEarlier())
		rows := jsonRows(v.live.Conversation().Timeline())
		assert.Equal(t, withoutPlace(lastOf(t, p, len(rows))), withoutPlace(rows))
		assert.Equal(t, 1, v.copy.resets)

		for { // what is free is filled, and no more
			_, err := h.LoadEarlier(t.Context(), user("ann", 0), conv, 3)
			if err != nil {
				assert.Equal(t, coded.Conflict, coded.CodeOf(err))
				break
			}
			if v.live.held().WindowBytes > bound-4000 {
				break
			}
		}
		require.LessOrEqual(t, v.live.held().WindowBytes, int64(bound))

		p.befores()
		lost(p, int64(len(s.frames))+5) // the window is loaded again
		time.Sleep(time.Minute)
		require.LessOrEqual(t, v.live.held().WindowBytes, int64(bound))
		v.leave()
		assert.Equal(t, rowsOf(v.live, everything), v.copy.rows)
	})
}

// A row that takes no more text is counted by its reason, and the conversation goes on.
func TestRowThatIsFull(t *testing.T) {
	c := tale(conv)
	c.starts("r")
	for range 100 {
		c.frame(wire.MessageDelta, wire.Body{ID: "m", Content: strings.Repeat("x", 100)})
	}
	c.pauses(wire.Paused)
	s := c.told()
	bubble(t, s, 1, Options{Limits: projection.Limits{RowBytes: 5000}}, func(t *testing.T, h *Hub, p *fake) {
		v := watchAs(t, openAs(t, h, user("ann", 0)))
		tell(p, len(s.frames))
		turn := v.live.Conversation().Timeline()[0].(*projection.AssistantRow)
		assert.Len(t, turn.Content, 5000)
		assert.True(t, turn.Complete)
		assert.EqualValues(t, 50, h.Stats().Rejected[projection.ReasonRowFull])
		assert.Equal(t, projection.ChatPaused, v.live.Conversation().Snapshot().Status())
		v.leave()
		assert.Equal(t, rowsOf(v.live, everything), v.copy.rows)
	})
}
