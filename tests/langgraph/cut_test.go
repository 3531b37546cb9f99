//go:build langgraph

package langgraph

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The connection to the LangGraph server is cut again and again while a run streams: nothing is lost, nothing comes
// twice, and no reader of ours sees a word go.
func TestTheConnectionIsCut(t *testing.T) {
	t.Parallel()
	p := newProxy(t)
	every := 9000 // bytes of a stream; an event has about 1000
	u := user{server: frontOf(t, p.url, "--insecure")}
	for _, agent := range []string{"fanout", "slow", "nested", "spread"} {
		p.set(func() { p.cutAt = nil }) // whether a request that was cut off came through, nobody can know
		id := u.send(t, agent, "hello", "")
		p.set(func() { p.cutAt = func(down int) bool { return down > every } })
		following := u.subscribe(t, fmt.Sprintf("subscription { timeline(conversationId: %q) { %s } }", id, rowFields))
		c := u.settle(t, id)
		if want, ok := stories[agent]; ok {
			want.check(t, c, agent)
		} else {
			assert.Equal(t, []string{counted("word", 120)}, c.rows()["talk"])
		}
		last := map[string]string{}
		for _, m := range following.end() {
			require.Empty(t, m.Errors)
			var data struct{ Timeline []row }
			require.NoError(t, json.Unmarshal(m.Data, &data))
			now := map[string]string{}
			for _, r := range data.Timeline {
				now[*r.ID] = r.Content
			}
			for id, content := range last {
				require.True(t, strings.HasPrefix(now[id], content), "%s: %q became %q", agent, content, now[id])
			}
			last = now
		}
	}
	p.set(func() { assert.Greater(t, p.cuts, 10) })
}

// The LangGraph server is out of reach for some seconds, longer than a stream waits by itself.
func TestTheServerIsOutOfReach(t *testing.T) {
	t.Parallel()
	p := newProxy(t)
	u := user{server: frontOf(t, p.url, "--insecure")}
	id := u.send(t, "slow", "hello", "")
	following := u.subscribe(t, fmt.Sprintf("subscription { timeline(conversationId: %q) { %s } }", id, rowFields))
	eventually(t, func() string {
		if messages := following.said(); len(messages) == 0 || !strings.Contains(string(messages[len(messages)-1].Data), "word5") {
			return "it does not speak"
		}
		return ""
	})
	p.set(func() { p.away = true })
	p.cut()
	assert.Equal(t, "UPSTREAM_UNAVAILABLE", u.refused(t, sending("chat", "hello", "")), "nobody answers")
	time.Sleep(5 * time.Second)
	p.set(func() { p.away = false })
	c := u.settle(t, id)
	assert.Equal(t, "PAUSED", c.Chat.Status)
	assert.Equal(t, map[string][]string{"": {"user: hello"}, "talk": {counted("word", 120)}}, c.rows())
	assert.Equal(t, map[string]string{"wait": "COMPLETED", "talk": "COMPLETED 2+120"}, c.nodes())
	eventually(t, func() string {
		messages := following.said()
		if last := string(messages[len(messages)-1].Data); !strings.Contains(last, "word119") || !strings.Contains(last, `"complete":true`) {
			return last
		}
		return ""
	})
	for _, m := range following.end() {
		assert.Empty(t, m.Errors, "the subscription stayed")
	}
}
