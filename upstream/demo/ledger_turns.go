package demo

import (
	"slices"
	"strings"
	"time"

	"inlaygraph/wire"
)

// turn is one assistant turn on its way into the log.
type turn struct {
	spine    wire.Spine
	id       string
	nameless bool // the recording has no id for it so far; ours is a minted one
	opened   int64
	at       time.Time

	content, reasoning []byte

	row   *wire.Row // once banked
	ended bool      // its message.end came, or it came from the log
}

func (t *turn) empty() bool { return len(t.content) == 0 && len(t.reasoning) == 0 }

func (t *turn) body() wire.Body {
	return wire.Body{
		Spine: t.spine, At: t.at, ID: t.id,
		Content: string(t.content), HasContent: true,
		Reasoning: string(t.reasoning), HasReasoning: len(t.reasoning) > 0,
	}
}

// open starts a turn at the frame at hand. An empty id waits for the first delta to bring or to mint one.
func (l *ledger) open(f *wire.Frame, id string) *turn {
	t := &turn{spine: f.Spine, id: id, nameless: id == "", opened: f.Offset, at: f.At}
	l.turns = append(l.turns, t)
	l.know(id, t)
	return t
}

// turnFor finds or opens the turn that a message frame speaks of (docs/fold.md, "Rows", 3 and 4), and puts
// the turn's id on the frame. Nil when the frame names something that is no turn.
func (l *ledger) turnFor(f *wire.Frame) *turn {
	if name, ok := l.alias[f.ID]; ok && f.ID != "" {
		f.ID = name
	}
	if what, ok := l.known[f.ID]; ok {
		t, _ := what.(*turn)
		return t
	}
	for _, t := range slices.Backward(l.turns) {
		if t.nameless && sameSlot(t.spine, f.Spine) {
			l.name(t, f)
			return t
		}
	}
	t := l.open(f, "")
	l.name(t, f)
	return t
}

// name settles the id of a turn whose recording had none before this frame. An id that comes after one was
// minted is known as that one from then on: a row keeps the id it was first seen with.
func (l *ledger) name(t *turn, f *wire.Frame) {
	switch {
	case t.id == "" && f.ID != "":
		t.id, t.nameless = f.ID, false
	case t.id == "":
		t.id = l.mint()
	case f.ID != "":
		l.alias[f.ID] = t.id
		t.nameless = false
	}
	l.know(t.id, t)
	f.ID = t.id
}

func (l *ledger) takeDelta(f *wire.Frame) {
	if f.Content == "" && f.Reasoning == "" {
		return
	}
	t := l.turnFor(f)
	if t == nil || !slices.Contains(l.turns, t) {
		return
	}
	t.content = append(t.content, f.Content...)
	t.reasoning = append(t.reasoning, f.Reasoning...)
}

func (l *ledger) takeEnd(f *wire.Frame) {
	t := l.turnFor(f)
	if t == nil {
		return
	}
	if !t.ended {
		if f.HasContent {
			t.content = []byte(f.Content)
		}
		if f.HasReasoning {
			t.reasoning = []byte(f.Reasoning)
		}
		t.ended = true
		if t.row != nil {
			t.row = l.replace(t.row, t.body())
		}
		l.bank(t)
	}
	if t.row != nil {
		f.Seq = t.row.Seq
	}
}

// bank closes a turn: with text it becomes a row, empty it leaves nothing.
func (l *ledger) bank(t *turn) {
	l.turns = slices.DeleteFunc(l.turns, func(o *turn) bool { return o == t })
	switch {
	case t.row != nil:
	case t.empty():
		delete(l.known, t.id) // swept away: text that follows under this id opens a row again
	default:
		t.row = l.append(wire.RowAssistant, t.body())
	}
}

// interrupt closes the open turns of a slot (docs/fold.md, "Rows", 5).
func (l *ledger) interrupt(spine wire.Spine) {
	for _, t := range slices.Clone(l.turns) {
		if sameSlot(t.spine, spine) {
			l.bank(t)
		}
	}
}

// closeAll closes everything open, or only what one visit opened.
func (l *ledger) closeAll(visit *string) {
	for _, t := range slices.Clone(l.turns) {
		if visit == nil || visitKey(t.spine) == *visit {
			l.bank(t)
		}
	}
	for _, o := range l.outputs {
		if !o.complete && (visit == nil || visitKey(o.spine) == *visit) {
			o.complete = true
			l.persist(o)
		}
	}
}

// sameSlot compares (path, activation, iteration).
func sameSlot(a, b wire.Spine) bool {
	return a.Iteration == b.Iteration && a.Activation == b.Activation && a.NodeID == b.NodeID &&
		slices.Equal(a.SubgraphPath, b.SubgraphPath)
}

// visitKey is (path, activation) as one string.
func visitKey(s wire.Spine) string {
	return strings.Join(s.SubgraphPath, "\x00") + "\x01" + s.NodeID + "\x01" + s.Activation
}
