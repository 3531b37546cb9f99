package langgraph

import (
	"errors"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"inlaygraph/wire"
)

// HumanMessage is what a user sent. Its ID may be empty: it is then the one that the server gave, where the stream
// tells it, else one derived from the run.
type HumanMessage struct{ ID, Content string }

// Answer is what a run resumes an interrupt with. An empty InterruptID answers whatever waits.
type Answer struct {
	InterruptID string
	Value       wire.JSON
}

// Interrupt is what a node asks for.
type Interrupt struct {
	ID    string
	Value wire.JSON
}

// RunRecord is a run as the server keeps it.
type RunRecord struct {
	RunID       string
	AssistantID string
	Status      string // pending, running, success, error, timeout or interrupted
	At          time.Time
	Human       []HumanMessage
	Answers     []Answer
}

// ParseRun reads the answer of GET /threads/{thread}/runs/{run}.
func ParseRun(data []byte) (RunRecord, error) {
	o, ok := asObject(sound(data))
	if !ok || o.text("run_id") == "" {
		return RunRecord{}, errors.New("langgraph: not a run")
	}
	kwargs := o.object("kwargs")
	r := RunRecord{
		RunID: o.text("run_id"), AssistantID: o.text("assistant_id"), Status: o.text("status"),
		At: instant(o.text("created_at")), Human: humans(kwargs["input"]),
	}
	resume, ok := kwargs.object("command")["resume"]
	if !ok || kindOfValue(resume) == 'n' {
		return r, nil
	}
	if byID, ok := asObject(resume); ok && len(byID) > 0 && answersByID(byID) {
		for _, id := range sortedNames(byID) {
			r.Answers = append(r.Answers, Answer{id, wire.JSON(compact(byID[id]))})
		}
	} else {
		r.Answers = []Answer{{Value: wire.JSON(compact(resume))}}
	}
	return r, nil
}

// answersByID tells whether a resume value names interrupts: their ids are hashes.
func answersByID(o object) bool {
	for name := range o {
		if len(name) != 32 {
			return false
		}
		for i := range len(name) {
			if !isHex(name[i]) {
				return false
			}
		}
	}
	return true
}

// ParseRuns reads the answer of GET /threads/{thread}/runs, in its order. What is no run is left out.
func ParseRuns(data []byte) ([]RunRecord, error) {
	list, ok := asArray(sound(data))
	if !ok {
		return nil, errors.New("langgraph: not a list of runs")
	}
	runs := make([]RunRecord, 0, len(list))
	for _, v := range list {
		if r, err := ParseRun(v); err == nil {
			runs = append(runs, r)
		}
	}
	return runs, nil
}

// humans finds what the user said in a run's input.
func humans(input jsontext.Value) []HumanMessage {
	var all []HumanMessage
	add := func(m *message) {
		if m.role == roleHuman {
			all = append(all, HumanMessage{ID: m.id, Content: m.text()})
		}
	}
	o, isObject := asObject(input)
	if s := o["messages"]; isObject && kindOfValue(s) == '"' {
		return []HumanMessage{{Content: asText(s)}}
	}
	for _, m := range messagesIn(input) {
		add(m)
	}
	if len(all) > 0 || !isObject {
		return all
	}
	for _, v := range o.array("messages") { // ["user", "text"], or "text"
		if kindOfValue(v) == '"' {
			all = append(all, HumanMessage{Content: asText(v)})
		} else if pair, ok := asArray(v); ok && len(pair) == 2 && roles[asText(pair[0])] == roleHuman {
			all = append(all, HumanMessage{Content: asText(pair[1])})
		}
	}
	return all
}

// HumanInput is the `input` of a run by which a user says something.
func HumanInput(content, id string) jsontext.Value {
	out := append([]byte(`{"messages":[{"role":"user","content":`), quoted(content)...)
	if id != "" {
		out = append(append(out, `,"id":`...), quoted(id)...)
	}
	return append(out, `}]}`...)
}

// State is how a thread stands.
type State struct {
	RunID      string // of the run that wrote it
	At         time.Time
	Next       []string // the nodes to run next
	Interrupts []Interrupt
	Errors     []string // names of the exceptions of its tasks, "" for one without a name
}

// ParseState reads the answer of GET /threads/{thread}/state.
func ParseState(data []byte) (*State, error) {
	o, ok := asObject(sound(data))
	if !ok || kindOfValue(o["tasks"]) != '[' && kindOfValue(o["checkpoint"]) != '{' {
		return nil, errors.New("langgraph: not a thread's state")
	}
	s := &State{RunID: o.object("metadata").text("run_id"), At: instant(o.text("created_at"))}
	for _, v := range o.array("next") {
		s.Next = append(s.Next, asText(v))
	}
	for _, v := range o.array("tasks") {
		task, _ := asObject(v)
		if k := kindOfValue(task["result"]); k != 0 && k != 'n' {
			continue // done: what it asked is answered
		}
		for _, i := range interruptsIn(task["interrupts"]) {
			if !slices.ContainsFunc(s.Interrupts, func(known Interrupt) bool { return known.ID == i.ID && i.ID != "" }) {
				s.Interrupts = append(s.Interrupts, i)
			}
		}
		if e, ok := exceptionOf(task["error"]); ok {
			s.Errors = append(s.Errors, e.name)
		}
	}
	return s, nil
}

// interruptsIn reads a list of interrupts.
func interruptsIn(v jsontext.Value) []Interrupt {
	var all []Interrupt
	list, _ := asArray(v)
	for _, item := range list {
		o, ok := asObject(item)
		if !ok {
			continue
		}
		id := o.text("id")
		if id == "" {
			id = o.text("interrupt_id")
		}
		all = append(all, Interrupt{ID: id, Value: wire.JSON(compact(o["value"]))})
	}
	return all
}

// OutcomeStatus is how a run ended.
type OutcomeStatus uint8

// The ways in which a run ends.
const (
	Succeeded   OutcomeStatus = iota + 1 // run.pause paused: a thread takes another turn
	Interrupted                          // run.pause awaiting_client_tool; paused when nothing is asked
	Failed                               // run.end failed, retryable
	Cancelled                            // run.end cancelled
)

// Outcome is how a run ended, as the server tells it once it is asked: the stream does not.
type Outcome struct {
	Status OutcomeStatus
	// Error is the name of the exception of a run that failed, when it is known; never its text.
	Error string
	// Interrupts are what the thread waits for. Those that the stream told are known.
	Interrupts []Interrupt
}

// OutcomeOf is how a run ended; false while it goes on. The state is the thread's after that run, nil when it can't be
// read: then a run that waits for an answer is not told from one that succeeded.
func OutcomeOf(run RunRecord, state *State) (Outcome, bool) {
	if state == nil {
		state = &State{}
	}
	switch run.Status {
	case "success":
		if len(state.Interrupts) > 0 || len(state.Next) > 0 {
			return Outcome{Status: Interrupted, Interrupts: state.Interrupts}, true
		}
		return Outcome{Status: Succeeded}, true
	case "interrupted": // by a cancel, or by a run that took its place
		return Outcome{Status: Cancelled}, true
	case "error", "timeout":
		o := Outcome{Status: Failed}
		for _, name := range state.Errors {
			if !cancelledWords[name] {
				o.Error = name
				break
			}
		}
		if run.Status == "timeout" && o.Error == "" {
			o.Error = timeoutError
		}
		return o, true
	}
	return Outcome{}, false
}

// instant reads a time, the zero time when there is none.
func instant(s string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}
