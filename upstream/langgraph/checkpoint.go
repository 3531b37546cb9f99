package langgraph

import (
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// checkpoint is what a graph stood at when a step began: what it holds, and the tasks of that step.
type checkpoint struct {
	id, parent, run string
	at              time.Time
	source          string // input, loop, update or fork
	next            []string
	tasks           []pastTask // but for the one that takes the input
	input           jsontext.Value
	values          jsontext.Value
}

// pastTask is a task as a checkpoint keeps it. Its error and its interrupts stay there when it was run again.
type pastTask struct {
	id, name   string
	push       int // which of the sent ones it is, from 1; 0: not sent
	failed     *exception
	interrupts []Interrupt
	result     jsontext.Value // nil: none, or nothing was written
	inside     string         // the namespace of what it runs, where the server tells it
}

// startTask is the task that takes a graph's input.
const startTask = "__start__"

// readCheckpoint reads one entry of a history; false when it is none.
func readCheckpoint(v jsontext.Value) (*checkpoint, bool) {
	o, ok := asObject(v)
	at := o.object("checkpoint")
	if !ok || at.text("checkpoint_id") == "" {
		return nil, false
	}
	about := o.object("metadata")
	c := &checkpoint{
		id: at.text("checkpoint_id"), parent: o.object("parent_checkpoint").text("checkpoint_id"),
		run: about.text("run_id"), source: about.text("source"), at: instant(o.text("created_at")), values: o["values"],
	}
	for _, v := range o.array("next") {
		c.next = append(c.next, asText(v))
	}
	for _, v := range o.array("tasks") {
		t, _ := asObject(v)
		p := pastTask{id: t.text("id"), name: t.text("name"), interrupts: interruptsIn(t["interrupts"])}
		if r := t["result"]; len(r) > 0 && kindOfValue(r) != 'n' {
			p.result = r
		}
		switch {
		case p.id == "" || p.name == "":
			continue
		case p.name == startTask:
			c.input = p.result
			continue
		}
		if e, ok := exceptionOf(t["error"]); ok {
			p.failed = &e
		}
		if path := t.array("path"); len(path) > 1 && asText(path[0]) == pushed {
			if i, ok := asInteger(path[1]); ok && i < 1<<31-1 {
				p.push = int(i) + 1
			}
		}
		p.inside = t.object("checkpoint").text("checkpoint_ns")
		c.tasks = append(c.tasks, p)
	}
	return c, true
}

// names are the nodes of a step.
func (c *checkpoint) names() []string {
	var names []string
	for i := range c.tasks {
		if !slices.Contains(names, c.tasks[i].name) {
			names = append(names, c.tasks[i].name)
		}
	}
	return names
}

// marked tells whether any task of a step left something behind.
func (c *checkpoint) marked() bool {
	return slices.ContainsFunc(c.tasks, func(t pastTask) bool {
		return t.failed != nil || len(t.interrupts) > 0 || t.result != nil
	})
}

// chain are the checkpoints that led to the newest one, oldest first. What was left behind by going back to an earlier
// one is not among them. The answer also tells whether earlier ones are missing.
func chain(all map[string]*checkpoint) ([]*checkpoint, bool) {
	var last *checkpoint
	for _, c := range all {
		if last == nil || c.at.After(last.at) || c.at.Equal(last.at) && strings.Compare(c.id, last.id) > 0 {
			last = c
		}
	}
	var list []*checkpoint
	seen := map[string]bool{}
	for last != nil && !seen[last.id] {
		seen[last.id] = true
		list = append(list, last)
		parent := last.parent
		if last = all[parent]; last == nil && parent != "" {
			slices.Reverse(list)
			return list, true
		}
	}
	slices.Reverse(list)
	return list, false
}
