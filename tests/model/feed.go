package model

import (
	"fmt"

	"inlaygraph/wire"
)

// Pin is the agent version that a client composes for. AgentVersion is nil when it says none.
type Pin struct {
	AgentID      string
	AgentVersion *int
}

// The modes of a feed.
const (
	Composed     = "COMPOSED"
	FlatGuarded  = "FLAT_GUARDED"
	FlatUnpinned = "FLAT_UNPINNED"
)

// Feed is docs/feed.md's answer, under the names of the GraphQL contract.
type Feed struct {
	Mode       string     `json:"mode"`
	Reason     *string    `json:"reason"` // the wording is this model's own
	Rows       []FeedItem `json:"rows"`
	HasEarlier bool       `json:"hasEarlier"`
	Entries    []Entry    `json:"entries"`

	folded int // which folding from the start it is of: pages fold anew
}

// FeedItem is one FeedRow: a durable row or a card.
type FeedItem struct {
	Row  *Row
	Card *Card

	of *entry // of a durable row
}

// Card is a composite row. Its Key identifies it, in words of this model's own: any other fold has its own words.
type Card struct {
	Type         string
	Key          string
	NodeName     *string
	NodeID       string
	SubgraphPath []string // null at the top level, as a row's
	HasEarlier   bool

	Join         []string // fan-out
	BranchStatus []string

	Tracks     [][]FeedItem // fan-out and repeat
	Iterations []int        // repeat: the stamp of each track
	Mode       string
	Done       int
	Total      *int

	Rows                                 []FeedItem // subagent
	RunningCount, DoneCount, FailedCount *int
	NodeStatus                           *string

	first *entry // of a repeat or a fan-out: the row of its first item, nil when that is a subagent
	bare  bool   // as an entry has it: told in JSON without what is in it
	named int    // how many cards have this name: above one, the key depends on its position
}

// Entry is one place of the adjacency list. In JSON its card has no tracks and no rows: they are the next entries.
type Entry struct {
	Key       string   `json:"key"`
	Parent    *string  `json:"parent"`
	Track     *int     `json:"track"`
	Iteration *int     `json:"iteration"`
	Index     int      `json:"index"`
	Row       FeedItem `json:"row"`
}

// Feed composes the feed as it is now. plan is the plan of the conversation's agent version, nil when unknown;
// pin is nil when the client gives none.
func (m *Model) Feed(plan *wire.Plan, pin *Pin) *Feed {
	s := m.now
	f := &Feed{HasEarlier: s.hasEarlier(), Rows: []FeedItem{}, Entries: []Entry{}, folded: m.folded}
	f.Mode, f.Reason = s.guard(plan, pin)
	if f.Mode == Composed {
		c := newComposer(s, plan)
		f.Rows = c.render(c.level(nil))
	} else {
		for _, e := range s.entries {
			if e.durable() && (f.Mode == FlatGuarded || len(e.SubgraphPath) == 0) {
				f.Rows = append(f.Rows, FeedItem{Row: rowView(e), of: e})
			}
		}
	}
	f.list(f.Rows, Entry{})
	return f
}

// guard is docs/feed.md, "The guard". Choice: a plan of another agent or version is no plan of this conversation.
func (s *state) guard(plan *wire.Plan, pin *Pin) (mode string, reason *string) {
	guarded := func(why string) (string, *string) { return FlatGuarded, &why }
	switch {
	case pin == nil:
		return FlatUnpinned, nil
	case pin.AgentVersion == nil:
		return guarded("the pin expects no version")
	case *pin.AgentVersion <= 0:
		return guarded("a draft is not composed")
	case s.ref == nil:
		return guarded("the conversation's agent is not known yet")
	case s.ref.AgentID != pin.AgentID:
		return guarded("another agent")
	case s.ref.AgentVersion != *pin.AgentVersion:
		return guarded("another version")
	case plan == nil || plan.AgentID != pin.AgentID || plan.AgentVersion != *pin.AgentVersion:
		return guarded("the plan is not known")
	}
	return Composed, nil
}

// list appends the entries of one list, depth-first. in says whose list it is.
func (f *Feed) list(items []FeedItem, in Entry) {
	for i, item := range items {
		e := in
		e.Index, e.Row = i, item
		if item.Card == nil {
			e.Key = rowKey(item.of)
			f.Entries = append(f.Entries, e)
			continue
		}
		c := item.Card
		bare := *c
		bare.bare = true
		e.Key, e.Row.Card = c.Key, &bare
		f.Entries = append(f.Entries, e)
		if c.Type == "subagent" {
			f.list(c.Rows, Entry{Parent: &c.Key})
			continue
		}
		for t, track := range c.Tracks {
			inside := Entry{Parent: &c.Key, Track: &t}
			if c.Type == "repeat" {
				inside.Iteration = &c.Iterations[t]
			}
			f.list(track, inside)
		}
	}
}

// rowKey is the id the row opened with, else an opaque one.
func rowKey(e *entry) string {
	if e.born == "" {
		return fmt.Sprintf("row at %p", e)
	}
	return e.born
}

// opaque says whether a key is no id.
func (e *Entry) opaque() bool { return e.Row.Card != nil || e.Row.of.born == "" }
