package langgraph

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"inlaygraph/wire"
)

// sim plays a server: it runs made-up graphs, and has their streams and their histories.
type sim struct {
	t      *rapid.T
	runs   []RunRecord
	events [][]event           // by run
	levels map[string][]*simCP // by namespace
	plan   *wire.Plan          // of all nodes and edges
	ids    int                 // minted so far
	clock  int                 // seconds

}

// simCP is a checkpoint as the server keeps it.
type simCP struct {
	id, parent, run, source string
	at                      int
	next                    []string
	tasks                   []*simTask
	input                   string
}

type simTask struct {
	id, name, result, failed, inside string
	push                             int
	interrupts                       []string
}

func (s *sim) mint(prefix string) string {
	s.ids++
	return fmt.Sprintf("%s%d", prefix, s.ids)
}

func (s *sim) emit(e event) {
	last := len(s.events) - 1
	s.events[last] = append(s.events[last], e)
}

func (s *sim) run(status string) {
	s.clock++
	s.runs = append(s.runs, RunRecord{RunID: fmt.Sprintf("R%d", len(s.runs)+1), Status: status, At: simTime(s.clock)})
	s.events = append(s.events, nil)
}

func simTime(n int) time.Time { return time.Date(2026, 1, 1, 0, 0, n, 0, time.UTC) }

func (s *sim) checkpoint(namespace, source string) *simCP {
	s.clock++
	c := &simCP{id: fmt.Sprintf("cp%06d", s.clock), run: s.runs[len(s.runs)-1].RunID, source: source, at: s.clock}
	if before := s.levels[namespace]; len(before) > 0 {
		c.parent = before[len(before)-1].id
	}
	s.levels[namespace] = append(s.levels[namespace], c)
	return c
}

// answers are the server's answers to POST history, newest first.
func (s *sim) answer(namespace string) []byte {
	list := []string{}
	for _, c := range slices.Backward(s.levels[namespace]) {
		tasks := []string{}
		if c.input != "" {
			tasks = append(tasks, fmt.Sprintf(`{"id":"in-%s","name":"__start__","path":["__pregel_pull","__start__"],"interrupts":[],"result":%s}`, c.id, c.input))
		}
		for _, t := range c.tasks {
			path := js([]string{"__pregel_pull", t.name})
			if t.push > 0 {
				path = fmt.Sprintf(`["__pregel_push",%d,false]`, t.push-1)
			}
			result, failed, inside := "null", "null", "null"
			if t.result != "" {
				result = t.result
			}
			if t.failed != "" {
				failed = js(t.failed)
			}
			if t.inside != "" {
				inside = fmt.Sprintf(`{"checkpoint_ns":%q}`, t.inside)
			}
			tasks = append(tasks, fmt.Sprintf(`{"id":%q,"name":%q,"path":%s,"interrupts":[%s],"result":%s,"error":%s,"checkpoint":%s}`,
				t.id, t.name, path, strings.Join(t.interrupts, ","), result, failed, inside))
		}
		list = append(list, fmt.Sprintf(`{"values":{},"next":%s,"tasks":[%s],"metadata":{"run_id":%q,"source":%q},"created_at":%q,"checkpoint":{"checkpoint_id":%q},"parent_checkpoint":{"checkpoint_id":%q}}`,
			js(append([]string{}, c.next...)), strings.Join(tasks, ","), c.run, c.source, simTime(c.at).Format(time.RFC3339), c.id, c.parent))
	}
	return []byte("[" + strings.Join(list, ",") + "]")
}

// node notes a node of the plan.
func (s *sim) node(namespace, name string) {
	path := append(pathOf(namespace), name)
	for _, n := range s.plan.Nodes {
		if slices.Equal(n.Path, path) {
			return
		}
	}
	s.plan.Nodes = append(s.plan.Nodes, wire.PlanNode{Path: path})
}

func (s *sim) edge(namespace, from, to string) {
	e := wire.PlanEdge{SubgraphPath: pathOf(namespace), From: from, To: to}
	for _, known := range s.plan.Edges {
		if slices.Equal(known.SubgraphPath, e.SubgraphPath) && known.From == from && known.To == to {
			return
		}
	}
	s.plan.Edges = append(s.plan.Edges, e)
}

// thread runs a thread of a few turns. A turn may be interrupted, or fail, once.
func simThread(t *rapid.T) *sim {
	s := &sim{t: t, levels: map[string][]*simCP{}, plan: &wire.Plan{AgentID: "A", AgentVersion: 1}}
	for turn := range rapid.IntRange(1, 2).Draw(t, "turns") {
		s.run("success")
		said := HumanMessage{ID: fmt.Sprintf("h%d", turn), Content: "hello"}
		s.runs[len(s.runs)-1].Human = []HumanMessage{said}
		input := s.checkpoint("", "input")
		input.input = messages(fmt.Sprintf(`{"role":"user","content":"hello","id":%q}`, said.ID))
		s.steps("", 2, rapid.SampledFrom([]string{"", "", "ask", "fail"}).Draw(t, "trouble"))
	}
	return s
}

