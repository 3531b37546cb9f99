package feed_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"inlaygraph/feed"
	"inlaygraph/projection"
	"inlaygraph/tests/gen"
	"inlaygraph/tests/model"
	"inlaygraph/wire"
)

// keysOf are the keys of a feed's cards by what they look like without their rows: kind and path.
func keysOf(f *feed.Feed) map[string][]string {
	keys := map[string][]string{}
	for _, card := range cards(f.Rows()) {
		who := card.Type() + " " + strings.Join(cardPath(card), "/")
		keys[who] = append(keys[who], card.Key())
	}
	return keys
}

func cardPath(card feed.Composite) []string {
	c := card.(interface {
		SubgraphPath() []string
		NodeID() *string
	})
	return append(slices.Clone(c.SubgraphPath()), *c.NodeID())
}

// Promise 6: what a card is named after.
func TestKeysName(t *testing.T) {
	shape := planned(t, family+"\n"+strings.ReplaceAll(strings.ReplaceAll(`
		node G subgraph
		node G/k llm
		node G/l llm
		node G/m llm
		node G/v ensemble
		region G/k > G/l > G/m`, "G", "h"), "\t", ""))
	key := func(words, card string) string {
		t.Helper()
		keys := keysOf(told(t, shape, words).feed())[card]
		require.Len(t, keys, 1, "one %s", card)
		return keys[0]
	}
	t.Run("a subagent after its path", func(t *testing.T) {
		g := key("g/n.a", "subagent g")
		require.Equal(t, g, key("user n.x start:g.y g/n.b n.z", "subagent g"), "wherever and whatever")
		require.NotEqual(t, g, key("start:h.y", "subagent h"))
	})
	t.Run("a repeat after its path and activation", func(t *testing.T) {
		v := key("v.a.1", "repeat v")
		require.Equal(t, v, key("user l.x v.a.3 v.a.1", "repeat v"))
		require.NotEqual(t, v, key("v.b.1", "repeat v"))
		require.NotEqual(t, v, key("h/v.a.1", "repeat h/v"))
	})
	t.Run("a fan-out after its region and the visit of its first item", func(t *testing.T) {
		k := key("l.a", "fan-out k")
		require.Equal(t, k, key("user k.x l.a r.y", "fan-out k"))
		require.NotEqual(t, k, key("l.b", "fan-out k"))
		require.NotEqual(t, k, key("r.a", "fan-out k"), "an activation is of its path")
		require.NotEqual(t, k, key("h/l.a", "fan-out h/k"))
		require.NotEqual(t, k, key("v.a.1", "fan-out k"))
	})
	t.Run("the same visit again, behind a boundary", func(t *testing.T) {
		s := told(t, shape, "l.a")
		first := keysOf(s.feed())["fan-out k"][0]
		s.tell("k.x l.a")
		keys := keysOf(s.feed())["fan-out k"]
		require.Len(t, keys, 2)
		require.Equal(t, first, keys[0])
		require.NotEqual(t, keys[0], keys[1])
	})
	t.Run("every card of another conversation has another", func(t *testing.T) {
		const words = "bare:n.x l.a g/n.b v.c.1 h/l.d h/v.e.1"
		mine, other := begin(t, shape), beginAs(t, "d", shape)
		mine.tell(words)
		other.tell(words)
		used := map[string]bool{}
		for _, s := range []*story{mine, other} {
			for _, e := range s.feed().Entries() {
				if r, isRow := e.Row.(projection.Row); isRow && r.Common().ID() != nil {
					continue // ids are the platform's
				}
				require.False(t, used[e.Key])
				used[e.Key] = true
			}
		}
		require.Len(t, used, 2*7, "six cards and a row without an id")
	})
}

// A row's entry is named after the id that it opened with, also when it has another one by now, and after nothing
// that changes when it had none.
func TestRowKeysStay(t *testing.T) {
	const flat = "node n llm\nnode m llm"
	t.Run("an id that comes late", func(t *testing.T) {
		s := told(t, planned(t, flat), "bare:n.x")
		require.Equal(t, "-", s.shown())
		key := s.feed().Entries()[0].Key
		require.NotEmpty(t, key)
		s.apply(&wire.Frame{Type: wire.MessageEnd, Body: wire.Body{Spine: spine(t, "n.x"), ID: "late", Content: "Hi", HasContent: true}})
		s.tell("m.y")
		require.Equal(t, "late m.y", s.shown())
		require.Equal(t, key, s.feed().Entries()[0].Key)
	})
	t.Run("an id that changes, and goes to another row", func(t *testing.T) {
		s := told(t, planned(t, flat), "call:n.x")
		row := wire.Body{Spine: spine(t, "n.x"), ID: "logged", Seq: 1, ToolCallID: "cn.x", ToolName: "ask", Input: "{}"}
		s.apply(&wire.Row{Type: wire.RowToolCall, Body: row})
		require.Equal(t, "logged", s.shown())
		require.Equal(t, "call:n.x", s.feed().Entries()[0].Key)
		s.apply(&wire.Frame{Type: wire.MessageEnd, Body: wire.Body{Spine: spine(t, "m.y"), ID: "call:n.x", Content: "Hi", HasContent: true}})
		entries := s.feed().Entries()
		require.Equal(t, "logged call:n.x", s.shown())
		require.Equal(t, "call:n.x", entries[0].Key)
		require.NotEqual(t, "call:n.x", entries[1].Key)
	})
	t.Run("an id that two rows opened with, and neither has", func(t *testing.T) {
		s := begin(t, planned(t, flat))
		for i, node := range []string{"n.x", "m.y"} {
			b := wire.Body{Spine: spine(t, node), ID: "same", ToolCallID: node, ToolName: "ask", Input: "{}"}
			s.apply(&wire.Frame{Type: wire.ToolCall, Body: b})
			b.ID, b.Seq = "logged "+node, int64(i+1)
			s.apply(&wire.Row{Type: wire.RowToolCall, Body: b})
		}
		require.Equal(t, "logged n.x logged m.y", s.shown())
		entries := s.feed().Entries()
		require.Equal(t, "same", entries[0].Key)
		require.NotEqual(t, "same", entries[1].Key)
	})
}

