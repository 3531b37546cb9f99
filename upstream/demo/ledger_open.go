package demo

import (
	"slices"

	"inlaygraph/wire"
)

// waitFor notes a client tool's call, which waits until it is answered.
func (l *ledger) waitFor(call wire.Body) {
	if call.RequiresClientResponse {
		l.waiting = append(l.waiting, call)
	}
}

func (l *ledger) answered(call string) {
	l.waiting = slices.DeleteFunc(l.waiting, func(b wire.Body) bool { return b.ToolCallID == call })
}

// waits tells whether a client tool's call waits for its answer.
func (l *ledger) waits(call string) bool {
	return slices.ContainsFunc(l.waiting, func(b wire.Body) bool { return b.ToolCallID == call })
}

// knowsCall tells whether the log has the call.
func (l *ledger) knowsCall(call string) bool {
	return slices.ContainsFunc(l.rows, func(r *wire.Row) bool { return r.Type == wire.RowToolCall && r.ToolCallID == call })
}

func (l *ledger) enter(start wire.Body) { l.entered = append(l.entered, start) }

func (l *ledger) leave(spine wire.Spine) {
	visit := visitKey(spine)
	l.entered = slices.DeleteFunc(l.entered, func(b wire.Body) bool { return visitKey(b.Spine) == visit })
}
