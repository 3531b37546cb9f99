package feed_test

// What is promised of the feed as a whole, in our own words, and the test that shows it (docs/feed.md). What is
// promised of single cards is listed in cards_test.go.
//
//   the log stays flat, whatever the feed makes of it ......................... TestTheTimelineStaysFlat
//   every row stands in a composed feed once .................................. TestNothingIsDropped
//   a fan-out reads as its source, with a list of each branch's text, tools and
//   outputs ................................................................... TestFanOutNamesItsSource, TestTracks
//   another card needs rows of another firing, not a branch node again ........ TestFirings
//   a subagent's list is composed in turn, with counts and a status ........... TestSubagents, TestSubagentCounts
//   it needs rows or a start or end to appear, and may be empty ............... TestSubagents
//   a repeat is one activation, its lists by stamp ............................ TestRepeats
//   a list of a repeat has a row at least, and earlier samples may come later . TestRepeatsGainEarlierSamples
//   done is no completion; total only of an ensemble .......................... TestRepeatCounts
//   lists of a fan-out are in the plan's order ................................ TestTracks
//   a plan with shapes does not mean that a run has cards ..................... TestShapesWithoutCards
//   regions are the plan's; without them nothing is worked out at run time .... TestMembership
//   a cycle behind the join does no harm to a region .......................... TestMembership/a_cycle_behind_the_join
//   cards have keys and no ids ................................................ TestCardsHaveAKeyAndNoID
//   missing evidence leaves rows flat ......................................... TestMissingEvidence
//   the guard: the same agent and version, above 0; else flat, inner rows too . TestModes
//   the guard ends grouping, not content ...................................... TestModes, TestNothingIsDropped
//   a pause for a client tool leaves two rows of one node with the call and its
//   result between ............................................................ TestAPauseSplitsATurn
//   a card whose beginning is in the window has no earlier part ............... TestHasEarlier, TestAStartLearnsItsVisit
//   a conversation that is opened again has the cards it had .................. TestReopened

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"inlaygraph/feed"
	"inlaygraph/projection"
	"inlaygraph/tests/gen"
	"inlaygraph/wire"
)

func TestTheTimelineStaysFlat(t *testing.T) {
	const words = "user k.a l.b g/n.c r.d v.e.1 l.b m.f"
	s := told(t, planned(t, family), words)
	require.Equal(t, "user k.a k[l.b g{g/n.c} l.b' | r.d v(1: v.e.1)] m.f", s.shown())
	var ids []string
	for _, r := range s.state.Snapshot().Timeline() {
		ids = append(ids, *r.Common().ID())
	}
	require.Equal(t, []string{"user", "k.a", "l.b", "g/n.c", "r.d", "v.e.1", "l.b'", "m.f"}, ids)
}

// Promise 1, in every mode: the rows of a feed are the timeline's, each once; without a pin those of the top level.
func TestNothingIsDropped(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		plan, recs := gen.ChaosWithPlan(t)
		if rapid.Bool().Draw(t, "well formed") {
			p, run := gen.Planned(t)
			plan, recs = p, run.Live()
		}
		index, err := wire.NewPlanIndex(plan)
		require.NoError(t, err)
		s := projection.New("")
		for _, rec := range recs {
			s.Apply(rec)
		}
		snap := s.Snapshot()
		pin := &feed.Pin{AgentID: plan.AgentID, AgentVersion: &plan.AgentVersion}
		var timeline, top []feed.Row
		for _, r := range snap.Timeline() {
			timeline = append(timeline, r.(feed.Row))
		}
		for _, r := range snap.TopLevel() {
			top = append(top, r.(feed.Row))
		}
		composed := feed.Compose(snap, pin, feed.NewShape(index))
		require.ElementsMatch(t, timeline, leaves(composed.Rows()))
		require.Equal(t, timeline, leaves(feed.Compose(snap, pin, nil).Rows()), "guarded: in order")
		require.Equal(t, top, leaves(feed.Compose(snap, nil, nil).Rows()), "unpinned: in order")
		requireSameLists(t, composed)
	})
}

// requireSameLists holds the entries against the lists: a row or card stands in both, at the same place.
func requireSameLists(t require.TestingT, f *feed.Feed) {
	entries := f.Entries()
	var walk func(rows []feed.Row, parent *string, track int)
	walk = func(rows []feed.Row, parent *string, track int) {
		for i, r := range rows {
			e := entries[0]
			entries = entries[1:]
			require.Same(t, r, e.Row)
			require.Equal(t, i, e.Index)
			require.Equal(t, parent, e.Parent)
			card, isCard := r.(feed.Composite)
			require.Equal(t, track >= 0, e.Track != nil)
			if track >= 0 {
				require.Equal(t, track, *e.Track)
			}
			if !isCard {
				continue
			}
			require.Equal(t, card.Key(), e.Key)
			_, inOne := card.(*feed.SubagentRow)
			for n, list := range lists(card) {
				if inOne {
					n = -1
				}
				walk(list, &e.Key, n)
			}
		}
	}
	walk(f.Rows(), nil, -1)
	require.Empty(t, entries)
}

