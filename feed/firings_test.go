package feed_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"inlaygraph/feed"
)

func TestBranchStatus(t *testing.T) {
	shape := planned(t, `
		node k llm
		node a llm
		node a2 llm
		node b llm
		node c llm
		node d llm
		node e llm
		node m llm
		region k > a a2 | b | c | d | e > m`)
	status := func(words string) (all [][]feed.BranchStatus) {
		for _, card := range cards(told(t, shape, words).feed().Rows()) {
			all = append(all, card.(*feed.FanOutRow).BranchStatus)
		}
		return all
	}
	const unknown, running, done, failed = feed.BranchUnknown, feed.BranchRunning, feed.BranchDone, feed.BranchFailed
	for _, c := range []struct {
		name, words string
		want        [][]feed.BranchStatus
	}{
		{"by the entry's run", "start:a.1 a.1 end:a.1 start:b.2 start:c.3 failed:c.3 start:d.4 cancelled:d.4",
			[][]feed.BranchStatus{{done, running, failed, failed, unknown}}},
		{"latest firing", "k.0 start:a.1 a.1 end:a.1 m.2 k.3 start:a.4 a.4", [][]feed.BranchStatus{nil, {running, unknown, unknown, unknown, unknown}}},
		{"latest visit", "start:a.1 a.1 end:a.1 start:a.2", [][]feed.BranchStatus{{running, unknown, unknown, unknown, unknown}}},
		{"entries alone", "start:a.1 a.1 end:a.1 start:a2.2 a2.2", [][]feed.BranchStatus{{done, unknown, unknown, unknown, unknown}}},
		{"a late end", "start:a.1 start:b.2 a.1 failed:b.2 m.3 end:a.1", [][]feed.BranchStatus{{done, failed, unknown, unknown, unknown}}},
		{"of a member behind the join too", "start:a.1 a.1 m.2 start:b.3 a2.4", [][]feed.BranchStatus{nil, {running, running, unknown, unknown, unknown}}},
	} {
		t.Run(c.name, func(t *testing.T) { require.Equal(t, c.want, status(c.words)) })
	}
}

func TestFirings(t *testing.T) {
	checkScenes(t, family, []scene{
		{"a row of the source", "k.a l.b k.c l.d", "k.a k[l.b | ] k.c k[l.d | ]"},
		{"a row of the join, and a member that comes late", "k.a l.b m.c r.d", "k.a k[l.b | ] m.c k[ | r.d]"},
		{"before there is an item nothing is closed", "l.a k.b r.c", "k[l.a | ] k.b k[ | r.c]"},
		{"a branch node that comes again shows none", "l.a l.b r.c l.a", "k[l.a l.b l.a' | r.c]"},
		{"silent: starts, ends and edges are no rows", "l.a start:m.x end:m.x edge:m>k start:k.y l.b", "k[l.a l.b | ]"},
		{"nothing produced", "k.a start:l.x end:l.x start:r.y end:r.y m.b", "k.a m.b"},
		{"after a user row a visit that the card holds goes on", "l.a user l.a r.b", "k[l.a l.a' | ] user k[ | r.b]"},
		{"after a user row any other visit opens a card", "l.a r.b user l.c r.b l.a", "k[l.a | r.b] user k[l.c l.a' | r.b']"},
		{"after each user row", "l.a r.b user l.a r.b user r.b l.a", "k[l.a l.a' l.a'' | r.b r.b' r.b''] user user'"},
		{"an activation is of its path", "l.a user r.a", "k[l.a | ] user k[ | r.a]"},
		{"a user row before the card is none", "user l.a r.b", "user k[l.a | r.b]"},
		{"a subagent stands once, where it was first seen", "k.a start:g.b r.c m.d g/n.e", "k.a k[g{g/n.e} | r.c] m.d"},
		{"an empty subagent is an item", "start:g.b", "k[g{} | ]"},
		{"a subagent is of no visit", "l.a user g/n.b l.c", "k[l.a | ] user k[g{g/n.b} l.c | ]"},
		{"a repeat is an item of its visit", "v.b.1 user v.b.2 v.b", "k[ | v(1: v.b.1 2: v.b.2) v.b] user"},
	})
	checkScenes(t, "node s subgraph\nnode s/n llm\nnode v ensemble\nnode l llm\nnode r llm\nregion s > l | r > v", []scene{
		{"a repeat as the join", "l.a v.b.1 r.c v.b.2", "s[l.a | ] v(1: v.b.1 2: v.b.2) s[ | r.c]"},
		{"a subagent as the source, where it stands", "l.a s/n.b r.c s/n.d l.e", "s[l.a | ] s{s/n.b s/n.d} s[l.e | r.c]"},
		{"an empty subagent as the source", "l.a start:s.b r.c", "s[l.a | ] s{} s[ | r.c]"},
	})
	checkScenes(t, nested, []scene{
		{"the inner source closes the inner card", "s.1 a.2 s.3 a.4", "k[s.1 s[a.2 | ] s.3 s[a.4 | ] | ]"},
		{"the outer source closes both", "s.1 a.2 k.3 a.4", "k[s.1 s[a.2 | ] | ] k.3 k[s[a.4 | ] | ]"},
		{"the outer join closes both", "a.1 m.2 b.3", "k[s[a.1 | ] | ] m.2 k[s[ | b.3] | ]"},
		{"a visit goes on in both after a user row", "a.1 r.2 user a.1 r.2", "k[s[a.1 a.1' | ] | r.2 r.2'] user"},
		{"any other opens both", "a.1 r.2 user b.3 a.1", "k[s[a.1 | ] | r.2] user k[s[a.1' | b.3] | ]"},
		{"an inner card is of the visit of its first item", "a.1 s.2 user a.1 b.3", "k[s[a.1 | ] s.2 s[a.1' | b.3] | ] user"},
		{"the outer card holds all visits of the inner ones", "a.1 b.2 s.3 user b.2", "k[s[a.1 | b.2] s.3 s[ | b.2'] | ] user"},
	})
	const nodes = "node k llm\nnode s llm\nnode a llm\nnode b llm\nnode c llm\nnode r llm\nnode m llm\n"
	checkScenes(t, nodes+"region s > a | b > m\nregion k > s a b | r > m", []scene{
		{"nested regions may share their join", "k.1 s.2 a.3 b.4 r.5 m.6 a.7", "k.1 k[s.2 s[a.3 | b.4] | r.5] m.6 k[s[a.7 | ] | ]"},
	})
	checkScenes(t, nodes+"region k > a b | c > m\nregion k > b c | a > m", []scene{
		{"of regions that overlap the plan's first takes the row", "k.1 a.2 b.3 c.4", "k.1 k[a.2 b.3 | c.4]"},
	})
	checkScenes(t, "node g subgraph\nnode g/k llm\nnode g/l llm\nnode g/r llm\nnode g/m llm\nregion g/k > g/l | g/r > g/m", []scene{
		{"in a subagent, where no user row stands", "g/k.1 g/l.2 user g/l.3 g/r.4 g/m.5", "g{g/k.1 g/k[g/l.2 g/l.3 | g/r.4] g/m.5} user"},
	})
}

