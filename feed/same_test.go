package feed_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlaygraph/feed"
	"inlaygraph/projection"
	"inlaygraph/wire"
)

// Promise 5, case by case: which cards a word makes anew. All others are the same objects as before, in the whole feed.
// That a card which says the same is the same object is also held on generated conversations (oracle_test.go).
func TestOnlyCardsOnThePathAreMadeAnew(t *testing.T) {
	shape := planned(t, `
		node n llm
		node k llm
		node l llm
		node m llm
		node v ensemble samples=4
		node e for_each_llm
		node g subgraph
		node g/n llm
		node g/h subgraph
		node g/h/n llm
		node g/s llm
		node g/a llm
		node g/b ensemble
		node g/j llm
		node f subgraph
		node f/n llm
		region k > l g | v > m
		region g/s > g/a | g/b > g/j`)
	// Two firings; the subagent g, in the first one, holds a subagent and a firing of its own; f and e stand outside.
	const before = `
		start:k.1 k.1 start:l.2 text:l.2 start:g.3 start:g/h.4 text:g/h/n.5 g/s.6 text:g/a.7 g/b.8.1 v.9.1 m.10
		k.11 text:l.12 v.13.2 f/n.14 text:f/n.15 e.16.1 text:e.16.2 text:n.17`
	for _, c := range []struct{ name, word, anew string }{
		{"a token in the open firing", "text:l.12", "k#2"},
		{"a token in an earlier firing", "text:l.2", "k#1"},
		{"a token in a subagent in a branch", "text:g/h/n.5", "k#1 g g/h"},
		{"a token in a firing in a subagent in a branch", "text:g/a.7", "k#1 g g/s"},
		{"a token in a subagent beside the cards", "text:f/n.15", "f"},
		{"a token of an item", "text:e.16.2", "e"},
		{"a token beside all cards", "text:n.17", ""},
		{"a new row in the open firing", "l.20", "k#2"},
		{"a new row in a subagent", "f/n.20", "f"},
		{"a new row in a subagent in an earlier firing", "g/h/n.20", "k#1 g g/h"},
		{"a new row that goes on in a firing in a subagent", "g/a.20", "k#1 g g/s"},
		{"a new row beside all cards", "n.20", ""},
		{"a user row", "user", ""},
		{"a row of the source", "k.20", ""},
		{"another firing: the one before is no longer the latest", "m.19 l.20", "k#2"},
		{"a sample that comes late", "v.9.2", "k#1 v#1"},
		{"an item that comes first", "e.16.3", "e"},
		{"another subagent at the end", "start:f.20", "f"},
		{"the end of a node in no card", "start:n.17 end:n.17", ""},
		{"a start that says nothing new of a branch", "start:l.12", ""},
		{"the start of a branch's entry: the latest firing tells", "start:v.13", "k#2"},
		{"the end of a branch's entry, and of its rows", "end:l.2", "k#1 k#2"},
		{"the start of a node in a subagent: the counts around it", "start:g/h/n.5", "k#1 g g/h"},
		{"the end of a subagent: its status, and the counts around it", "start:g/h.4 end:g/h.4", "k#1 g g/h"},
		{"the end of a subagent that nothing holds", "end:f.20", "f"},
		{"an edge", "edge:n>k edge:g/s>a", ""},
		{"a pause: the rows that it closes", "pause", "k#1 g g/h g/s k#2 f e"},
		{"a head that says nothing new", "whole", ""},
		{"a head that says that earlier rows exist", "earlier", "k#1 g g/s g/b v#1 k#2 v#2 f e"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := told(t, shape, before)
			was := s.kept.Feed()
			said := dump(was)
			names, old := map[feed.Composite]string{}, map[string]feed.Composite{}
			for _, card := range cards(was.Rows()) {
				old[card.Key()], names[card] = card, nameCard(names, card)
			}
			require.Len(t, names, 10)
			s.tell(c.word)
			s.feed() // holds what was kept up to date against one made from scratch
			var anew []string
			for _, card := range cards(s.kept.Feed().Rows()) {
				if known := old[card.Key()]; known != nil && known != card {
					anew = append(anew, names[known])
				}
			}
			require.Equal(t, c.anew, strings.Join(anew, " "))
			require.Equal(t, said, dump(was), "what was handed out stays as it was")
		})
	}
}

// nameCard names a card by its path, and by a number where others have it.
func nameCard(names map[feed.Composite]string, card feed.Composite) string {
	path := strings.Join(cardPath(card), "/")
	switch path {
	case "k", "v":
		for _, taken := range names {
			if taken == path+"#1" {
				return path + "#2"
			}
		}
		return path + "#1"
	}
	return path
}

