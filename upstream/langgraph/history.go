package langgraph

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"inlaygraph/wire"
)

// ThreadInfo is whose history a history is.
type ThreadInfo struct {
	ThreadID     string
	AgentID      string
	AgentVersion int
	Plan         *wire.PlanIndex
	PrivateTools map[string]bool
}

// History makes persisted rows of what a server keeps of a thread: its checkpoints, those of the graphs inside it, and
// its runs (docs/langgraph.md). It has no tokens and no triggers; what else it lacks is told by Past.Unknown.
type History struct {
	info   ThreadInfo
	runs   []RunRecord
	graphs map[string]map[string]*checkpoint // by namespace and id
}

// NewHistory makes a history of a thread whose runs these are, in any order.
func NewHistory(info ThreadInfo, runs []RunRecord) *History {
	return &History{info: info, runs: slices.Clone(runs), graphs: map[string]map[string]*checkpoint{}}
}

// Add takes an answer of POST /threads/{thread}/history for a namespace, "" for the thread itself. Answers may be added
// in any order, and overlap. What is no checkpoint in one is left out.
func (h *History) Add(namespace string, answer []byte) error {
	list, ok := asArray(sound(answer))
	if !ok {
		return errors.New("langgraph: not a history")
	}
	level := h.graphs[namespace]
	if level == nil {
		level = map[string]*checkpoint{}
		h.graphs[namespace] = level
	}
	for _, v := range list {
		if c, ok := readCheckpoint(v); ok {
			level[c.id] = c
		}
	}
	return nil
}

// Earlier is the checkpoint before which a namespace's history goes on, "" when it is there from its start.
func (h *History) Earlier(namespace string) string {
	if list, missing := chain(h.graphs[namespace]); missing {
		return list[0].id
	}
	return ""
}

// Wanted are the namespaces whose histories are not there yet: of tasks that ran a graph of their own, or may have.
func (h *History) Wanted() []string {
	if h.graphs[""] == nil {
		return []string{""}
	}
	var wanted []string
	for _, namespace := range slices.Sorted(maps.Keys(h.graphs)) {
		list, _ := chain(h.graphs[namespace])
		for _, c := range list {
			for i := range c.tasks {
				in := h.inside(namespace, &c.tasks[i])
				if in != "" && h.graphs[in] == nil && !slices.Contains(wanted, in) {
					wanted = append(wanted, in)
				}
			}
		}
	}
	return wanted
}

// inside is the namespace of what a task runs, "" when it runs no graph. A server does not tell it of a task that
// failed: the plan does, and without a plan only asking does.
func (h *History) inside(namespace string, task *pastTask) string {
	own := inside(namespace, task.name, task.id)
	if task.inside != "" {
		return task.inside
	}
	if h.info.Plan == nil {
		if task.failed != nil {
			return own
		}
		return ""
	}
	key := wire.AppendPathKey(nil, pathOf(namespace)...)
	if n := h.info.Plan.Node(string(wire.AppendPathKey(key, task.name))); n != nil && n.Subgraph() {
		return own
	}
	return ""
}

// Past is what a history tells.
type Past struct {
	Rows       []*wire.Row // by ascending seq, from 1
	HasEarlier bool        // checkpoints before these were not added: seq 1 is not the thread's first row
	Known      *Known      // for the thread's next run
	Pending    []Pending
	Head       wire.Head // without an offset
	Unknown    []string  // what could not be told, in words of ours around names of nodes
}

// Fold makes the rows. It can be called again after more was added.
func (h *History) Fold() *Past { return h.fold("") }

// FoldBefore makes the rows of the runs before one: the thread as it stood when that run began. With a run in flight
// it gives what is settled, and what a [Run] of that run begins with; the order of what is going on is not yet known.
func (h *History) FoldBefore(run string) *Past { return h.fold(run) }

