package encoded

import (
	"sync/atomic"

	"github.com/vektah/gqlparser/v2/ast"

	"inlaygraph/projection"
	"inlaygraph/wire"
)

// rows writes rows of any kind, each by what the selection has of its kind. A kind is compiled when its first row comes.
type rows struct {
	op  *operation
	sel ast.SelectionSet

	user       atomic.Pointer[object[*projection.UserRow]]
	assistant  atomic.Pointer[object[*projection.AssistantRow]]
	output     atomic.Pointer[object[*projection.OutputRow]]
	toolCall   atomic.Pointer[object[*projection.ToolCallRow]]
	toolResult atomic.Pointer[object[*projection.ToolResultRow]]
}

func appendRows[R projection.Row](r *rows, b []byte, list []R) []byte {
	return appendList(b, list, func(b []byte, row R) []byte { return r.append(b, row) })
}

func (r *rows) append(b []byte, row projection.Row) []byte {
	switch row := row.(type) {
	case *projection.UserRow:
		if row != nil {
			return appendRow(r, b, &r.user, &userRow, row, true)
		}
	case *projection.AssistantRow:
		if row != nil {
			return appendRow(r, b, &r.assistant, &assistantRow, row, row.Complete)
		}
	case *projection.OutputRow:
		if row != nil {
			return appendRow(r, b, &r.output, &outputRow, row, row.Complete && row.Status == wire.Final)
		}
	case *projection.ToolCallRow:
		if row != nil {
			return appendRow(r, b, &r.toolCall, &toolCallRow, row, true)
		}
	case *projection.ToolResultRow:
		if row != nil {
			return appendRow(r, b, &r.toolResult, &toolResultRow, row, true)
		}
	}
	return nil
}

// appendRow writes a row, or copies what was kept of it. What has not settled is superseded by its next delta, and would
// only take the place of what is asked for again.
func appendRow[R projection.Row](r *rows, b []byte, at *atomic.Pointer[object[R]], k *kind[R], row R, settled bool) []byte {
	o := at.Load()
	if o == nil {
		o = intern(r.op.schema.cache, k, compile(&compiler{op: r.op}, k, r.sel))
		at.Store(o)
	}
	if !settled || o.id == 0 || !o.asked.Load() {
		return o.append(b, row)
	}
	cache, spine := r.op.schema.cache, row.Common()
	if text, ok := cache.get(spine, o.id); ok {
		return append(b, text...)
	}
	start := len(b)
	if b = o.append(b, row); b != nil {
		cache.keep(spine, o.id, b[start:])
	}
	return b
}

// asked says that a list was written: from the next on, rows are kept.
func (r *rows) asked() {
	ask(&r.user)
	ask(&r.assistant)
	ask(&r.output)
	ask(&r.toolCall)
	ask(&r.toolResult)
}

func ask[R projection.Row](at *atomic.Pointer[object[R]]) {
	if o := at.Load(); o != nil && !o.asked.Load() {
		o.asked.Store(true)
	}
}