// steps runs the steps of a graph, and says what they added up to.
func (s *sim) steps(namespace string, depth int, trouble string) []string {
	var before, all []string
	count := rapid.IntRange(1, 3).Draw(s.t, "steps")
	for n := range count {
		names := []string{fmt.Sprintf("n%d", n)}
		switch rapid.IntRange(0, 3).Draw(s.t, "shape") {
		case 0:
			names = append(names, fmt.Sprintf("o%d", n))
		case 1:
			if n > 0 && len(before) == 1 {
				names = append(names, names[0]) // sent twice
			}
		}
		at := ""
		if n == count-1 && namespace == "" {
			at = trouble
		}
		all = append(all, s.step(namespace, before, names, depth, at)...)
		before = slices.Compact(names)
	}
	s.checkpoint(namespace, "loop")
	return all
}

// step runs one step. Trouble comes to its first task.
func (s *sim) step(namespace string, before, names []string, depth int, trouble string) []string {
	c := s.checkpoint(namespace, "loop")
	c.next = names
	sent := len(names) == 2 && names[0] == names[1]
	triggers := func(name string) []string {
		switch {
		case sent:
			return []string{pushed}
		case len(before) > 1:
			return []string{"join:" + strings.Join(before, "+") + ":" + name}
		}
		return []string{"branch:to:" + name}
	}
	for i, name := range names {
		task := &simTask{id: s.mint("t"), name: name}
		if sent {
			task.push = i + 1
		}
		c.tasks = append(c.tasks, task)
		s.node(namespace, name)
		for _, from := range before {
			if !sent {
				s.edge(namespace, from, name)
			}
		}
		s.emit(starts(s.placed(namespace, task), triggers(name)...))
	}
	var all []string
	for i, task := range c.tasks {
		troubled := ""
		if i == 0 {
			troubled = trouble
		}
		all = append(all, s.task(namespace, task, depth, troubled)...)
	}
	if trouble == "" {
		return all
	}
	// The run ends here; the next one goes on with the same step.
	first := c.tasks[0]
	if trouble == "fail" {
		s.runs[len(s.runs)-1].Status = "error"
	}
	s.run("success")
	if trouble == "ask" {
		s.runs[len(s.runs)-1].Answers = []Answer{{"i-" + first.id, `"yes"`}}
	}
	for _, task := range c.tasks {
		s.emit(starts(s.placed(namespace, task), triggers(task.name)...))
	}
	return append(all, s.task(namespace, first, depth, "")...)
}

func (s *sim) placed(namespace string, task *simTask) string {
	return inside(namespace, task.name, task.id)
}

// task runs a task: a graph inside it, or a model with its messages.
func (s *sim) task(namespace string, task *simTask, depth int, trouble string) []string {
	place := s.placed(namespace, task)
	switch trouble {
	case "ask":
		asked := fmt.Sprintf(`{"id":%q,"value":{"q":1}}`, "i-"+task.id)
		task.interrupts = []string{asked}
		s.emit(asks(place, "i-"+task.id, `{"q":1}`))
		return nil
	case "fail":
		task.failed = `{"message":"secret","name":"Error"}`
		s.emit(fails(place, "Error", "secret"))
		return nil
	}
	var given []string
	if depth > 0 && rapid.IntRange(0, 2).Draw(s.t, "inside") == 0 {
		task.inside = place
		s.checkpoint(place, "input")
		given = s.steps(place, depth-1, "")
	} else {
		for range rapid.IntRange(0, 2).Draw(s.t, "messages") {
			given = append(given, s.says(place)...)
		}
	}
	task.result = messages(given...)
	s.emit(ends(place, task.result))
	return given
}

// says has a model say something, perhaps with a call and its result.
func (s *sim) says(place string) []string {
	id := s.mint("m")
	text := rapid.StringMatching(`([a-z]{1,5} ){0,3}`).Draw(s.t, "text")
	for word := range strings.SplitAfterSeq(text, " ") {
		s.emit(says(place, id, word))
	}
	if !rapid.Bool().Draw(s.t, "call") {
		s.emit(stops(place, id, 3, 4))
		return []string{fmt.Sprintf(`{"content":%q,"id":%q,"type":"ai","usage_metadata":{"input_tokens":3,"output_tokens":4}}`, text, id)}
	}
	call := s.mint("c")
	s.emit(calls(place, id, piece(0, call, "look", `{"n"`)))
	s.emit(calls(place, id, piece(0, "", "", `:1}`)))
	result := tool(s.mint("r"), call, "found")
	s.emit(whole(place, result))
	return []string{aiCalls(id, text, call+` look {"n":1}`), result}
}
