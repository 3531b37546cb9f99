package tests

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/tests/model"
	"inlaygraph/wire"
)

// upstream starts a platform with conversations of testdata, and a server in front of it.
func upstream(t *testing.T, args ...string) (*platform, *server) {
	t.Helper()
	p := newPlatform(t)
	return p, serve(t, append([]string{"--upstream", p.http.URL, "--insecure", "--idle-poll-seconds", "1"}, args...)...)
}

// deskSubscriptions are all subscriptions of the schema, on the conversation desk.
var deskSubscriptions = []following{
	chat(chatFields), chat(`{ status }`), chat(`{ bindings ` + bindingFields + ` }`),
	transcript(""), timeline(""), timeline("minIntervalMs: 150"),
	rowsAt(`path: ["left"]`), rowsAt(`path: ["right"]`), rowsAt(`path: ["sub"], subtree: true`), rowsAt(`path: [], subtree: true`), rowsAt(`path: ["nowhere"]`),
	rowChanges(), rowChangesAt(`path: ["left"]`), rowChangesAt(`path: ["sub"], subtree: true`),
	runOf(), toolCall("call1"), toolCall("call2"), toolCall("nothing"), pendingTools(),
	binding("note"), binding("score"), table("scores"),
}

// Every promise, for every subscription of the schema, in front of a platform that the test plays: what a subscriber
// receives is held against all values that its slice had, as `query` tells them.
func TestEverySubscriptionKeepsThePromises(t *testing.T) {
	t.Parallel()
	p, s := upstream(t)
	desk, trip := p.add(t, "desk.ndjson", ""), p.add(t, "trip.ndjson", "")
	desk.tell(8)
	trip.tell(20)

	c := dial(t, s)
	status := c.subscribe(t, chat(`{ status }`).operation("desk"))
	other := c.subscribe(t, timeline("").operation("trip"))
	var before []string
	var streams []*stream
	for _, f := range deskSubscriptions {
		before = append(before, f.read(t, s, "desk"))
		streams = append(streams, c.subscribe(t, f.operation("desk")))
	}
	for _, m := range streams {
		m.message(t, 1) // at once: nothing is told meanwhile
	}
	for desk.left() > 0 {
		last := desk.frames[desk.tell(1)-1]
		trip.tell(1)
		time.Sleep(4 * time.Millisecond)
		if last.Type == wire.RunPause { // the next run begins when this one is seen to be over
			want := map[wire.Status]string{wire.Paused: "PAUSED", wire.AwaitingClientTool: "AWAITING_CLIENT_TOOL"}[last.Status]
			status.until(t, "chat", "the end of the run", func(v json.RawMessage) bool { return string(v) == fmt.Sprintf(`{"status":%q}`, want) })
			if desk.left() > 0 {
				attached := desk.streams()
				desk.tell(1)
				desk.awaitStream(t, attached)
			}
		}
	}
	other.wait(t, "the other conversation", func(all []json.RawMessage) bool { return len(all) > 1 })

	for i, f := range deskSubscriptions {
		t.Run(f.name(), func(t *testing.T) {
			final := f.read(t, s, "desk")
			eventually(t, patience, func() string { // the last message may be under way
				if last := f.latest(t, streams[i]); !same(last, final) {
					return "the last message is " + last
				}
				return ""
			})
			o := f.observe(t, streams[i])
			o.Before, o.Final = before[i], final
			o.History = desk.history(t, len(desk.frames), f.sliceField(), f.slice().operation("desk"))
			o.Foreign = []string{"trip", "travel-desk", "Lisbon"}
			assert.NoError(t, Validate(o))
		})
	}
}

// slice is the subscription to the values of which a rowChanges tells the changes; any other is its own.
func (f following) slice() following {
	if f.field == "rowChanges" {
		f.field, f.selection = f.path[0], rowFields
	}
	return f
}

func (f following) sliceField() string { return f.slice().field }

// Promises 3 and 6, frame by frame: after every message a client that replays rowChanges has the timeline, as the naive
// reading of docs/fold.md has it, offsets in UTF-16 units included.
func TestReplayedRowChangesAreTheTimeline(t *testing.T) {
	t.Parallel()
	p, s := upstream(t)
	desk := p.add(t, "desk.ndjson", "")
	desk.tell(1)
	c := dial(t, s)
	changes, whole := c.subscribe(t, rowChanges().operation("desk")), c.subscribe(t, timeline("").operation("desk"))
	var seen []string
	for told := 1; ; told = desk.tell(1) {
		want := model.Fold(desk.records(told)).Timeline
		for name, rows := range map[string]func() string{
			"rowChanges": func() string { return rowChanges().latest(t, changes) },
			"timeline":   func() string { return timeline("").latest(t, whole) },
			"query":      func() string { return timeline("").read(t, s, "desk") },
		} {
			eventually(t, patience, func() string {
				if diff := model.Diff(want, withoutTypename(t, rows())); diff != "" {
					return fmt.Sprintf("%s after frame %d: %s", name, told, diff)
				}
				return ""
			})
		}
		seen = append(seen, timeline("").read(t, s, "desk"))
		if desk.left() == 0 {
			break
		}
	}
	o := rowChanges().observe(t, changes)
	o.History, o.Final = seen, lastOf(seen)
	require.NoError(t, Validate(o))
	appended := 0
	for _, change := range o.Changes {
		var m struct{ Ops []operation }
		require.NoError(t, decode(change, &m))
		for _, op := range m.Ops {
			if op.Kind == "RowTextAppended" {
				appended++
			}
		}
	}
	assert.GreaterOrEqual(t, appended, 15, "most of the text comes as what is new of it")
}

func lastOf(values []string) string {
	if len(values) == 0 {
		return "[]"
	}
	return values[len(values)-1]
}

// withoutTypename is a list of rows without the member that a client asks for to tell them apart.
func withoutTypename(t *testing.T, text string) any {
	t.Helper()
	rows, err := parseRows(text)
	require.NoError(t, err)
	for _, row := range rows {
		delete(row, "__typename")
	}
	return rows
}
