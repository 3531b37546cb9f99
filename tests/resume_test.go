package tests

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/tests/model"
)

// after is a subscription to rowChanges that goes on from a cursor.
func (f following) after(cursor string) following {
	f.arguments += fmt.Sprintf(" after: %q", cursor)
	return f
}

// cursorOf is the cursor of a rowChanges message.
func cursorOf(t *testing.T, change string) string {
	t.Helper()
	var cursor string
	require.NoError(t, json.Unmarshal(at(t, json.RawMessage(change), "cursor"), &cursor))
	require.NotEmpty(t, cursor)
	return cursor
}

// resumed is what a client receives that has kept some rows at a cursor.
func resumed(t *testing.T, s *stream, kept string) Observation {
	t.Helper()
	o := Observation{Kept: kept}
	for _, value := range s.values(t, "rowChanges") {
		o.Changes = append(o.Changes, string(value))
	}
	var err error
	o.Values, err = Replay(kept, o.Changes)
	require.NoError(t, err)
	return o
}

// isReset tells whether a rowChanges message is one RowsReset.
func isReset(t *testing.T, change string) bool {
	t.Helper()
	var rows rowList
	reset, err := rows.apply(change)
	require.NoError(t, err, "%s", change)
	return reset
}

// Promise 5: a client that loses its connection again and again goes on exactly where it was, while frames are told
// that it does not hear of and the upstream's stream is cut besides.
func TestRowChangesGoOnAfterACursor(t *testing.T) {
	t.Parallel()
	p, s := upstream(t)
	desk := p.add(t, "desk.ndjson", "")
	told := desk.tell(12)
	const firstRun = 46
	history := desk.history(t, firstRun, "timeline", timeline("").operation("desk"))

	kept, f := "", rowChanges()
	for {
		c := dial(t, s)
		changes := c.subscribe(t, f.operation("desk"))
		changes.message(t, 1)
		told = desk.tell(min(3, firstRun-told))
		want := model.Fold(desk.records(told)).Timeline
		eventually(t, patience, func() string {
			return model.Diff(want, withoutTypename(t, lastOf(resumed(t, changes, kept).Values)))
		})
		o := resumed(t, changes, kept)
		o.History, o.Final = history, timeline("").read(t, s, "desk")
		require.NoError(t, Validate(o))
		if told == firstRun {
			break
		}
		c.close()
		kept, f = lastOf(o.Values), rowChanges().after(cursorOf(t, lastOf(o.Changes)))
		desk.drop()
		told = desk.tell(min(2, firstRun-told))
	}
	assert.Greater(t, desk.streams(), 3, "the server attached again after every cut")
}

// Promise 5: a cursor that is not good here begins with one reset, however it went bad.
func TestABadCursorResets(t *testing.T) {
	t.Parallel()
	p, s := upstream(t)
	desk := p.add(t, "desk.ndjson", "")
	p.add(t, "desk.ndjson", "twin").tell(30)
	desk.tell(30)
	cursors := map[string]string{"nonsense": "nonsense", "empty": "", "not base64": "%%%", "very long": strings.Repeat("A", 5000)}
	c := dial(t, s)
	for name, from := range map[string]struct {
		f            following
		conversation string
	}{
		"another path": {rowChangesAt(`path: ["left"]`), "desk"}, "another conversation": {rowChanges(), "twin"},
	} {
		first := string(valueOf(t, "rowChanges", c.subscribe(t, from.f.operation(from.conversation)).message(t, 1)))
		cursors[name] = cursorOf(t, first)
	}
	// A good one, to show that the ones above are not refused for the way that they are given.
	good := c.subscribe(t, rowChanges().operation("desk"))
	kept := lastOf(rowChanges().observe(t, wait(t, good)).Values)
	again := c.subscribe(t, rowChanges().after(cursorOf(t, string(valueOf(t, "rowChanges", good.message(t, 1))))).operation("desk"))
	again.message(t, 1)
	assert.NoError(t, Validate(resumed(t, again, kept)))

	for name, cursor := range cursors {
		t.Run(name, func(t *testing.T) {
			changes := c.subscribe(t, rowChanges().after(cursor).operation("desk"))
			first := string(valueOf(t, "rowChanges", changes.message(t, 1)))
			assert.True(t, isReset(t, first), "%s", first)
			o := rowChanges().observe(t, changes)
			o.Final = timeline("").read(t, s, "desk")
			assert.NoError(t, Validate(o))
		})
	}
}

// wait waits for a stream's first message.
func wait(t *testing.T, s *stream) *stream {
	t.Helper()
	s.message(t, 1)
	return s
}

// Promise 5: after a restart of the server no cursor is known any more.
func TestARestartResets(t *testing.T) {
	t.Parallel()
	p, s := upstream(t)
	p.add(t, "desk.ndjson", "").tell(30)
	first := string(valueOf(t, "rowChanges", dial(t, s).subscribe(t, rowChanges().operation("desk")).message(t, 1)))
	require.Equal(t, 0, s.stop(t))

	s = serve(t, "--upstream", p.http.URL, "--insecure")
	changes := dial(t, s).subscribe(t, rowChanges().after(cursorOf(t, first)).operation("desk"))
	assert.True(t, isReset(t, string(valueOf(t, "rowChanges", changes.message(t, 1)))))
	o := rowChanges().observe(t, changes)
	o.Final = timeline("").read(t, s, "desk")
	assert.NoError(t, Validate(o))
}

// The upstream's stream is cut after every single frame: nothing is lost, doubled or out of order, and no subscriber
// hears of it.
func TestAStreamCutAtEveryFrame(t *testing.T) {
	t.Parallel()
	p, s := upstream(t)
	desk := p.add(t, "desk.ndjson", "")
	desk.tell(1)
	c := dial(t, s)
	changes, whole := c.subscribe(t, rowChanges().operation("desk")), c.subscribe(t, timeline("").operation("desk"))
	changes.message(t, 1)
	whole.message(t, 1)
	const firstRun = 46
	for told := 2; told < firstRun; told++ {
		desk.awaitStream(t, told-2)
		desk.tell(1)
		want := model.Fold(desk.records(told)).Timeline
		eventually(t, patience, func() string { return model.Diff(want, withoutTypename(t, timeline("").latest(t, whole))) })
		desk.drop()
	}
	for _, m := range []*stream{changes, whole} {
		f := timeline("")
		if m == changes {
			f = rowChanges()
		}
		final := f.read(t, s, "desk")
		eventually(t, patience, func() string {
			if last := f.latest(t, m); !same(last, final) {
				return "the last message is " + last
			}
			return ""
		})
		o := f.observe(t, m)
		o.History, o.Final = desk.history(t, firstRun-1, "timeline", timeline("").operation("desk")), final
		assert.NoError(t, Validate(o), f.name())
	}
	assert.GreaterOrEqual(t, desk.streams(), firstRun-2)
}