func TestRepeatsGainEarlierSamples(t *testing.T) {
	s := told(t, planned(t, repeating), "v.x.3")
	key := cards(s.feed().Rows())[0].Key()
	require.Equal(t, "v(3: v.x.3)", s.shown())
	s.tell("v.x.1")
	require.Equal(t, "v(1: v.x.1 3: v.x.3)", s.shown())
	require.Equal(t, key, cards(s.feed().Rows())[0].Key(), "the same card")
}

func TestShapesWithoutCards(t *testing.T) {
	checkScenes(t, family, []scene{
		{"nothing of the region ran", "user k.a n.b m.c", "user k.a n.b m.c"},
		{"nothing ran at all", "user", "user"},
		{"not even that", "", ""},
	})
}

// docs/feed.md, "Modes".
func TestModes(t *testing.T) {
	shape := planned(t, family)
	s := told(t, shape, "user k.a l.b g/n.c m.d")
	const flat = "user k.a l.b g/n.c m.d"
	two := planned(t, family)
	other := plan(t, family)
	other.AgentVersion = 2
	index, err := wire.NewPlanIndex(other)
	require.NoError(t, err)
	otherVersion := feed.NewShape(index)
	versions := func(v int) *int { return &v }
	for _, c := range []struct {
		name   string
		pin    *feed.Pin
		shape  *feed.Shape
		mode   feed.Mode
		reason string
		want   string
	}{
		{"the version that ran", pin(1), shape, feed.Composed, "", "user k.a k[l.b g{g/n.c} | ] m.d"},
		{"the same plan, loaded again", pin(1), two, feed.Composed, "", "user k.a k[l.b g{g/n.c} | ] m.d"},
		{"another version", pin(2), otherVersion, feed.FlatGuarded, "the conversation ran version 1", flat},
		{"a foreign agent with the same version number", &feed.Pin{AgentID: "b", AgentVersion: versions(1)}, shape, feed.FlatGuarded, "the conversation is another agent's", flat},
		{"a draft", pin(0), shape, feed.FlatGuarded, "the pin is to a draft", flat},
		{"a version below 0", pin(-1), shape, feed.FlatGuarded, "the pin is to a draft", flat},
		{"no expected version", &feed.Pin{AgentID: "a"}, shape, feed.FlatGuarded, "the pin names no agent version", flat},
		{"an unknown plan", pin(1), nil, feed.FlatGuarded, "the plan of this version is not known", flat},
		{"another version's plan", pin(1), otherVersion, feed.FlatGuarded, "the plan of this version is not known", flat},
		{"no pin", nil, shape, feed.FlatUnpinned, "", "user k.a l.b m.d"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := feed.Compose(s.state.Snapshot(), c.pin, c.shape)
			require.Equal(t, c.mode, f.Mode)
			require.Equal(t, c.want, shown(f.Rows()))
			requireSameLists(t, f)
			if c.reason == "" {
				require.Nil(t, f.Reason)
			} else {
				require.Equal(t, c.reason, *f.Reason)
			}
			for _, e := range f.Entries() {
				if c.mode != feed.Composed {
					require.Nil(t, e.Parent)
				}
			}
		})
	}
	t.Run("identity not yet known", func(t *testing.T) {
		state := projection.New("c")
		state.Apply(&wire.Frame{Type: wire.UserMessage, Body: wire.Body{ID: "u", Content: "Hi", HasContent: true}})
		f := feed.Compose(state.Snapshot(), pin(1), shape)
		require.Equal(t, feed.FlatGuarded, f.Mode)
		require.Equal(t, "the conversation's agent is not known yet", *f.Reason)
		require.Equal(t, "u", shown(f.Rows()))
	})
	t.Run("a draft that ran", func(t *testing.T) {
		state := projection.New("")
		state.Apply(&wire.Frame{Type: wire.RunStart, Body: wire.Body{RunID: "r", ConversationID: "c", AgentID: "a"}})
		draft := plan(t, family)
		draft.AgentVersion = 0
		index, err := wire.NewPlanIndex(draft)
		require.NoError(t, err)
		f := feed.Compose(state.Snapshot(), pin(0), feed.NewShape(index))
		require.Equal(t, feed.FlatGuarded, f.Mode)
	})
}

