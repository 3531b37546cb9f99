package langgraph

import (
	"maps"
	"slices"

	"inlaygraph/wire"
)

// Known is what a thread's runs have told so far, as far as its next run needs it: which tasks were visited, which
// messages, calls and interrupts were told of. A nil Known is that of a thread without runs. It is not changed by
// the run that is given it.
type Known struct {
	tasks      map[string]taskFacts
	messages   map[string]bool      // ids of messages that are told, or came in
	calls      map[string]callFacts // by the id that the model gave
	callIDs    map[string]bool      // of the wire
	results    map[string]bool      // by the call id of the wire
	interrupts map[string]interruptFacts
	asked      []string            // ids of interrupts, in the order of their asking
	finished   map[string][]string // by namespace: the nodes that ended in the latest step
	owed       map[string][]string // by namespace and node: those that ended before and led to it, but did not start it
	users      map[string]bool
}

// taskFacts are what is known of a task.
type taskFacts struct {
	spine wire.Spine
	kind  string
	state taskState
	usage map[string]wire.Usage // by message, of the visit
}

// taskState is how a task stands.
type taskState uint8

const (
	taskRunning taskState = iota + 1 // or waiting for an answer
	taskDone                         // completed: its writes are kept, it does not run again by itself
	taskEnded                        // failed or cancelled
	taskLost                         // its run ended without it: the next start is another visit
)

// callFacts are what is known of a call of a model.
type callFacts struct {
	wireID  string
	message string // that made it
	client  bool
	private bool
}

// interruptFacts are what is known of an interrupt.
type interruptFacts struct {
	callID string
	own    bool // the call was told for the interrupt's sake
	spine  wire.Spine
	task   string // the task that asks
	within string // its namespace
	times  int    // how often it was asked
	open   bool
}

func newKnown() *Known {
	return &Known{
		tasks: map[string]taskFacts{}, messages: map[string]bool{}, calls: map[string]callFacts{},
		callIDs: map[string]bool{}, results: map[string]bool{}, interrupts: map[string]interruptFacts{},
		finished: map[string][]string{}, owed: map[string][]string{}, users: map[string]bool{},
	}
}

// clone is a copy that shares nothing that changes. A nil Known's is empty.
func (k *Known) clone() *Known {
	if k == nil {
		return newKnown()
	}
	c := &Known{
		tasks: maps.Clone(k.tasks), messages: maps.Clone(k.messages), calls: maps.Clone(k.calls),
		callIDs: maps.Clone(k.callIDs), results: maps.Clone(k.results), interrupts: maps.Clone(k.interrupts),
		asked: slices.Clone(k.asked), finished: maps.Clone(k.finished), owed: maps.Clone(k.owed),
		users: maps.Clone(k.users),
	}
	for id, t := range c.tasks {
		t.usage = maps.Clone(t.usage)
		c.tasks[id] = t
	}
	return c
}

// Pending is a call that waits for an answer, and the interrupt that an answer to it resumes.
type Pending struct {
	ToolCallID  string
	InterruptID string // "": a server that names none; a plain resume value answers it
}

// pending lists what waits, in the order of asking.
func (k *Known) pending() []Pending {
	var all []Pending
	for _, id := range k.asked {
		if i := k.interrupts[id]; i.open {
			p := Pending{ToolCallID: i.callID, InterruptID: id}
			if isUnnamed(id) {
				p.InterruptID = ""
			}
			all = append(all, p)
		}
	}
	return all
}