// A regroup makes nothing anew that it does not change: here a row comes into the middle, as the log may tell one.
func TestARowInTheMiddleLeavesTheOtherCards(t *testing.T) {
	s := told(t, planned(t, family), "k.a l.b m.c k.d l.e r.f m.g v.h.1 g/n.i")
	require.Equal(t, "k.a k[l.b | ] m.c k.d k[l.e | r.f] m.g k[g{g/n.i} | v(1: v.h.1)]", s.shown())
	before := cards(s.kept.Feed().Rows())
	for seq, id := range map[int64]string{1: "l.b", 9: "m.c"} {
		s.log(id, seq)
	}
	s.log("l.new", 5)
	require.Equal(t, "k.a k[l.b l.new | ] m.c k.d k[l.e | r.f] m.g k[g{g/n.i} | v(1: v.h.1)]", s.shown())
	after := cards(s.kept.Feed().Rows())
	require.Len(t, after, len(before))
	require.NotSame(t, before[0], after[0])
	for i := 1; i < len(before); i++ {
		require.Same(t, before[i], after[i])
	}
}

// Promise 4 where much happens in one change: rows of a page come into the front, and are closed or swept away at once.
func TestAPageInOneChange(t *testing.T) {
	body := func(where string, seq int64) wire.Body {
		return wire.Body{Spine: spine(t, where), ID: where, Seq: seq, Content: "text", HasContent: true, Name: "plan", Value: `"x"`, ValueStatus: wire.Building}
	}
	for _, c := range []struct {
		name string
		rows []*wire.Row
		want string
	}{
		{"an output that the run's end had closed", []*wire.Row{{Type: wire.RowOutput, Body: body("l.a", 3)}}, "k[l.a l.b | ]"},
		{"a row that another one of the page takes back", []*wire.Row{
			{Type: wire.RowAssistant, Body: body("l.a", 3)},
			{Type: wire.RowAssistant, Body: wire.Body{Spine: spine(t, "l.a"), ID: "l.a", Seq: 4, HasContent: true}},
		}, "k[l.b | ]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := begin(t, planned(t, family))
			s.apply(&wire.Head{ConversationID: "c", AgentID: "a", AgentVersion: 1, Status: wire.Completed, SaysEarlier: true, HasEarlier: true})
			s.log("l.b", 5)
			s.apply(&wire.Page{Rows: c.rows})
			require.Equal(t, c.want, s.shown())
		})
	}
}

// Promise 4 when the keys that order the rows have to be dealt anew: so many rows of the log come in front of one
// another that no room is left.
func TestKeysDealtAnew(t *testing.T) {
	shape := planned(t, family)
	s := begin(t, shape)
	s.kept = nil // until it matters
	nameless := func(where string, seq int64) projection.Change {
		b := wire.Body{Spine: spine(t, where), Seq: seq, Content: "text", HasContent: true}
		return s.apply(&wire.Row{Type: wire.RowAssistant, Body: b})
	}
	const last = 20_000
	s.log("k.1", 1)
	s.log("l.last", last)
	s.log("k.2", last+1)
	nameless("l.behind", last+2) // whose card is not in the way, and whose key is
	reset := false
	for seq := int64(last - 1); seq > 1 && !reset; seq-- {
		if seq == last-1_900 {
			s.kept = feed.NewComposer(shape, s.state.Snapshot())
		}
		reset = nameless(fmt.Sprint("l.", seq), seq).Reset
	}
	require.True(t, reset)
	require.NotNil(t, s.kept)
	require.True(t, dump(s.kept.Feed()) == dump(feed.Compose(s.state.Snapshot(), pin(1), shape)), "kept up to date")
	s.tell("r.x v.y.1")
	require.Len(t, cards(s.feed().Rows()), 3)
}

// A subagent that turns out to have begun earlier, and reads as before, leaves the cards around it as they are.
func TestEvidenceThatMovesLeavesTheCards(t *testing.T) {
	s := begin(t, planned(t, family))
	s.tell("earlier")
	s.log("r.a", 4)
	at := wire.Body{Spine: spine(t, "g/n.x"), Status: wire.Completed, Kind: "llm", Seq: 5}
	s.apply(&wire.Row{Type: wire.RowNodeEnd, Body: at})
	s.log("g/n.x", 6)
	const shown = "k[g{g/n.x}* | r.a]*"
	require.Equal(t, shown, s.shown())
	before := s.kept.Feed()
	at.Seq = 4
	s.apply(&wire.Row{Type: wire.RowNodeStart, Body: at})
	require.Equal(t, shown, s.shown())
	require.Equal(t, cards(before.Rows()), cards(s.kept.Feed().Rows()))
	for i, card := range cards(s.kept.Feed().Rows()) {
		require.Same(t, cards(before.Rows())[i], card)
	}
	require.False(t, s.moved)
}
