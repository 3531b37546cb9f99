package langgraph

import (
	"slices"
	"strconv"
	"time"

	"inlaygraph/wire"
)

// chronicle puts what a history holds into the order in which it happened: run by run, step by step, a task's inside
// before its end. A step that several runs worked on (one asked, another was answered; one failed, another tried
// again) is told in the run in which each thing happened, so that a longer history only adds to a shorter one.
type chronicle struct {
	*History
	*teller
	phases     []RunRecord
	lost       []int        // the runs that answered what is no longer kept
	held       map[int]bool // the runs that stopped before a step
	happenings []happening
	rows       []*wire.Row
	started    map[string]bool // by path and activation: a resumed task has one row
}

// happening is something that happened in a run.
type happening struct {
	phase int
	at    time.Time
	tell  func()
}

func (b *chronicle) happen(phase int, at time.Time, tell func()) {
	b.happenings = append(b.happenings, happening{phase, at, tell})
}

// play tells the happenings, run by run.
func (b *chronicle) play() {
	next := 0
	for p, r := range b.phases {
		b.begin(r.RunID)
		for _, a := range r.Answers {
			b.answer(a)
		}
		b.keepRows()
		for ; next < len(b.happenings) && b.happenings[next].phase == p; next++ {
			b.at = b.happenings[next].at
			b.happenings[next].tell()
			b.keepRows()
		}
		b.at = time.Time{}
		switch r.Status {
		case "pending", "running":
		case "error", "timeout":
			b.close(Failed)
		case "interrupted":
			b.close(Cancelled)
		default:
			if len(b.known.pending()) > 0 || b.held[p] {
				b.close(Interrupted)
			} else {
				b.close(Succeeded)
			}
		}
		b.keepRows()
	}
}

// walk lists what happened in a graph.
func (b *chronicle) walk(namespace string) {
	list, missing := chain(b.graphs[namespace])
	for i, c := range list {
		var before, after *checkpoint
		if i > 0 {
			before = list[i-1]
		}
		if i+1 < len(list) {
			after = list[i+1]
		}
		if c.source == "input" || len(c.input) > 0 {
			b.entered(namespace, c, after)
		} else if i == 0 && missing || c.source == "update" || c.source == "fork" {
			b.happen(b.phaseOf(c.run), c.at, func() { b.met(messagesIn(c.values)) })
		}
		if len(c.tasks) > 0 {
			b.step(namespace, before, c, after)
		}
	}
}

// entered lists what a graph was given: the user's turns, where it is the thread's own graph.
func (b *chronicle) entered(namespace string, c, after *checkpoint) {
	phase := b.phaseOf(c.run)
	b.happen(phase, c.at, func() {
		given := messagesIn(c.input)
		if namespace != "" {
			b.met(given)
			return
		}
		b.turnsOver()
		users := b.phases[phase].Human
		if len(users) == 0 {
			users = humans(c.input)
		}
		if after != nil {
			users = identified(users, messagesIn(after.values))
		}
		for i, m := range users {
			id := rowID(b.thread, idUser, m.ID)
			if m.ID == "" {
				id = rowID(b.thread, idUser, c.run, strconv.Itoa(i))
			}
			b.user(id, m)
		}
		b.met(given)
	})
}

// startPhase is the run in which a step's tasks started; false when they have not. A run may end before a step that it
// came to: at a breakpoint, or at its limit of steps.
func (b *chronicle) startPhase(c, after *checkpoint) (int, bool) {
	phase := b.phaseOf(c.run)
	if after != nil && b.phaseOf(after.run) == phase || c.marked() {
		return phase, true
	}
	switch b.phases[phase].Status {
	case "success", "error":
	default:
		return phase, true
	}
	b.held[phase] = true
	if after != nil {
		return b.phaseOf(after.run), true
	}
	if last := len(b.phases) - 1; last > phase && b.phases[last].Status == "running" {
		return last, true
	}
	return 0, false
}

// step lists what happened in a step.
func (b *chronicle) step(namespace string, before, c, after *checkpoint) {
	phase, ok := b.startPhase(c, after)
	if !ok {
		return
	}
	if before != nil {
		b.happen(phase, c.at, func() { b.owe(namespace, before.names(), c.names()) })
	}
	lives := make([]life, len(c.tasks))
	for i := range c.tasks {
		lives[i] = b.life(phase, &c.tasks[i], c, after)
		b.starts(namespace, c, &c.tasks[i], lives[i])
	}
	for i := range c.tasks {
		task, l := &c.tasks[i], lives[i]
		own := inside(namespace, task.name, task.id)
		if in := b.inside(namespace, task); in != "" {
			own = in
		}
		b.walk(own)
		b.happened(namespace, c, task, l, b.endedAt(own, c, after))
	}
}

// endedAt is when a task ended, as far as it is known: a graph inside it tells, and a task that was alone in its step
// ended when the next one began.
func (b *chronicle) endedAt(own string, c, after *checkpoint) time.Time {
	if list, _ := chain(b.graphs[own]); len(list) > 0 && len(list[len(list)-1].next) == 0 {
		return list[len(list)-1].at
	}
	if after != nil && len(c.tasks) == 1 {
		return after.at
	}
	return time.Time{}
}

