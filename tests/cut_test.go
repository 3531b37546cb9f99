package tests

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/conversation"
	"inlaygraph/transport"
	up "inlaygraph/upstream"
	"inlaygraph/upstream/planfile"
	source "inlaygraph/upstream/platform"
	"inlaygraph/wire"
)

// everything is all that is read of a conversation.
const everything = `chat ` + chatFields + ` run ` + runFields + ` timeline ` + rowFields + ` nodes { path status visitCount content reasoning exitedVia }`

func everythingOf(id string) string {
	return fmt.Sprintf(`{ conversation(id: %q) { %s } }`, id, everything)
}

// show starts a server in front of a film that is cut.
func (c *cutting) show(t *testing.T) *server { return c.showWith(t, 0) }

// showWith is show, with a window of so many rows.
func (c *cutting) showWith(t *testing.T, rows int) *server {
	t.Helper()
	return c.showAs(t, rows, transport.Options{})
}

// showAs is showWith, with settings of the transport.
func (c *cutting) showAs(t *testing.T, rows int, settings transport.Options) *server {
	t.Helper()
	client, err := source.New(source.Options{BaseURL: "http://film", Transport: c})
	require.NoError(t, err)
	files, err := planfile.Load("../upstream/demo/plans")
	require.NoError(t, err)
	plans, err := up.NewPlans(nil, files)
	require.NoError(t, err)
	s := inside(t, conversation.Options{
		Source: client, Plans: plans, WindowRows: rows, MinBackoff: time.Microsecond, MaxBackoff: time.Millisecond,
		IdlePoll: time.Millisecond, LogPoll: time.Millisecond, HeadFresh: time.Nanosecond,
	}, settings)
	s.lossy = c.lossy
	return s
}

// watched is what followers of a film received, from where it began to its end.
type watched struct {
	everything string   // what a query reads at the end
	changes    []string // of rowChanges
	below      []string // of rowChanges below the path of a node
}

// watch follows a film to its end. path is that of a node.
func (c *cutting) watch(t *testing.T, path []string) (w watched) {
	t.Helper()
	s := c.show(t)
	socket := dial(t, s)
	below := fmt.Sprintf(`path: [%q], subtree: true`, path[0])
	whole, part := socket.subscribe(t, rowChanges().operation(c.id)), socket.subscribe(t, rowChangesAt(below).operation(c.id))
	status := socket.subscribe(t, chat(standing).operation(c.id))
	eventually(t, patience, func() string {
		if err := c.left(); err != nil {
			return err.Error()
		}
		if got := chat("").latest(t, status); got != c.rests() {
			return "its chat is " + got
		}
		return ""
	})
	w.everything = string(s.query(t, everythingOf(c.id)))
	w.changes = allChanges(t, whole, timeline("").read(t, s, c.id))
	w.below = allChanges(t, part, rowsAt(below).read(t, s, c.id))
	return w
}

// standing is what of a chat tells that a film is over.
const standing = `{ status capabilities { canSend } }`

// rests is the chat of a film that is over.
func (f *film) rests() string {
	status := strings.ToUpper(f.moments[len(f.moments)-1].head.Status.String())
	return fmt.Sprintf(`{"status":%q,"capabilities":{"canSend":%t}}`, status, status != "AWAITING_CLIENT_TOOL")
}

// allChanges waits until the rows are those of a query, and answers the messages up to there.
func allChanges(t *testing.T, s *stream, final string) (all []string) {
	t.Helper()
	var rows rowList
	eventually(t, patience, func() string {
		payloads, _, _ := s.look()
		for _, payload := range payloads[len(all):] {
			all = append(all, string(valueOf(t, "rowChanges", payload)))
			if _, err := rows.apply(all[len(all)-1]); err != nil {
				return err.Error()
			}
		}
		if !same(final, rows.String()) {
			return "the rows are " + rows.String()
		}
		return ""
	})
	return all
}

// history is every value that the rows had, frame by frame, as `query --recording` tells it.
func (f *film) history(t *testing.T) []string {
	t.Helper()
	var text []byte
	for _, frame := range f.frames {
		text = append(frame.AppendJSON(text), '\n')
	}
	path := filepath.Join(t.TempDir(), "film.ndjson")
	require.NoError(t, os.WriteFile(path, text, 0o600))
	r := run(t, nil, "query", "--recording", path, rowChanges().operation(f.id))
	require.Equal(t, 0, r.code, r.stderr)
	var changes []string
	for line := range strings.Lines(r.stdout) {
		changes = append(changes, string(valueOf(t, "rowChanges", []byte(line))))
	}
	values, err := Replay("", changes)
	require.NoError(t, err)
	return values
}

