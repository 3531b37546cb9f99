package demo

import (
	"slices"
	"time"

	"inlaygraph/wire"
)

// output is one streamed or whole artifact on its way into the log.
type output struct {
	spine  wire.Spine
	id     string
	opened int64
	at     time.Time

	name     string
	text     []byte // the value while it is a string that grows; see streamed
	streamed bool
	value    wire.JSON
	format   wire.ArtifactFormat
	status   wire.BindingStatus
	complete bool
	promoted struct{ is, said bool }

	row *wire.Row // once persisted
}

func outputOf(row *wire.Row) *output {
	o := &output{
		spine: row.Spine, id: row.ID, at: row.At, name: row.Name, value: row.Value, format: row.Format,
		status: row.ValueStatus, complete: row.Complete, row: row,
	}
	o.promoted.is, o.promoted.said = row.Promoted, row.HasPromoted
	return o
}

func (o *output) json() wire.JSON {
	if o.streamed {
		return stringJSON(string(o.text))
	}
	return o.value
}

func (o *output) body() wire.Body {
	return wire.Body{
		Spine: o.spine, At: o.at, ID: o.id, Name: o.name, Value: o.json(), Format: o.format,
		ValueStatus: o.status, Complete: o.complete, Promoted: o.promoted.is, HasPromoted: o.promoted.said,
	}
}

// inner tells a subagent's own output from one that counts as the conversation's.
func (o *output) inner() bool { return len(o.spine.SubgraphPath) > 0 && !o.promoted.is }

// outputFor finds the output that a frame speaks of (docs/fold.md, "Rows", 6), or opens one. Nil when the id
// is another kind of row's, or another name's.
func (l *ledger) outputFor(f *wire.Frame) *output {
	if name, ok := l.alias[f.ID]; ok && f.ID != "" {
		f.ID = name
	}
	if what, ok := l.known[f.ID]; ok && f.ID != "" {
		o, _ := what.(*output)
		if o == nil || o.name != f.Name {
			return nil
		}
		return o
	}
	if f.ID == "" {
		for _, o := range slices.Backward(l.outputs) {
			if !o.complete && o.name == f.Name && sameSlot(o.spine, f.Spine) {
				f.ID = o.id
				return o
			}
		}
		f.ID = l.mint()
	}
	o := &output{spine: f.Spine, id: f.ID, opened: f.Offset, at: f.At, name: f.Name, status: wire.Building}
	o.streamed = f.Type == wire.OutputDelta
	l.outputs = append(l.outputs, o)
	l.know(o.id, o)
	return o
}

func (l *ledger) takeOutputDelta(f *wire.Frame) {
	o := l.outputFor(f)
	if o == nil || o.complete || o.row != nil || !o.grow(f.Delta) {
		return
	}
	l.interrupt(f.Spine)
	o.hint(f)
}

func (l *ledger) takeOutputSet(f *wire.Frame) {
	o := l.outputFor(f)
	if o == nil {
		return
	}
	l.interrupt(f.Spine)
	o.hint(f)
	o.value, o.streamed, o.text = f.Value, false, nil
	o.status, o.complete = f.ValueStatus, f.Complete
	if o.complete || o.row != nil {
		l.persist(o)
		f.Seq = o.row.Seq
	}
}

// persist writes an output's row, or refines it.
func (l *ledger) persist(o *output) {
	if o.row == nil {
		o.row = l.append(wire.RowOutput, o.body())
	} else {
		o.row = l.replace(o.row, o.body())
	}
}

// grow appends to a value that is a string; false when it is none.
func (o *output) grow(delta string) bool {
	if !o.streamed {
		text, ok := stringOf(o.value)
		if !ok {
			return false
		}
		o.text, o.streamed = []byte(text), true
	}
	o.text = append(o.text, delta...)
	return true
}

// hint takes the members that stay when a later frame leaves them out.
func (o *output) hint(f *wire.Frame) {
	if f.Format != 0 {
		o.format = f.Format
	}
	if f.HasPromoted {
		o.promoted.is, o.promoted.said = f.Promoted, true
	}
}
