package langgraph

import (
	"strconv"
	"strings"

	"inlaygraph/wire"
)

// turn is a model's message as it arrives: one assistant turn, or several where calls stand between its text.
type turn struct {
	key     string // its message's id, or what stands for it
	task    *task
	segment int
	open    bool // the segment has text and goes on
	closed  bool // the segment's turn was ended by something else: further text opens another
	apart   bool // a call stood after the segment's text
	ended   bool
	held    *message           // the whole message, while it may be a repetition of another turn
	taken   bool               // its repetition was dropped
	text    strings.Builder    // of all segments
	halves  [2]halves          // of content and of reasoning
	part    [2]strings.Builder // content and reasoning of the segment
	left    bool               // its task's end closed the segment
	late    bool               // text came after its task's end
	calls   []*assembly
}

// turn finds or makes the turn of a message of a task.
func (t *teller) turn(tk *task, id string) *turn {
	if u := t.turns[id]; id != "" && u != nil {
		return u
	}
	u := &turn{key: id, task: tk}
	for n := len(tk.turns); u.key == ""; n++ {
		if key := tk.spine.Activation + "#" + strconv.Itoa(n); !t.known.messages[key] {
			u.key = key
		}
	}
	t.turns[u.key] = u
	t.known.messages[u.key] = true
	tk.turns = append(tk.turns, u)
	return u
}

// piece takes a message of a stream: a piece of one, or a whole one.
func (t *teller) piece(tk *task, m *message) {
	t.revive(tk)
	u := t.turns[m.id]
	switch {
	case u == nil && m.id != "" && t.known.messages[m.id], u != nil && u.task != tk:
		t.skip(SkipRepeated)
		return
	case u == nil:
		if m.id == "" {
			u = tk.unnamed(m.chunk)
		}
		if u == nil {
			u = t.turn(tk, m.id)
			if text := m.text(); text != "" && tk.said(u, text) != nil {
				u.held = m
				t.spend(u, m)
				return
			}
		}
	case u.held != nil:
		t.release(u)
	}
	t.spend(u, m)
	t.grow(u, m)
}

// unnamed is the turn that a piece without an id goes on with.
func (tk *task) unnamed(chunk bool) *turn {
	if n := len(tk.turns); chunk && n > 0 {
		if u := tk.turns[n-1]; !u.ended && strings.HasPrefix(u.key, tk.spine.Activation+"#") {
			return u
		}
	}
	return nil
}

// said is another turn of the task that has that text and was not repeated yet.
func (tk *task) said(than *turn, text string) *turn {
	for _, u := range tk.turns {
		if u != than && !u.taken && u.held == nil && u.text.String() == text {
			return u
		}
	}
	return nil
}

// repeats tells whether the message that a turn holds only repeats a turn that was streamed: a node that puts the
// text of a model's answer into a message of its own gives it again, under another id. The result then lacks the
// turn that was streamed.
func (t *teller) repeats(tk *task, u *turn, told map[string]bool) bool {
	text := u.held.text()
	if text == "" {
		return false
	}
	for _, other := range tk.turns {
		if other != u && !other.taken && other.held == nil && !told[other.key] && other.text.String() == text {
			other.taken = true
			return true
		}
	}
	return false
}

// spend notes the tokens of a message.
func (t *teller) spend(u *turn, m *message) {
	if m.usage == nil {
		return
	}
	if was, ok := u.task.usage[u.key]; ok && m.chunk {
		u.task.usage[u.key] = addUsage(was, *m.usage)
	} else {
		u.task.usage[u.key] = *m.usage
	}
}

// release tells what was held back.
func (t *teller) release(u *turn) {
	m := u.held
	u.held = nil
	t.grow(u, m)
}

// grow takes a piece of a message that goes on.
func (t *teller) grow(u *turn, m *message) {
	for _, p := range m.parts {
		if p.isCall {
			u.apart = true
			continue
		}
		if u.apart && p.apart && len(p.content)+len(p.reasoning) > 2 {
			t.flush(u)
			u.closed = true
		}
		content, reasoning := u.halves[0].next(p.content), u.halves[1].next(p.reasoning)
		t.add(u, content, reasoning)
	}
	for _, c := range m.calls {
		u.gather(c)
	}
	if m.ended && !u.ended {
		t.flush(u)
		u.ended = true
	}
}

