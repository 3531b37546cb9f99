package tests

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// streamOf is the request for a conversation's stream, and headOf that for its head.
func streamOf(id string) string { return headOf(id) + "/stream" }
func headOf(id string) string   { return "GET /v1/conversations/" + id }

// Whatever a stream that was cut is refused with when it is asked for again, in the middle of a run: while upstream refuses
// nobody hears anything wrong, and when it is good again everybody has everything, once. Where upstream has no streams to
// resume any more, the log has it.
func TestAStreamRefusedInMidRun(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		said   instead
		resets bool // it can't go on where it was
		once   bool // it is not asked for again: the rest comes from the log
	}{
		"204":                  {said: instead{status: 204}, resets: true},
		"400":                  {said: instead{status: 400}},
		"403":                  {said: instead{status: 403}, resets: true},
		"404":                  {said: instead{status: 404}, resets: true, once: true},
		"410":                  {said: instead{status: 410}, resets: true},
		"429":                  {said: instead{status: 429}},
		"429, after a second":  {said: instead{status: 429, header: http.Header{"Retry-After": {"1"}}}},
		"500":                  {said: instead{status: 500, body: secretly}},
		"502, of a proxy":      {said: instead{status: 502, body: "<html>Bad gateway</html>"}},
		"503, after a second":  {said: instead{status: 503, header: http.Header{"Retry-After": {"1"}}}},
		"504":                  {said: instead{status: 504}},
		"a page":               {said: instead{status: 200, body: "<html>Sign in</html>"}},
		"silence":              {said: instead{hangs: true}},
		"another place (307)":  {said: instead{status: 307, header: http.Header{"Location": {"/elsewhere"}}}},
		"a stream of nothing":  {said: instead{status: 200, header: http.Header{"Content-Type": {mediaEvents}}}},
		"a stream of nonsense": {said: instead{status: 200, body: "data: {\n\nid: x\ndata: []\n\n", header: http.Header{"Content-Type": {mediaEvents}}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, s := openTenancy(t, "--upstream-idle-seconds", "1", "--upstream-read-seconds", "2")
			s.lossy = tc.resets
			c := p.add("demo", "talk", "anonymous")
			c.say(starting...)
			c.say(saying("One"))
			w := watcher{changes: dial(t, s).subscribe(t, rowChanges().operation("talk"))}
			whole := dial(t, s).subscribe(t, timeline("").operation("talk"))
			w.shows(t, c)
			before := p.count(streamOf("talk"))
			p.do(streamOf("talk"), tc.said)
			p.http.CloseClientConnections()
			tally.cuts.Add(1)
			c.say(saying(" two"))
			eventually(t, patience, func() string {
				if n := p.count(streamOf("talk")) - before; n == 0 || n < 2 && !tc.once {
					return fmt.Sprintf("the stream was asked for %d times", n)
				}
				return ""
			})
			c.say(saying(" three"), banked, saying("Four"))
			p.answer(streamOf("talk"), 0, "")
			if !tc.once {
				w.shows(t, c)
			}
			c.say(saying(" five"), banked)
			c.say(stopping...)
			w.shows(t, c)
			eventually(t, patience, func() string {
				if a, b := rowChanges().latest(t, w.changes), timeline("").latest(t, whole); !same(a, b) {
					return "the timeline is " + b
				}
				return ""
			})
			changes := rowChanges().observe(t, w.changes).Changes
			assert.LessOrEqual(t, resets(t, changes), 3)
			if !tc.resets {
				assert.Equal(t, 1, resets(t, changes))
			}
			everyRowOnce(t, changes)
			assert.NotContains(t, s.stderr.String(), secretly)
		})
	}
}

// What ends subscriptions in the middle of a run: upstream lets the session, or anybody, no longer see the conversation.
func TestAConversationRefusedInMidRun(t *testing.T) {
	t.Parallel()
	for status, code := range map[int]string{401: "UNAUTHENTICATED", 403: "NOT_FOUND", 404: "NOT_FOUND", 410: "NOT_FOUND"} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			t.Parallel()
			p, s := openTenancy(t)
			c := p.add("demo", "talk", "anonymous")
			c.say(starting...)
			c.say(saying("One"))
			w := watcher{changes: dial(t, s).subscribe(t, rowChanges().operation("talk"))}
			w.shows(t, c)
			for _, request := range []string{headOf("talk"), streamOf("talk"), headOf("talk") + "/rows"} {
				p.answer(request, status, `{"error":{"code":"refused","message":"`+secretly+`"}}`)
			}
			p.http.CloseClientConnections()
			tally.cuts.Add(1)
			completed, _ := w.changes.end(t)
			assert.True(t, completed)
			payloads, _, _ := w.changes.look()
			last := string(payloads[len(payloads)-1])
			assert.Equal(t, []string{code}, codes(parse(t, last).Errors))
			assert.NotContains(t, last, secretly)
		})
	}
}

// A Retry-After is heeded: nobody asks before.
func TestRetryAfterIsHeeded(t *testing.T) {
	t.Parallel()
	p, s := openTenancy(t)
	c := p.add("demo", "talk", "anonymous")
	c.say(starting...)
	c.say(saying("One"))
	w := watcher{changes: dial(t, s).subscribe(t, rowChanges().operation("talk"))}
	w.shows(t, c)
	before := p.count(streamOf("talk"))
	p.do(streamOf("talk"), instead{status: 429, header: http.Header{"Retry-After": {"3"}}})
	p.http.CloseClientConnections()
	asked := func(n int) time.Time {
		eventually(t, patience, func() string {
			if got := p.count(streamOf("talk")) - before; got < n {
				return fmt.Sprintf("asked %d times", got)
			}
			return ""
		})
		return time.Now()
	}
	first := asked(1)
	assert.GreaterOrEqual(t, asked(2).Sub(first), 2900*time.Millisecond)
	p.answer(streamOf("talk"), 0, "")
	c.say(saying(" two"), banked)
	w.shows(t, c)
	c.say(stopping...)
	w.shows(t, c)
}

// An upstream that hangs in the middle of a stream, or at its beginning, counts as lost after a while, and nothing is lost.
func TestAnUpstreamThatHangs(t *testing.T) {
	t.Parallel()
	p := newPlatform(t)
	far := newCable(t, p.http.Listener.Addr().String())
	s := serve(t, "--upstream", "http://"+far.address(), "--insecure", "--idle-poll-seconds", "1", "--upstream-idle-seconds", "1")
	desk := p.add(t, "desk.ndjson", "")
	desk.tell(10)
	w := dial(t, s).subscribe(t, rowChanges().operation("desk"))
	w.message(t, 1)
	for range 3 {
		attached := desk.streams()
		far.unplug()
		desk.tell(5)
		desk.awaitStream(t, attached)
	}
	desk.tell(1)
	f := timeline("")
	history := desk.history(t, 26, "timeline", f.operation("desk"))
	eventually(t, patience, func() string {
		if last := rowChanges().latest(t, w); !same(lastOf(history), last) {
			return "the last message is " + last
		}
		return ""
	})
	o := rowChanges().observe(t, w)
	o.History, o.Final = history, f.read(t, s, "desk")
	require.NoError(t, Validate(o))
	assert.Equal(t, 3, far.unplugged)
}