// Each mode says alike whether earlier rows exist.
func TestFeedHasEarlier(t *testing.T) {
	shape := planned(t, family)
	s := told(t, shape, "earlier k.a")
	for _, f := range []*feed.Feed{s.feed(), feed.Compose(s.state.Snapshot(), pin(2), shape), feed.Compose(s.state.Snapshot(), nil, nil)} {
		require.True(t, f.HasEarlier)
	}
	s.tell("whole")
	require.False(t, s.feed().HasEarlier)
	require.True(t, s.moved, "though no row did")
}

func TestHasEarlier(t *testing.T) {
	checkScenes(t, family, []scene{
		{"nothing is earlier", "g/n.a l.b v.c.1", "k[g{g/n.a} l.b | v(1: v.c.1)]"},
		{"no start is in the window", "earlier g/n.a l.b v.c.1", "k[g{g/n.a}* l.b | v(1: v.c.1)*]*"},
		{"a start of the subgraph, at any place", "earlier g/n.a start:g.x", "k[g{g/n.a} | ]*"},
		{"a start below it is none of its own", "earlier start:g/n.a g/n.a", "k[g{g/n.a}* | ]*"},
		{"an end is no start", "earlier end:g.x", "k[g{}* | ]*"},
		{"a start of the repeat's own activation", "earlier v.c.1 start:v.d v.d.1", "k[ | v(1: v.c.1)* v(1: v.d.1)]*"},
		{"and one that comes late", "earlier v.c.1 start:v.c", "k[ | v(1: v.c.1)]*"},
		{"a start of the source before the first item", "earlier start:k.a l.b", "k[l.b | ]"},
		{"a row of the source before the first item", "earlier k l.b", "k k[l.b | ]"},
		{"a start of the source behind it", "earlier l.b start:k.a r.c", "k[l.b | r.c]*"},
		{"a later firing whose source was silent", "earlier k.a l.b m.c l.d", "k.a k[l.b | ] m.c k[l.d | ]"},
		{"the whole is there by now", "earlier l.b whole", "k[l.b | ]"},
	})
}

// A start whose visit is told only later counts from then on.
func TestAStartLearnsItsVisit(t *testing.T) {
	s := told(t, planned(t, family), "earlier")
	for _, activation := range []string{"", "c"} {
		start := wire.Body{Spine: wire.Spine{NodeID: "v", Activation: activation}, Kind: "ensemble", Seq: 7}
		s.apply(&wire.Row{Type: wire.RowNodeStart, Body: start})
		if activation == "" {
			s.tell("v.c.1")
			require.Equal(t, "k[ | v(1: v.c.1)*]*", s.shown())
		}
	}
	require.Equal(t, "k[ | v(1: v.c.1)]*", s.shown())
	require.True(t, s.moved)
}

func TestAPauseSplitsATurn(t *testing.T) {
	s := told(t, planned(t, family), "user k.a start:l.b text:l.b call:l.b pause resume start:l.b result:l.b l.b")
	require.Equal(t, "user k.a k[text:l.b call:l.b result:l.b l.b | ]", s.shown())
	for _, r := range leaves(s.feed().Rows())[2:] {
		sp := r.(projection.Row).Common()
		require.Equal(t, "l", *sp.NodeID(), "all of one node")
		require.Equal(t, "b", *sp.Activation(), "and one visit: nothing closes a card in between")
	}
}

// Promise 4 in another light: a run that is read from the log has the cards that it had live, but for what the log does
// not carry. Rows of parallel nodes may stand in another order there, so that firings are left out here: the
// generated plans keep to subagents and repeats.
func TestReopened(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		plan, run := gen.Planned(t)
		plan.Regions = nil
		index, err := wire.NewPlanIndex(plan)
		require.NoError(t, err)
		shape := feed.NewShape(index)
		pin := &feed.Pin{AgentID: plan.AgentID, AgentVersion: &plan.AgentVersion}
		composed := func(recs []wire.Record) map[string][]string {
			s := projection.New("")
			for _, rec := range recs {
				s.Apply(rec)
			}
			held := map[string][]string{}
			for _, card := range cards(feed.Compose(s.Snapshot(), pin, shape).Rows()) {
				var ids []string
				for _, r := range leaves([]feed.Row{card}) {
					if id := r.(projection.Row).Common().ID(); id != nil {
						ids = append(ids, *id)
					}
				}
				slices.Sort(ids)
				held[card.Key()] = ids
			}
			return held
		}
		live := composed(run.Live())
		require.Equal(t, live, composed(run.Logged()))
		if o, ok := run.Reopen(t); ok {
			require.Equal(t, live, composed(o.Whole().Records()))
		}
	})
}
