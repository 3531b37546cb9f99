package model_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlaygraph/tests/model"
	"inlaygraph/wire"
)

// planned reads a plan, one line a node ("node g/n llm"), a region ("region k > l l2 | r > m": source, branches,
// join) or an edge ("edge k next l", "-" for no port). A node is named "The" and its id; "hidden" and "samples=4"
// may follow its kind.
func planned(t *testing.T, lines string) *wire.Plan {
	t.Helper()
	p := &wire.Plan{AgentID: "a", AgentVersion: 1}
	path := func(s string) []string { return strings.Split(s, "/") }
	for line := range strings.Lines(lines) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		switch words[0] {
		case "node":
			n := wire.PlanNode{Path: path(words[1]), Kind: words[2]}
			n.Name = "The " + n.Path[len(n.Path)-1]
			for _, more := range words[3:] {
				switch {
				case more == "hidden":
					n.HideInnerEvents = true
				default:
					_, err := fmt.Sscanf(more, "samples=%d", &n.Samples)
					require.NoError(t, err)
				}
			}
			p.Nodes = append(p.Nodes, n)
		case "region":
			r := wire.PlanRegion{Source: path(words[1]), Join: path(words[len(words)-1])}
			for branch := range strings.SplitSeq(strings.Join(words[3:len(words)-2], " "), "|") {
				b := wire.PlanBranch{}
				for _, member := range strings.Fields(branch) {
					b.Members = append(b.Members, path(member))
				}
				b.Entry = b.Members[0]
				r.Branches = append(r.Branches, b)
			}
			p.Regions = append(p.Regions, r)
		case "edge":
			from := path(words[1])
			e := wire.PlanEdge{SubgraphPath: from[:len(from)-1], From: from[len(from)-1], To: words[3]}
			if e.HasFromPort = words[2] != "-"; e.HasFromPort {
				e.FromPort = words[2]
			}
			p.Edges = append(p.Edges, e)
		default:
			require.Fail(t, "what is "+words[0])
		}
	}
	require.NoError(t, p.Validate())
	return p
}

// lived folds a conversation told in words. "user" is a user row, "k.x" a row of node k in activation x, "k.x.1" of
// its first iteration, "g/n" a row of n in subgraph g without an activation; the id of a row is its word. "start:",
// "llm:" (a start that opens a placeholder), "end:", "failed:" (an end) and "call:" (a tool call) go before such a
// word; "edge:g/a>b" fires; "earlier" is a head that says that earlier rows exist; a word that starts with another
// frame's name is that frame.
func lived(t *testing.T, words string) *model.Model {
	t.Helper()
	lines := []string{"run.start run_id=r conversation_id=c agent_id=a agent_version=1"}
	used := map[string]int{}
	for _, word := range strings.Fields(words) {
		what, where, prefixed := strings.Cut(word, ":")
		if !prefixed {
			what, where = "row", word
		}
		spine := strings.Split(where, ".")
		path := strings.Split(spine[0], "/")
		at := fmt.Sprintf(" node_id=%q", path[len(path)-1])
		if len(path) > 1 {
			at += ` subgraph_path=["` + strings.Join(path[:len(path)-1], `","`) + `"]`
		}
		if len(spine) > 1 && spine[1] != "" {
			at += fmt.Sprintf(" activation=%q", spine[1])
		}
		if len(spine) > 2 {
			at += " iteration=" + spine[2]
		}
		used[word]++
		id := word + strings.Repeat("'", used[word]-1)
		switch {
		case word == "user":
			lines = append(lines, "user.message content=Hi id="+id)
		case word == "earlier":
			lines = append(lines, head+"status=running has_earlier=true")
		case what == "row":
			lines = append(lines, "message.end content=text id="+id+at)
		case what == "start":
			lines = append(lines, "node.start kind=any"+at)
		case what == "llm":
			lines = append(lines, "node.start kind=llm message_id="+id+at)
		case what == "end":
			lines = append(lines, "node.end status=completed"+at)
		case what == "failed":
			lines = append(lines, "node.end status=failed"+at)
		case what == "call":
			lines = append(lines, "tool.call tool_name=ask input={} requires_client_response=false id="+id+" tool_call_id="+id+at)
			lines[len(lines)-1] = strings.Replace(lines[len(lines)-1], "input={}", `input="{}"`, 1)
		case what == "edge":
			from, to, _ := strings.Cut(path[len(path)-1], ">")
			e := fmt.Sprintf("edge.fired from=%q to=%q from_port=next", from, to)
			if len(path) > 1 {
				e += ` subgraph_path=["` + strings.Join(path[:len(path)-1], `","`) + `"]`
			}
			lines = append(lines, e)
		default:
			require.Fail(t, "what is "+word)
		}
	}
	m, _ := folded(t, strings.Join(lines, "\n"))
	return m
}

func pin(version int) *model.Pin { return &model.Pin{AgentID: "a", AgentVersion: &version} }

// shown is a feed as one line: rows by their ids, a subagent as g{…}, a repeat as v(1: … 2: …), a fan-out as
// k[… | …], a * after a card whose start is not in the window.
func shown(items []model.FeedItem) string {
	var words []string
	for _, it := range items {
		if it.Card == nil {
			id := "-"
			if it.Row.ID != nil {
				id = *it.Row.ID
			}
			words = append(words, id)
			continue
		}
		c := it.Card
		w := strings.Join(append(append([]string{}, c.SubgraphPath...), c.NodeID), "/")
		switch c.Type {
		case "subagent":
			w += "{" + shown(c.Rows) + "}"
		case "repeat":
			var tracks []string
			for i, track := range c.Tracks {
				tracks = append(tracks, fmt.Sprintf("%d: %s", c.Iterations[i], shown(track)))
			}
			w += "(" + strings.Join(tracks, " ") + ")"
		case "fan-out":
			var tracks []string
			for _, track := range c.Tracks {
				tracks = append(tracks, shown(track))
			}
			w += "[" + strings.Join(tracks, " | ") + "]"
		}
		if c.HasEarlier {
			w += "*"
		}
		words = append(words, w)
	}
	return strings.Join(words, " ")
}

// cards are all cards of a feed, depth-first.
func cards(f *model.Feed) []*model.Card {
	var all []*model.Card
	for _, e := range f.Entries {
		if e.Row.Card != nil {
			all = append(all, e.Row.Card)
		}
	}
	return all
}