// life is in which runs a task did what.
type life struct {
	start int
	fails []int // the runs in which it failed
	asks  int   // the run in which it asked what is still kept; -1: none
	end   int   // the run in which it completed; -1: it has not
}

// life works out in which runs a task did what.
func (b *chronicle) life(start int, task *pastTask, c, after *checkpoint) life {
	l := life{start: start, asks: -1, end: -1}
	last := len(b.phases) - 1
	from := start
	if len(task.interrupts) > 0 {
		l.asks, from = b.asked(start, task)
		if from < 0 && after != nil {
			from = b.phaseOf(after.run) // answered, nobody knows how
		}
	}
	done := after != nil || task.result != nil
	if after != nil {
		last = b.phaseOf(after.run)
	}
	if task.failed != nil {
		for p := max(from, start); p <= last; p++ {
			if status := b.phases[p].Status; status == "error" || status == "timeout" {
				l.fails = append(l.fails, p)
			}
		}
		if len(l.fails) == 0 {
			l.fails = []int{max(from, start)}
		}
	}
	switch {
	case !done || from < 0:
	case task.failed != nil:
		l.end = last
		l.fails = slices.DeleteFunc(l.fails, func(p int) bool { return p == last })
	case len(task.interrupts) > 0:
		l.end = from
	case after != nil && b.phases[start].Status == "interrupted":
		l.end = last // a cancelled run leaves no word of what it was about
	default:
		l.end = start
	}
	return l
}

// asked is the run in which a task asked, and the one by which all of it was answered, -1 while that is not so.
func (b *chronicle) asked(start int, task *pastTask) (asks, answered int) {
	asks = start
	open := map[string]bool{}
	for _, i := range task.interrupts {
		open[i.ID] = true
	}
	for p := start + 1; p < len(b.phases); p++ {
		for _, a := range b.phases[p].Answers {
			if delete(open, a.InterruptID); a.InterruptID == "" {
				clear(open)
			}
		}
		if len(open) == 0 {
			return asks, p
		}
		if slices.Contains(b.lost, p) {
			asks = p // it was given an answer that is no longer kept, and asked again
		}
	}
	return asks, -1
}

// starts lists a task's starts.
func (b *chronicle) starts(namespace string, c *checkpoint, task *pastTask, l life) {
	phases := append([]int{l.start}, l.fails...)
	if l.end >= 0 {
		phases = append(phases, l.end)
	}
	slices.Sort(phases)
	for _, p := range slices.Compact(phases) {
		b.happen(p, c.at, func() {
			tk := b.start(namespace, task.name, task.id, placement{push: task.push})
			if len(task.interrupts) > 0 {
				tk.calls = pastCalls(c, task)
			}
		})
	}
}

// pastCalls are the calls that a task was given: those of the last model's message, or the one that was sent.
func pastCalls(c *checkpoint, task *pastTask) []string {
	calls := lastCalls(messagesIn(c.values))
	if task.push == 0 {
		return calls
	}
	if task.push <= len(calls) && len(calls) == len(c.tasks) {
		return calls[task.push-1 : task.push]
	}
	return nil
}

// happened lists what a task asked and how it ended.
func (b *chronicle) happened(namespace string, c *checkpoint, past *pastTask, l life, at time.Time) {
	do := func(phase int, at time.Time, then func(*task)) {
		b.happen(phase, at, func() { then(b.start(namespace, past.name, past.id, placement{push: past.push})) })
	}
	if l.asks >= 0 {
		do(l.asks, c.at, func(tk *task) { b.ask(tk, past.interrupts) })
	}
	for _, p := range l.fails {
		do(p, time.Time{}, func(tk *task) { b.end(tk, nil, past.failed) })
	}
	if l.end >= 0 {
		do(l.end, at, func(tk *task) { b.end(tk, past.result, nil) })
	}
}

// keepRows turns what was told into rows.
func (b *chronicle) keepRows() {
	for _, f := range b.take() {
		kind, ok := rowTypes[f.Type]
		if !ok {
			continue
		}
		if f.Type == wire.NodeStart {
			key := wire.PathKey(append(slices.Clone(f.SubgraphPath), f.NodeID)) + f.Activation
			if b.started[key] {
				continue
			}
			b.started[key] = true
		}
		row := &wire.Row{Type: kind, Body: f.Body}
		row.Seq = int64(len(b.rows) + 1)
		b.rows = append(b.rows, row)
	}
}

// rowTypes are the frames that are kept.
var rowTypes = map[wire.FrameType]wire.RowType{
	wire.UserMessage: wire.RowUser, wire.MessageEnd: wire.RowAssistant, wire.ToolCall: wire.RowToolCall,
	wire.ToolResult: wire.RowToolResult, wire.NodeStart: wire.RowNodeStart, wire.NodeEnd: wire.RowNodeEnd,
	wire.EdgeFired: wire.RowEdge,
}