func (h *History) fold(before string) *Past {
	b := &chronicle{
		History: h, teller: newTeller(h.info.ThreadID, h.info.Plan, h.info.PrivateTools, nil),
		started: map[string]bool{}, held: map[int]bool{},
	}
	b.order()
	_, missing := chain(h.graphs[""])
	b.walk("")
	slices.SortStableFunc(b.happenings, func(a, b happening) int { return a.phase - b.phase })
	if before != "" {
		if n := slices.IndexFunc(b.phases, func(r RunRecord) bool { return r.RunID == before }); n >= 0 {
			b.phases = b.phases[:n]
		}
	}
	b.play()
	return &Past{
		Rows: b.rows, HasEarlier: missing, Known: b.known, Pending: b.known.pending(), Head: b.head(missing),
		Unknown: b.unknown,
	}
}

// order puts the runs in the order in which they were made. A run of which only checkpoints are left takes its place
// by the first of them.
func (b *chronicle) order() {
	known := map[string]bool{}
	b.phases = slices.Clone(b.runs)
	for _, r := range b.phases {
		known[r.RunID] = true
	}
	lost := map[string]RunRecord{}
	for _, level := range b.graphs {
		for _, c := range level {
			if r, ok := lost[c.run]; !known[c.run] && (!ok || c.at.Before(r.At)) {
				lost[c.run] = RunRecord{RunID: c.run, At: c.at, Status: "success"}
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(lost)) {
		b.phases = append(b.phases, lost[id])
	}
	slices.SortStableFunc(b.phases, func(x, y RunRecord) int {
		if n := x.At.Compare(y.At); n != 0 {
			return n
		}
		return strings.Compare(x.RunID, y.RunID)
	})
	if len(b.phases) == 0 {
		b.phases = []RunRecord{{Status: "success"}}
	}
	recorded := map[string]bool{}
	for _, level := range b.graphs {
		for _, c := range level {
			for _, t := range c.tasks {
				for _, i := range t.interrupts {
					recorded[i.ID] = true
				}
			}
		}
	}
	for p, r := range b.phases {
		for _, a := range r.Answers {
			if a.InterruptID != "" && !recorded[a.InterruptID] {
				b.lost = append(b.lost, p)
				b.doubt(fmt.Sprintf("what run %d answered: the server keeps only the last interrupt of a task", p+1))
			}
		}
	}
}

// phaseOf is the place of a run among the runs.
func (b *chronicle) phaseOf(run string) int {
	return max(0, slices.IndexFunc(b.phases, func(r RunRecord) bool { return r.RunID == run }))
}

// maxTitle is how much of the user's first words a title takes.
const maxTitle = 80

// head tells how the thread stands.
func (b *chronicle) head(missing bool) wire.Head {
	head := wire.Head{
		ConversationID: b.info.ThreadID, AgentID: b.info.AgentID, AgentVersion: b.info.AgentVersion,
		Status: wire.Paused, HasEarlier: missing, SaysEarlier: true,
	}
	if len(b.phases) == 0 {
		return head
	}
	head.CreatedAt = b.phases[0].At
	for _, level := range b.graphs {
		for _, c := range level {
			if c.at.After(head.UpdatedAt) {
				head.UpdatedAt = c.at
			}
			if !c.at.IsZero() && (head.CreatedAt.IsZero() || c.at.Before(head.CreatedAt)) {
				head.CreatedAt = c.at
			}
		}
	}
	switch b.phases[len(b.phases)-1].Status {
	case "pending", "running":
		head.Status = wire.Running
	case "error", "timeout":
		public := b.runFailure(exception{}, false)
		head.Status, head.Error, head.Retryable, head.HasRetryable = wire.Failed, &public, true, true
	case "interrupted":
		head.Status = wire.Cancelled
	default:
		if len(b.known.pending()) > 0 {
			head.Status = wire.AwaitingClientTool
		}
	}
	for _, row := range b.rows {
		if row.Type == wire.RowUser {
			head.Title = clipped(row.Content)
			break
		}
	}
	return head
}

// clipped is the first line of a text, at most maxTitle characters of it.
func clipped(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	runes := []rune(s)
	if len(runes) > maxTitle {
		return strings.TrimSpace(string(runes[:maxTitle-1])) + "…"
	}
	return string(runes)
}
