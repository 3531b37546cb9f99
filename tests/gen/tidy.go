package gen

import (
	"fmt"

	"inlaygraph/wire"
)

// Tidy leaves chaos what even chaos may rely on: a seq is one place of the log, so that two different facts
// never share one, and a page holds no rows, since what earlier rows do is promised for logs alone. The records
// are changed in place; repeats of a fact keep its seq.
func Tidy(recs []wire.Record) []wire.Record {
	owner, fresh := map[int64]string{}, int64(100)
	place := func(kind string, b *wire.Body) {
		if b.Seq == 0 {
			return
		}
		fact := fmt.Sprint(kind, b.NodeID, b.SubgraphPath, b.Activation, b.Iteration, b.ID, b.Name, b.ToolCallID, b.From, b.FromPort, b.HasFromPort, b.To)
		for owner[b.Seq] != "" && owner[b.Seq] != fact {
			fresh++
			b.Seq = fresh
		}
		owner[b.Seq] = fact
	}
	for i, rec := range recs {
		switch r := rec.(type) {
		case *wire.Frame:
			place(factKinds[r.Type.String()], &r.Body)
		case *wire.Row:
			place(factKinds[r.Type.String()], &r.Body)
		case *wire.Page:
			recs[i] = &wire.Page{HasEarlier: r.HasEarlier}
		}
	}
	return recs
}

// factKinds name a frame and the row that persists it alike.
var factKinds = map[string]string{
	"user.message": "user", "message.end": "assistant", "output.set": "output", "tool.call": "call", "tool.result": "result",
	"edge.fired": "edge", "node.end": "end", "user": "user", "assistant": "assistant", "output": "output", "tool-call": "call",
	"tool-result": "result", "edge": "edge", "node-end": "end", "node-start": "start",
}