// add tells text of a turn.
func (t *teller) add(u *turn, content, reasoning string) {
	if content == "" && reasoning == "" {
		return
	}
	if u.closed {
		u.segment, u.closed = u.segment+1, false
		u.part = [2]strings.Builder{}
	}
	u.text.WriteString(content)
	u.part[0].WriteString(content)
	u.part[1].WriteString(reasoning)
	if u.task.ended {
		u.late = true // the task's end closed the turn: it is told once more, as a whole
		return
	}
	u.open = true
	t.tell(wire.MessageDelta, u.task.spine, func(b *wire.Body) {
		b.ID = turnID(t.thread, u.key, u.segment)
		b.Content, b.Reasoning, b.HasContent, b.HasReasoning = content, reasoning, content != "", reasoning != ""
	})
}

// bank ends the turn of a segment that is open.
func (t *teller) bank(u *turn) {
	t.add(u, u.halves[0].rest(), u.halves[1].rest())
	if !u.open {
		return
	}
	u.open, u.closed = false, true
	t.tell(wire.MessageEnd, u.task.spine, func(b *wire.Body) { b.ID = turnID(t.thread, u.key, u.segment) })
}

// leave lets a task's end close the turn of a segment that is open: what a task was writing when it failed may still
// go on to arrive.
func (u *turn) leave() {
	if u.open {
		u.open, u.left = false, true
	}
}

// lateText tells what came after the task's end.
func (t *teller) lateText(u *turn) {
	if u.task.ended {
		t.add(u, u.halves[0].rest(), u.halves[1].rest())
	}
	if !u.late {
		return
	}
	u.late, u.left, u.closed = false, false, true
	content, reasoning := u.part[0].String(), u.part[1].String()
	t.tell(wire.MessageEnd, u.task.spine, func(b *wire.Body) {
		b.ID = turnID(t.thread, u.key, u.segment)
		b.Content, b.HasContent, b.Reasoning, b.HasReasoning = content, true, reasoning, reasoning != ""
	})
}

// flush ends a segment: its turn, then the calls that were gathered.
func (t *teller) flush(u *turn) {
	t.bank(u)
	calls := u.calls
	u.calls, u.apart = nil, false
	for _, c := range calls {
		t.call(u.task, u.key, c.whole())
	}
}

// finish ends a turn. Calls whose arguments may lack something are not told. A turn that its task's failure cut off is
// left to the task's end.
func (t *teller) finish(u *turn, whole, failed bool) {
	if u.held != nil {
		t.release(u)
	}
	if !whole {
		u.calls = nil
	}
	if failed {
		u.leave()
	}
	t.flush(u)
	u.ended = true
}

// complete ends a turn that was streamed, now that its message is known as a whole.
func (t *teller) complete(u *turn, m *message) {
	if u.held != nil {
		t.release(u)
	}
	if !u.ended {
		for _, c := range m.calls {
			c.whole = true // also in a message that was put together from the stream's pieces
			u.gather(c)
		}
		t.flush(u)
		u.ended = true
	}
	t.lateCalls(u.task, m)
}

// lateCalls tells the calls of a message that were not told with it.
func (t *teller) lateCalls(tk *task, m *message) {
	for _, c := range m.calls {
		if _, ok := t.known.calls[c.id]; !ok && c.id != "" {
			t.call(tk, m.id, c)
		}
	}
}

// whole tells a message that was not streamed.
func (t *teller) whole(u *turn, m *message) {
	for i, s := range m.segments() {
		u.text.WriteString(s.content)
		if s.content != "" || s.reasoning != "" {
			t.tell(wire.MessageEnd, u.task.spine, func(b *wire.Body) {
				b.ID = turnID(t.thread, u.key, i)
				b.Content, b.HasContent, b.Reasoning, b.HasReasoning = s.content, true, s.reasoning, s.reasoning != ""
			})
		}
		for _, c := range s.calls {
			t.call(u.task, u.key, c)
		}
	}
	u.segment, u.closed, u.ended = len(m.segments())-1, true, true
}