// Promise 6 through whole runs, and while earlier rows are loaded: each key that is promised to stay does, by the
// independent reading of who it is the key of; and no two entries share one.
func TestKeysAreKept(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		plan, recs := planAndRecords(t)
		index, err := wire.NewPlanIndex(plan)
		require.NoError(t, err)
		pin, modelPin := &feed.Pin{AgentID: plan.AgentID, AgentVersion: &plan.AgentVersion}, &model.Pin{AgentID: plan.AgentID, AgentVersion: &plan.AgentVersion}
		m, s := model.New(), projection.New("")
		var before *model.Feed
		var gotBefore object
		step := 1 + len(recs)/12
		for i, rec := range recs {
			m.Apply(rec)
			s.Apply(rec)
			if _, isPage := rec.(*wire.Page); !isPage && i%step > 0 && i < len(recs)-1 {
				continue
			}
			f := feed.Compose(s.Snapshot(), pin, feed.NewShape(index))
			used := map[string]bool{}
			for _, e := range f.Entries() {
				require.False(t, used[e.Key], "one key, one entry")
				used[e.Key] = true
			}
			after, gotAfter := m.Feed(plan, modelPin), object{"entries": keyEntries(f)}
			if before != nil {
				require.Empty(t, model.KeptKeys(before, gotBefore, after, gotAfter))
			}
			before, gotBefore = after, gotAfter
		}
	})
}

func keyEntries(f *feed.Feed) []object {
	entries := []object{}
	for _, e := range f.Entries() {
		entries = append(entries, object{"key": e.Key})
	}
	return entries
}

// planAndRecords is a plan and a run of it, live, or opened again with the pages before its window somewhere in what
// follows.
func planAndRecords(t *rapid.T) (*wire.Plan, []wire.Record) {
	plan, run := gen.Planned(t)
	if o, ok := run.Reopen(t); ok && rapid.IntRange(0, 2).Draw(t, "reopened") > 0 {
		recs := o.Records()
		at := 1 + len(o.Window)
		for _, page := range o.Pages {
			recs = slices.Insert(recs, at, wire.Record(page))
			at++
		}
		return plan, recs
	}
	return plan, run.Live()
}

// The same promise without the model: while a run goes on, a card that stands goes on standing under its key unless
// its first row was swept away; when earlier rows are loaded, that holds for each card that has no earlier part. Two
// things may happen to a fan-out all the same: it holds a subagent, which turns out to have begun earlier; or its
// source was silent, so that nothing parts it from an earlier firing, in whose card all of its rows then are.
func TestCardsGoOn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		plan, recs := planAndRecords(t)
		index, err := wire.NewPlanIndex(plan)
		require.NoError(t, err)
		shape := feed.NewShape(index)
		pin := &feed.Pin{AgentID: plan.AgentID, AgentVersion: &plan.AgentVersion}
		s := projection.New("")
		var before []feed.Composite
		step := 1 + len(recs)/20
		for i, rec := range recs {
			change := s.Apply(rec)
			_, isPage := rec.(*wire.Page)
			swept := slices.ContainsFunc(change.Rows, func(m projection.RowMove) bool { return m.Kind == projection.MoveRemove })
			if swept || change.MarksMended { // what a card began with is gone, or turned out to be something else
				before = nil
			}
			if !isPage && i%step > 0 && i < len(recs)-1 {
				continue
			}
			now := cards(feed.Compose(s.Snapshot(), pin, shape).Rows())
			for _, card := range before {
				if isPage && (card.(interface{ HasEarlier() bool }).HasEarlier() || holdsSubagent(card)) {
					continue
				}
				goesOn := func(o feed.Composite) bool {
					if _, isFan := card.(*feed.FanOutRow); isFan && isPage && o.Type() == card.Type() && slices.Equal(cardPath(o), cardPath(card)) && holdsAll(o, card) {
						return true
					}
					return o.Key() == card.Key() && o.Type() == card.Type()
				}
				require.True(t, slices.ContainsFunc(now, goesOn), "%s\n%s", card.Type(), dumpCard(card))
			}
			before = now
		}
	})
}

func holdsSubagent(card feed.Composite) bool {
	fan, isFan := card.(*feed.FanOutRow)
	return isFan && slices.ContainsFunc(cards(slices.Concat(fan.Tracks()...)), func(c feed.Composite) bool { return c.Type() == "subagent" })
}

// holdsAll tells whether a card holds all rows of another.
func holdsAll(card, other feed.Composite) bool {
	mine := leaves([]feed.Row{card})
	return !slices.ContainsFunc(leaves([]feed.Row{other}), func(r feed.Row) bool { return !slices.Contains(mine, r) })
}
