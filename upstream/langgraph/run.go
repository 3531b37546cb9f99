package langgraph

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"inlaygraph/wire"
)

// RunInfo is what a run is begun with.
type RunInfo struct {
	ThreadID, RunID string
	AgentID         string          // the assistant's id
	AgentVersion    int             // the assistant's version
	At              time.Time       // when the run was made; zero: not told
	Human           []HumanMessage  // what the user sent with it
	Answers         []Answer        // the interrupts that it resumes
	Known           *Known          // of the runs before it; nil: there are none
	Plan            *wire.PlanIndex // nil: none is known
	PrivateTools    map[string]bool // by name, beside those that the plan has as private
}

// Run translates the events of one run into live frames (docs/langgraph.md), without offsets. Start comes first, End
// last; each is called once.
type Run struct {
	info    RunInfo
	t       *teller
	attempt int64
	unsaid  []HumanMessage // users' turns whose ids the stream has to tell
	raised  []raised
	failed  *exception // of the stream's error event
	ended   bool
}

// raised is an interrupt as a level told it.
type raised struct {
	namespace string
	Interrupt
}

// NewRun makes the translator of a run.
func NewRun(info RunInfo) *Run {
	r := &Run{info: info, t: newTeller(info.ThreadID, info.Plan, info.PrivateTools, info.Known)}
	r.t.begin(info.RunID)
	return r
}

// Start tells run.start, the user's turns and the answers to interrupts.
func (r *Run) Start() []*wire.Frame {
	t := r.t
	t.at = r.info.At
	t.tell(wire.RunStart, wire.Spine{}, func(b *wire.Body) {
		b.RunID, b.ConversationID, b.AgentID = r.info.RunID, r.info.ThreadID, r.info.AgentID
		b.AgentVersion, b.At = r.info.AgentVersion, t.at
	})
	for _, a := range r.info.Answers {
		t.answer(a)
	}
	if len(r.info.Human) > 0 {
		t.turnsOver()
	}
	for i, m := range r.info.Human {
		if m.ID == "" {
			r.unsaid = r.info.Human[i:]
			break
		}
		t.user(rowID(t.thread, idUser, m.ID), m)
	}
	t.at = time.Time{}
	return t.take()
}

// turnsOver forgets what only the turn before needed.
func (t *teller) turnsOver() {
	clear(t.known.finished)
	clear(t.known.owed)
	for id, i := range t.known.interrupts {
		i.open = false // nobody can answer it any more
		t.known.interrupts[id] = i
	}
}

// Event translates one event: its name and its data. What it does not understand is counted (promise 2).
func (r *Run) Event(name string, data []byte) []*wire.Frame {
	if r.ended {
		r.t.skip(SkipAfterEnd)
		return nil
	}
	mode, namespace, _ := strings.Cut(name, namespaceMark)
	body := jsontext.Value(sound(data))
	switch mode {
	case "tasks":
		r.task(namespace, body)
	case "messages":
		r.message(namespace, body)
	case "updates":
		r.update(namespace, body)
	case "metadata":
		r.metadata(body)
	case "error":
		if e, ok := exceptionOf(body); ok {
			r.failed = &e
		} else {
			r.t.skip(SkipMalformed)
		}
	case "custom":
		r.t.skip(SkipCustom)
	case "tools":
		r.t.skip(SkipTools)
	default:
		r.t.skip(SkipMode)
	}
	return r.t.take()
}

// metadata tells of an attempt: a server may run a run again by itself.
func (r *Run) metadata(body jsontext.Value) {
	o, ok := asObject(body)
	if !ok {
		r.t.skip(SkipMalformed)
		return
	}
	n, ok := o.integer("attempt")
	if !ok || n <= r.attempt {
		return
	}
	if r.attempt > 0 {
		r.t.close(Failed)
		r.t.begin(r.info.RunID)
		r.t.visit = r.info.RunID + "." + strconv.FormatInt(n, 10)
	}
	r.attempt = n
}

// task takes a task's start or end.
func (r *Run) task(namespace string, body jsontext.Value) {
	o, ok := asObject(body)
	id, name := o.text("id"), o.text("name")
	if !ok || id == "" || name == "" {
		r.t.skip(SkipMalformed)
		return
	}
	_, hasResult := o["result"]
	if !hasResult && len(o["error"]) == 0 {
		r.begin(namespace, name, id, o)
		return
	}
	tk := r.t.start(namespace, name, id, placement{})
	if e, failed := exceptionOf(o["error"]); failed {
		r.t.end(tk, nil, &e)
	} else if asked := interruptsIn(o["interrupts"]); len(asked) > 0 {
		r.t.revive(tk)
		r.t.settle(tk, nil, true, false)
		r.t.ask(tk, asked)
	} else {
		r.t.end(tk, o["result"], nil)
	}
}

// begin takes a task's start.
func (r *Run) begin(namespace, name, id string, o object) {
	how := placement{traced: true}
	for _, v := range o.array("triggers") {
		how.triggers = append(how.triggers, asText(v))
	}
	if namespace == "" {
		r.users(messagesIn(o["input"]))
	}
	r.t.given(r.t.start(namespace, name, id, how), o["input"])
}

// users tells the users' turns whose ids the server made, now that the first task shows them.
func (r *Run) users(input []*message) {
	if len(r.unsaid) > 0 {
		r.unsaid = identified(r.unsaid, input)
		r.tellUnsaid()
	}
}

// identified gives users' turns the ids that a state's last messages of users have, where it is certain that they are
// the same.
func identified(said []HumanMessage, state []*message) []HumanMessage {
	var inState []*message
	for _, m := range state {
		if m.role == roleHuman {
			inState = append(inState, m)
		}
	}
	first := len(inState) - len(said)
	if first < 0 {
		return said
	}
	said = slices.Clone(said)
	for i, m := range inState[first:] {
		if said[i].ID == "" && m.text() == said[i].Content {
			said[i].ID = m.id
		}
	}
	return said
}