// What is swept away leaves the feed as if it had never been, whatever it had opened, held or shown.
func TestSweptAway(t *testing.T) {
	checkScenes(t, family, []scene{
		{"beside the cards", "n.a text:n.b n.c unsaid:n.b", "n.a n.c"},
		{"in a card", "l.a text:l.b l.c unsaid:l.b", "k[l.a l.c | ]"},
		{"what a card began with", "text:l.a n.b r.c unsaid:l.a", "n.b k[ | r.c]"},
		{"all that a card had", "text:l.a n.b unsaid:l.a", "n.b"},
		{"the source that parted two firings", "l.a text:k.b l.c unsaid:k.b", "k[l.a l.c | ]"},
		{"the source, after the user row that parts them anyway", "l.a text:k.b user l.c unsaid:k.b", "k[l.a | ] user k[l.c | ]"},
		{"a visit that the card held, before a user row", "l.a text:r.b unsaid:r.b user r.b", "k[l.a | ] user k[ | r.b]"},
		{"a visit that the card held, behind a user row", "l.a text:r.b user r.b.1 unsaid:r.b", "k[l.a | ] user k[ | r.b.1]"},
		{"a visit that the card holds by another row too", "l.a r.b text:r.b unsaid:r.b user r.b", "k[l.a | r.b r.b'] user"},
		{"a sample", "v.a.1 text:v.a.2 v.a.3 unsaid:v.a.2", "k[ | v(1: v.a.1 3: v.a.3)]"},
		{"the sample that a card began with", "text:v.a.2 n.b v.a.1 unsaid:v.a.2", "n.b k[ | v(1: v.a.1)]"},
		{"one of two rows of a sample", "v.a.1 text:v.a.1 unsaid:v.a.1", "k[ | v(1: v.a.1)]"},
		{"all that showed a subagent", "text:g/n.a n.b unsaid:g/n.a", "n.b"},
		{"what showed a subagent first", "text:g/n.a n.b g/n.c unsaid:g/n.a", "n.b k[g{g/n.c} | ]"},
		{"in a subagent that a start shows", "start:g.a text:g/n.b n.c unsaid:g/n.b", "k[g{} | ] n.c"},
	})
	checkScenes(t, "node g subgraph\nnode g/h subgraph\nnode g/h/n llm\nnode n llm", []scene{
		{"all that showed two subagents", "text:g/h/n.a n.b unsaid:g/h/n.a", "n.b"},
		{"and they come again", "text:g/h/n.a n.b unsaid:g/h/n.a g/h/n.c", "n.b g{g/h{g/h/n.c}}"},
	})
}
