package langgraph

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"inlaygraph/wire"
)

// unnamedMark begins what stands for the id of an interrupt that has none: servers before version 0.2.
const unnamedMark = "task:"

func isUnnamed(id string) bool { return strings.HasPrefix(id, unnamedMark) }

// ask tells of interrupts that a task raised, or that something inside it did: then they were told there already.
func (t *teller) ask(tk *task, interrupts []Interrupt) {
	for _, i := range interrupts {
		id := i.ID
		if id == "" {
			if id = unnamedMark + tk.id; t.asksInside(tk) {
				continue
			}
		}
		t.raise(tk, tk.spine, id, i.Value)
	}
}

// asksInside tells whether an interrupt without an id waits inside a task: then the task only repeats it.
func (t *teller) asksInside(tk *task) bool {
	around := inside(tk.namespace, tk.spine.NodeID, tk.id)
	for id, i := range t.known.interrupts {
		if i.open && isUnnamed(id) && within(i.within, around) {
			return true
		}
	}
	return false
}

// raise makes an interrupt wait: as the one call of a client tool that its task was given, or as a call of its own.
func (t *teller) raise(tk *task, spine wire.Spine, id string, value wire.JSON) {
	facts, met := t.known.interrupts[id]
	if met && facts.open {
		return
	}
	if !met {
		t.known.asked = append(t.known.asked, id)
	}
	facts.times++
	facts.open, facts.spine, facts.own = true, spine, false
	if tk != nil {
		facts.within, facts.task = tk.namespace, tk.id
	}
	if call, ok := t.clientCall(tk); ok {
		facts.callID = call
		t.known.interrupts[id] = facts
		return
	}
	facts.own, facts.callID = true, t.askID(id, facts.times)
	t.known.interrupts[id] = facts
	if value == "" {
		value = "null"
	}
	body := wire.Body{
		ID: rowID(t.thread, idCall, facts.callID), ToolCallID: facts.callID, ToolName: interruptTool,
		Input: string(value), RequiresClientResponse: true,
	}
	body.Spine = spine
	t.toolCall(tk, body)
}

// askID is the call id of an interrupt: its own the first time, since servers exist that ask twice under one id.
func (t *teller) askID(id string, times int) string {
	if times == 1 && !t.known.callIDs[id] {
		return id
	}
	for n := max(times, 2); ; n++ {
		if next := id + "." + strconv.Itoa(n); !t.known.callIDs[next] {
			return next
		}
	}
}

// clientCall is the call of a client tool that a task waits with, if there is exactly one.
func (t *teller) clientCall(tk *task) (string, bool) {
	if tk == nil {
		return "", false
	}
	found := ""
	for _, id := range tk.calls {
		facts := t.known.calls[id]
		if !facts.client || t.known.results[facts.wireID] || t.isAsked(facts.wireID) {
			continue
		}
		if found != "" {
			return "", false
		}
		found = facts.wireID
	}
	return found, found != ""
}

// isAsked tells whether an interrupt waits as that call.
func (t *teller) isAsked(callID string) bool {
	for _, i := range t.known.interrupts {
		if i.open && i.callID == callID {
			return true
		}
	}
	return false
}

// answered closes what a task asked and nobody is known to have answered, now that it is complete.
func (t *teller) answered(tk *task) {
	for _, id := range t.known.asked {
		i := t.known.interrupts[id]
		if i.open && i.task == tk.id {
			t.answer(Answer{InterruptID: id, Value: `""`})
		}
	}
}

// answer tells that interrupts were answered, and closes the calls that were told for their sake.
func (t *teller) answer(a Answer) {
	for _, id := range t.known.asked {
		facts := t.known.interrupts[id]
		if !facts.open || a.InterruptID != "" && a.InterruptID != id {
			continue
		}
		facts.open = false
		t.known.interrupts[id] = facts
		if !facts.own || t.known.results[facts.callID] {
			continue
		}
		output := string(a.Value)
		if kindOfValue(jsontext.Value(output)) == '"' {
			output = asText(jsontext.Value(output))
		}
		t.toolResult(facts.spine, facts.callID, output)
	}
}