// cuts cuts a stream in every frame but the first, at the place that is chosen, unless there is none. After a cut in its
// middle a frame comes again; but when the frame ends a run there is no run any more to attach to, which is another test.
func (f *film) cuts(choose func(event string) (at int, whole bool)) (all []cut) {
	for _, frame := range f.frames[1:] {
		at, whole := choose(eventText(frame))
		if at >= 0 && (at == 0 || whole || !endsARun(frame)) {
			all = append(all, cut{int(frame.Offset), at})
		}
	}
	return all
}

func endsARun(f *wire.Frame) bool { return f.Type == wire.RunPause || f.Type == wire.RunEnd }

// places are where an event can be cut, and whether what is left of it is the whole frame.
var places = map[string]func(event string) (at int, whole bool){
	"before it":            func(string) (int, bool) { return 0, false },
	"in the id":            func(event string) (int, bool) { return strings.Index(event, "\n") - 1, false },
	"after the id":         func(event string) (int, bool) { return strings.Index(event, "\n") + 1, false },
	"in the type":          func(event string) (int, bool) { return strings.Index(event, "event: ") + 9, false },
	"before the data":      func(event string) (int, bool) { return strings.Index(event, "data: "), false },
	"in the data":          inTheData,
	"in a character":       inACharacter,
	"before the line ends": func(event string) (int, bool) { return len(event) - 2, false },
	"before the blank one": func(event string) (int, bool) { return len(event) - 1, true },
}

func inTheData(event string) (int, bool) {
	from := strings.Index(event, "data: ") + len("data: {")
	return from + rand.IntN(len(event)-len("}\n\n")-from), false
}

// inACharacter is a place within the bytes of one character, -1 where all have one byte.
func inACharacter(event string) (int, bool) {
	at := strings.IndexFunc(event, func(r rune) bool { return r >= utf8.RuneSelf })
	if at < 0 {
		return -1, false
	}
	return at + 1, false
}

// The upstream's stream is cut before every single frame of every recording, and in the middle of every one,
// in whatever place: what is read at the end is what an uncut stream gives, and whoever replays rowChanges had nothing
// but values that the rows had, in their order, without a reset. (docs/wire.md, "Reattaching")
func TestAStreamCutAnywhere(t *testing.T) {
	t.Parallel()
	for i, f := range films(t) {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			uncut := &cutting{film: f, reattaches: true}
			path := f.speaker()
			want := uncut.watch(t, path)
			history := f.history(t)
			require.NoError(t, Validate(observed(t, want.changes, history)))
			for _, name := range placesFor(i) {
				went := t.Run(name, func(t *testing.T) {
					c := &cutting{film: f, reattaches: true, cuts: f.cuts(places[name])}
					n := len(c.cuts)
					got := c.watch(t, path)
					sameText(t, want.everything, got.everything)
					assert.NoError(t, Validate(observed(t, got.changes, history)))
					o := observed(t, got.below, nil)
					o.Final = lastOf(observed(t, want.below, nil).Values)
					assert.NoError(t, Validate(o))
					assert.GreaterOrEqual(t, c.broken, n-f.moments[0].told, "every cut cut a stream, but those in what the log held at first")
				})
				if !went { // the others would take as long to fail
					return
				}
			}
		})
	}
}

// placesFor are the places at which the films are cut: all of them, or where time is short every film before every frame,
// in characters, and at one of the other places, in turn.
func placesFor(number int) []string {
	all := slices.Sorted(maps.Keys(places))
	if !raced && !testing.Short() {
		return all
	}
	some := []string{"before it", "in a character"}
	all = slices.DeleteFunc(all, func(name string) bool { return slices.Contains(some, name) })
	return append(some, all[number%len(all)])
}

// sameText tells where two long texts differ.
func sameText(t *testing.T, want, got string) {
	t.Helper()
	if want == got {
		return
	}
	n := 0
	for n < min(len(want), len(got)) && want[n] == got[n] {
		n++
	}
	from := max(0, n-200)
	t.Errorf("they differ after %d bytes:\nwant %s\ngot  %s", n, short(want[from:]), short(got[from:]))
}

// observed is what a follower of rows received, whose rows had the values of a history, if that is known.
func observed(t *testing.T, changes, history []string) Observation {
	t.Helper()
	values, err := Replay("", changes)
	require.NoError(t, err)
	o := Observation{Changes: changes, Values: values, History: history}
	if history != nil {
		o.Final = lastOf(history)
	}
	return o
}

// speaker is the path of the first node that says something.
func (f *film) speaker() []string {
	i := slices.IndexFunc(f.frames, func(f *wire.Frame) bool { return f.Type == wire.MessageDelta && f.NodeID != "" })
	return append(slices.Clone(f.frames[i].SubgraphPath), f.frames[i].NodeID)
}
