package transport

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"runtime/debug"
	"sync/atomic"

	"github.com/vektah/gqlparser/v2/gqlerror"

	"inlaygraph/coded"
)

// wsOperation is one operation of a WebSocket, from its subscribe message until its last message is written or the
// client completes it.
type wsOperation struct {
	id     string
	idJSON []byte // the id as it stands in messages
	cancel context.CancelFunc
	silent atomic.Bool   // the client has completed it: nothing more is written (promise 9)
	member *member       // of a group, once it has joined one; guarded by socket.mu
	counts *atomic.Int64 // the subscribers among whom it counts; guarded by socket.mu
}

func newOperation(id string) *wsOperation {
	text, err := appendJSON(nil, id)
	if err != nil { // a string always has a JSON form
		text, _ = json.Marshal(id)
	}
	return &wsOperation{id: id, idJSON: text}
}

// subscribe starts the operation of m, unless its id is taken or the connection runs too many.
func (c *socket) subscribe(m *message) {
	op := newOperation(m.id)
	barred := c.h.allow(c.ctx)
	c.mu.Lock()
	_, taken := c.operations[op.id]
	full := len(c.operations) >= c.h.opts.MaxOperationsPerConnection
	var ctx context.Context
	if !taken && !full && barred == nil {
		ctx, op.cancel = context.WithCancel(c.ctx)
		c.operations[op.id] = op
	}
	c.mu.Unlock()
	switch {
	case taken:
		c.close(closeSubscriberExist.saying("Subscriber for " + op.id + " already exists"))
	case full:
		c.reject(c.ctx, op, errorList(coded.RateLimited, "this connection already runs %d operations", c.h.opts.MaxOperationsPerConnection))
	case barred != nil:
		c.reject(c.ctx, op, gqlerror.List{c.h.engine.present.refusal(c.ctx, barred)})
	default:
		c.running.Go(func() { c.run(ctx, op, m.request) })
	}
}

// complete silences and cancels the operation of id, if there is one.
func (c *socket) complete(id string) {
	c.mu.Lock()
	op := c.operations[id]
	c.mu.Unlock()
	if op != nil {
		op.silent.Store(true)
		op.cancel()
		c.forget(op)
	}
}

// forget takes op out of the connection's operations, and out of its group: its id is free from here on.
func (c *socket) forget(op *wsOperation) {
	c.mu.Lock()
	known := c.operations[op.id] == op
	if known {
		delete(c.operations, op.id)
		op.uncountLocked()
	}
	c.mu.Unlock()
	if known && op.member != nil {
		op.member.quit()
	}
}

// joined remembers which group op is in. It reports false when op is over by now.
func (c *socket) joined(op *wsOperation, m *member) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.operations[op.id] != op {
		return false
	}
	op.member = m
	return true
}

// count counts op among the subscribers of a root field, until it is over.
func (c *socket) count(op *wsOperation, field string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := c.h.engine.stats.subscribers[field]; n != nil && c.operations[op.id] == op {
		op.counts = n
		n.Add(1)
	}
}

func (op *wsOperation) uncountLocked() {
	if op.counts != nil {
		op.counts.Add(-1)
		op.counts = nil
	}
}

// quit takes what is left of the connection's operations out of their groups.
func (c *socket) quit() {
	c.mu.Lock()
	left := c.operations
	c.operations = nil
	c.mu.Unlock()
	for _, op := range left {
		op.uncountLocked() // nobody else has them any more
		if op.member != nil {
			op.member.quit()
		}
	}
}

func (c *socket) reject(ctx context.Context, op *wsOperation, errs gqlerror.List) {
	_ = c.send(ctx, outgoing{op: op, kind: "error", payload: encodeList(errs), last: true})
}

// run executes op and sends its results until it ends or ctx does; it leaves one that shares its execution to the writer. A
// send that fails has lost its connection or its operation, and either has cancelled ctx.
func (c *socket) run(ctx context.Context, op *wsOperation, req *request) {
	defer op.cancel()
	defer func() {
		if value := recover(); value != nil {
			c.h.opts.Logger.ErrorContext(ctx, "panic in an operation", "panic", fmt.Sprint(value), "stack", string(debug.Stack()))
			c.close(closeInternal)
		}
	}()
	engine := c.h.engine
	ctx, o := engine.observe(ctx)
	defer o.end(Left)
	prepared, refused := engine.prepare(ctx, req)
	if refused != nil {
		o.refused(refused)
		c.reject(ctx, op, refused.errs)
		return
	}
	o.accept(prepared)
	if err := engine.allow(ctx, prepared); err != nil {
		presented := engine.present.refusal(ctx, err)
		o.end(codeOf(presented))
		c.reject(ctx, op, gqlerror.List{presented})
		return
	}
	c.count(op, prepared.field)
	repeats := engine.repeatsOf(prepared)
	src, member := engine.open(ctx, prepared, &c.outbox, op)
	if member != nil {
		o.begun(nil, member)
		if !c.joined(op, member) {
			member.quit()
		}
		return
	}
	src = o.begun(src, nil)
	for {
		payload, last, err := src.Next(ctx)
		if err != nil && err != io.EOF {
			return
		}
		if err == nil && !repeats.drop(payload) {
			if c.send(ctx, outgoing{op: op, kind: "next", payload: payload}) != nil {
				return
			}
		}
		if last || err != nil {
			_ = c.send(ctx, outgoing{op: op, kind: "complete", last: true})
			return
		}
	}
}
