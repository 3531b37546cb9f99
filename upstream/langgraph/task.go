package langgraph

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"inlaygraph/wire"
)

// task is a task of this run: one visit of a node.
type task struct {
	id        string
	namespace string
	spine     wire.Spine
	kind      string
	again     bool // it was done in an earlier run and starts again: told only if it does something
	ended     bool
	turns     []*turn
	calls     []string // ids of the model's calls that it was given
	usage     map[string]wire.Usage
}

// placement is how a task came to start, as far as it is told.
type placement struct {
	triggers []string
	traced   bool // the triggers are told
	push     int  // which of several of its node it is, from 1; 0: the only one, or not told
}

// start tells of a task's start.
func (t *teller) start(namespace, name, id string, how placement) *task {
	if tk := t.tasks[id]; tk != nil {
		return tk // told before in this run
	}
	tk := &task{id: id, namespace: namespace, usage: map[string]wire.Usage{}}
	facts, met := t.known.tasks[id]
	lvl := t.level(namespace)
	switch {
	case !met:
		tk.spine = wire.Spine{NodeID: name, SubgraphPath: pathOf(namespace), Activation: id}
		tk.kind = t.kindOf(tk.spine.SubgraphPath, name)
		tk.spine.Iteration = lvl.enter(t.known, namespace, how)
		for _, f := range t.traversals(lvl, namespace, tk.spine, how) {
			t.fired(tk.spine.SubgraphPath, f)
		}
	default:
		tk.spine, tk.kind, tk.usage = facts.spine, facts.kind, facts.usage
		switch facts.state {
		case taskDone:
			tk.again = true
		case taskLost:
			tk.spine.Activation, tk.usage = id+"@"+t.visit, map[string]wire.Usage{}
		}
	}
	t.tasks[id] = tk
	t.order = append(t.order, tk)
	if !tk.again {
		t.begun(lvl, tk)
	}
	return tk
}

// begun tells that a task runs.
func (t *teller) begun(lvl *level, tk *task) {
	lvl.running[tk.id] = true
	t.keep(tk, taskRunning)
	t.tell(wire.NodeStart, tk.spine, func(b *wire.Body) { b.Kind, b.At = tk.kind, t.at })
}

// keep notes how a task stands.
func (t *teller) keep(tk *task, state taskState) {
	t.known.tasks[tk.id] = taskFacts{spine: tk.spine, kind: tk.kind, state: state, usage: tk.usage}
}

// revive tells of a task that starts again although it was done: it runs after all, which is another visit.
func (t *teller) revive(tk *task) {
	if !tk.again {
		return
	}
	tk.again = false
	tk.spine.Activation, tk.usage = tk.id+"@"+t.visit, map[string]wire.Usage{}
	t.begun(t.level(tk.namespace), tk)
}

// given notes what a task was given: its messages are nobody's in this run, and calls among them may be what it asks
// about.
func (t *teller) given(tk *task, input jsontext.Value) {
	messages := messagesIn(input)
	t.met(messages)
	o, _ := asObject(input)
	for _, member := range []string{"lg_tool_call", "tool_call"} {
		if call, ok := asObject(o[member]); ok && call.text("id") != "" {
			tk.calls = []string{call.text("id")}
			return
		}
	}
	tk.calls = lastCalls(messages)
}

// met notes messages that came from elsewhere.
func (t *teller) met(messages []*message) {
	for _, m := range messages {
		if m.id != "" && t.turns[m.id] == nil {
			t.known.messages[m.id] = true
		}
		if _, ours := t.known.calls[m.callID]; m.role == roleTool && !ours {
			t.known.results[m.callID] = true
		}
	}
}

// lastCalls are the calls of the last message of a model.
func lastCalls(messages []*message) []string {
	for _, m := range slices.Backward(messages) {
		if m.role != roleModel {
			continue
		}
		var ids []string
		for _, c := range m.calls {
			if c.id != "" {
				ids = append(ids, c.id)
			}
		}
		return ids
	}
	return nil
}

// end tells of a task's end: what its result holds beyond what was streamed, then the end itself.
func (t *teller) end(tk *task, result jsontext.Value, failed *exception) {
	if tk.ended {
		return
	}
	t.revive(tk)
	status, state := wire.Completed, taskDone
	var public *wire.PublicError
	if failed != nil {
		status, state = wire.Failed, taskEnded
		if cancelledWords[failed.name] {
			status = wire.Cancelled
		} else {
			f := t.failTask(tk, *failed)
			public = &f.public
		}
		result = nil
	} else {
		t.answered(tk)
	}
	t.settle(tk, messagesIn(result), failed == nil, failed != nil)
	tk.ended = true
	t.keep(tk, state)
	t.level(tk.namespace).leave(t.known, tk, status == wire.Completed)
	t.tell(wire.NodeEnd, tk.spine, func(b *wire.Body) {
		b.Status, b.Error, b.Usage, b.At = status, public, tk.spent(), t.at
	})
}

// spent is the sum of what a task's completions took, nil without any.
func (tk *task) spent() *wire.Usage {
	if len(tk.usage) == 0 {
		return nil
	}
	var sum wire.Usage
	for _, u := range tk.usage {
		sum = addUsage(sum, u)
	}
	return &sum
}

// streaming tells whether a model's message was under way.
func (tk *task) streaming() bool {
	return slices.ContainsFunc(tk.turns, func(u *turn) bool { return !u.ended })
}

// settle closes a task's turns, and tells what the result holds that was not streamed.
func (t *teller) settle(tk *task, result []*message, whole, failed bool) {
	told := map[string]bool{}
	for _, m := range result {
		told[m.id] = true
	}
	for _, u := range tk.turns {
		if u.held != nil && told[u.key] && t.repeats(tk, u, told) {
			u.held, u.ended = nil, true
			t.skip(SkipWrapped)
		}
	}
	for _, m := range result {
		switch m.role {
		case roleModel:
			t.resulting(tk, m, told)
		case roleTool:
			t.result(tk.spine, m)
		}
	}
	for _, u := range tk.turns {
		t.finish(u, whole, failed)
	}
}

// resulting takes a model's message of a task's result.
func (t *teller) resulting(tk *task, m *message, told map[string]bool) {
	u := t.turns[m.id]
	switch {
	case m.id != "" && u != nil && u.task == tk:
		if m.usage != nil {
			tk.usage[u.key] = *m.usage
		}
		t.complete(u, m)
	case m.id != "" && t.known.messages[m.id]:
		t.lateCalls(tk, m)
	default:
		u := t.turn(tk, m.id)
		u.held = m
		if t.repeats(tk, u, told) {
			u.held, u.ended = nil, true
			t.skip(SkipWrapped)
			return
		}
		u.held = nil
		if m.usage != nil {
			tk.usage[u.key] = *m.usage
		}
		t.whole(u, m)
	}
}
