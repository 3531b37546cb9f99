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
	silent atomic.Bool // the client has completed it: nothing more is written (promise 9)
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
	c.mu.Lock()
	_, taken := c.operations[op.id]
	full := len(c.operations) >= c.h.opts.MaxOperationsPerConnection
	var ctx context.Context
	if !taken && !full {
		ctx, op.cancel = context.WithCancel(c.ctx)
		c.operations[op.id] = op
	}
	c.mu.Unlock()
	switch {
	case taken:
		c.close(closeSubscriberExist.saying("Subscriber for " + op.id + " already exists"))
	case full:
		c.reject(c.ctx, op, errorList(coded.RateLimited, "this connection already runs %d operations", c.h.opts.MaxOperationsPerConnection))
	default:
		c.running.Go(func() { c.run(ctx, op, m.request) })
	}
}

// complete silences and cancels the operation of id, if there is one.
func (c *socket) complete(id string) {
	c.mu.Lock()
	op := c.operations[id]
	delete(c.operations, id)
	c.mu.Unlock()
	if op != nil {
		op.silent.Store(true)
		op.cancel()
	}
}

// forget takes op out of the connection's operations: its id is free from here on.
func (c *socket) forget(op *wsOperation) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.operations[op.id] == op {
		delete(c.operations, op.id)
	}
}

func (c *socket) reject(ctx context.Context, op *wsOperation, errs gqlerror.List) {
	_ = c.send(ctx, outgoing{op: op, kind: "error", payload: encodeList(errs), last: true})
}

// run executes op and sends its results until it ends or ctx does. A send that fails has lost its connection or its
// operation, and either has cancelled ctx.
func (c *socket) run(ctx context.Context, op *wsOperation, req *request) {
	defer op.cancel()
	defer func() {
		if value := recover(); value != nil {
			c.h.opts.Logger.ErrorContext(ctx, "panic in an operation", "panic", fmt.Sprint(value), "stack", string(debug.Stack()))
			c.close(closeInternal)
		}
	}()
	engine := c.h.engine
	prepared, refused := engine.prepare(ctx, req)
	if refused != nil {
		c.reject(ctx, op, refused.errs)
		return
	}
	repeats := engine.repeatsOf(prepared)
	src := engine.open(ctx, prepared)
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