// tellUnsaid tells the users' turns that wait for an id. One that gets none has one of the run's.
func (r *Run) tellUnsaid() {
	r.t.at = r.info.At
	first := len(r.info.Human) - len(r.unsaid)
	for i, m := range r.unsaid {
		id := rowID(r.t.thread, idUser, m.ID)
		if m.ID == "" {
			id = rowID(r.t.thread, idUser, r.t.run, strconv.Itoa(first+i))
		}
		r.t.user(id, m)
	}
	r.t.at, r.unsaid = time.Time{}, nil
}

// message takes a message, or a piece of one, with what is told around it.
func (r *Run) message(namespace string, body jsontext.Value) {
	pair, ok := asArray(body)
	if !ok || len(pair) != 2 {
		r.t.skip(SkipMalformed)
		return
	}
	m, isMessage := asMessage(pair[0])
	around, hasAround := asObject(pair[1])
	if !isMessage || !hasAround {
		r.t.skip(SkipMalformed)
		return
	}
	if m.role != roleModel && m.role != roleTool {
		r.t.skip(SkipMessageKind)
		return
	}
	tk := r.taskOf(namespace, around)
	switch {
	case tk == nil:
		r.t.skip(SkipUnplaced)
	case m.role == roleModel:
		r.t.piece(tk, m)
	default:
		r.t.revive(tk)
		r.t.result(tk.spine, m)
	}
}

// taskOf finds the task that a message is of. One whose start was not told has started nevertheless.
func (r *Run) taskOf(namespace string, around object) *task {
	for _, member := range []string{"langgraph_checkpoint_ns", "checkpoint_ns"} {
		if in, name, id, ok := innermost(around.text(member)); ok {
			return r.t.start(in, name, id, placement{})
		}
	}
	// Older servers: the node's name, in the namespace of the event.
	var found *task
	for _, tk := range r.t.order {
		if tk.namespace == namespace && tk.spine.NodeID == around.text("langgraph_node") && !tk.ended {
			if found != nil {
				return nil
			}
			found = tk
		}
	}
	return found
}

// update takes what nodes wrote. Their messages are in their tasks' results; what only stands here is that something
// waits, where the task that asks does not tell.
func (r *Run) update(namespace string, body jsontext.Value) {
	o, ok := asObject(body)
	if !ok {
		r.t.skip(SkipMalformed)
		return
	}
	for _, i := range interruptsIn(o["__interrupt__"]) {
		if i.ID != "" && !slices.ContainsFunc(r.raised, func(k raised) bool { return k.ID == i.ID }) {
			r.raised = append(r.raised, raised{namespace, i})
		}
	}
}

// End closes what is open and tells how the run ended.
func (r *Run) End(o Outcome) []*wire.Frame {
	if r.ended {
		return nil
	}
	r.ended = true
	t := r.t
	if len(r.unsaid) > 0 {
		r.tellUnsaid()
	}
	t.close(o.Status)
	if o.Status == Interrupted {
		r.waiting(o.Interrupts)
	}
	switch o.Status {
	case Failed:
		e, told := exception{name: o.Error}, r.failed != nil
		if told {
			e = *r.failed
		}
		public := t.runFailure(e, told)
		t.tell(wire.RunEnd, wire.Spine{}, func(b *wire.Body) {
			b.Status, b.Error, b.Retryable = wire.Failed, &public, true
		})
	case Cancelled:
		t.tell(wire.RunEnd, wire.Spine{}, func(b *wire.Body) { b.Status = wire.Cancelled })
	default:
		status := wire.Paused
		if o.Status == Interrupted && len(t.known.pending()) > 0 {
			status = wire.AwaitingClientTool
		}
		t.tell(wire.RunPause, wire.Spine{}, func(b *wire.Body) { b.Status = status })
	}
	return t.take()
}

// waiting tells the interrupts that no task told.
func (r *Run) waiting(state []Interrupt) {
	raise := func(namespace string, i Interrupt) {
		if i.ID == "" {
			return
		}
		if in, name, id, ok := innermost(namespace); ok {
			tk := r.t.start(in, name, id, placement{})
			r.t.raise(tk, tk.spine, i.ID, i.Value)
		} else {
			r.t.raise(nil, wire.Spine{}, i.ID, i.Value)
		}
	}
	for _, i := range r.raised {
		if !slices.ContainsFunc(state, func(s Interrupt) bool { return s.ID == i.ID }) && len(state) > 0 {
			continue // it was answered since
		}
		raise(i.namespace, i.Interrupt)
	}
	for _, i := range state {
		// A known one was told, and may be answered by now: a state keeps what its tasks asked.
		if _, known := r.t.known.interrupts[i.ID]; !known {
			raise("", i)
		}
	}
}

// Known is what the thread's next run needs to know; a copy.
func (r *Run) Known() *Known { return r.t.known.clone() }

// Pending is what waits for an answer.
func (r *Run) Pending() []Pending { return r.t.known.pending() }

// Skipped counts, by reason, what made no frame; a copy.
func (r *Run) Skipped() map[Skip]int64 { return maps.Clone(r.t.skipped) }

// Unknown says in words of ours what could not be told; it names nodes.
func (r *Run) Unknown() []string { return slices.Clone(r.t.unknown) }

// ErrorName is the name of the exception that the stream ended with, "" without one.
func (r *Run) ErrorName() string {
	if r.failed == nil {
		return ""
	}
	return r.failed.name
}
