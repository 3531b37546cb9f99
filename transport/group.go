package transport

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"inlaygraph/coded"
)

// groups are the executions that are shared now.
type groups struct {
	running sync.WaitGroup // the goroutines of groups

	mu   sync.Mutex
	open map[groupKey]*group
}

// wait waits until no group runs. Nobody may join any more.
func (gs *groups) wait(ctx context.Context) error {
	ended := make(chan struct{})
	go func() {
		gs.running.Wait()
		close(ended)
	}()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// group is one execution and those who get its results: they asked for the same operation with the same variables of the
// same thing. It runs under a context of its own. It is read by turns: one after the other, so that they are in order, and
// for a member that joins, one that begins after it joined.
//
// Locks, in this order: reading, groups.mu, mu, outbox.mu.
type group struct {
	groups  *groups
	engine  *engine
	key     groupKey
	op      *operation
	changes bool
	ctx     context.Context
	cancel  context.CancelFunc

	reading  sync.Mutex // held for a turn
	follower Follower   // nil before the first turn, and closed or not
	closed   bool
	failed   atomic.Pointer[coded.Code] // of the first error of its end
	run      *execution
	current  *result // the latest value that was read
	position string  // of changes: where most members stand
	serving  []*member

	mu       sync.Mutex
	members  []*member
	begun    bool   // there is a follower, or will be
	over     bool   // there are no more turns, and nobody joins
	farewell func() // the seat that is given back last
}

// join makes a member of whoever has a seat, and returns once its first message waits in box.
func (e *engine) join(seat *Seat, op *operation, box *outbox, of *wsOperation) (*member, bool) {
	changes := e.isChanges(op)
	key, ok := groupKeyOf(seat.Key, op, changes)
	if !ok {
		return nil, false
	}
	m := &member{box: box, op: of, leave: seat.Leave}
	if changes {
		m.position, _ = op.arguments()[positionArgument].(string)
	}
	e.groups.enter(e, key, op, m).welcome(m, seat.Follow)
	return m, true
}

// enter makes m a member of the group of key, which begins with it if there is none.
func (gs *groups) enter(e *engine, key groupKey, op *operation, m *member) *group {
	gs.mu.Lock()
	defer gs.mu.Unlock()
	g := gs.open[key]
	if g == nil {
		g = &group{groups: gs, engine: e, key: key, op: op.together(), changes: e.isChanges(op)}
		g.ctx, g.cancel = context.WithCancel(context.Background())
		if gs.open == nil {
			gs.open = map[groupKey]*group{}
		}
		gs.open[key] = g
	}
	g.admitLocked(m)
	return g
}

// together is the operation as a group runs it: with nothing of what its first subscriber said beside the document and the
// variables.
func (op *operation) together() *operation {
	shared, from := *op, op.opCtx
	shared.opCtx = &graphql.OperationContext{
		RawQuery: from.RawQuery, Variables: from.Variables, OperationName: from.OperationName, Doc: from.Doc,
		Operation: from.Operation, DisableIntrospection: from.DisableIntrospection, RecoverFunc: from.RecoverFunc,
		ResolverMiddleware: from.ResolverMiddleware, RootResolverMiddleware: from.RootResolverMiddleware,
	}
	return &shared
}

// admitLocked adds a member. groups.mu is held, so that the group is not over.
func (g *group) admitLocked(m *member) {
	g.mu.Lock()
	defer g.mu.Unlock()
	m.group, m.index = g, len(g.members)
	g.members = append(g.members, m)
}

// quit takes a member out. It may be called more than once. The last one ends the group.
func (m *member) quit() {
	g := m.group
	g.groups.mu.Lock()
	g.mu.Lock()
	left := m.left
	m.left = true
	last := false
	if !left && !g.over && !m.out {
		g.removeLocked(m)
		if last = len(g.members) == 0; last {
			g.over = true
			delete(g.groups.open, g.key)
			if g.begun {
				g.farewell = m.leave
			}
		}
	}
	begun := g.begun
	g.mu.Unlock()
	g.groups.mu.Unlock()
	if left {
		return
	}
	m.box.drop(m)
	if last {
		g.cancel()
	}
	if !last || !begun {
		m.leave()
	}
}

// removeLocked takes a member off the list.
func (g *group) removeLocked(m *member) {
	end := len(g.members) - 1
	g.members[m.index] = g.members[end]
	g.members[m.index].index = m.index
	g.members[end] = nil
	g.members = g.members[:end]
}

// expel ends some members alone, with final, and the group when nobody else is in it. It is called in a turn.
func (g *group) expel(members []*member, code coded.Code, final []byte) {
	g.groups.mu.Lock()
	g.mu.Lock()
	for _, m := range members {
		if !m.left && !m.out {
			g.removeLocked(m)
			m.out = true
			m.failed.Store(&code)
		}
	}
	empty := len(g.members) == 0 && !g.over
	if empty {
		g.over = true
		delete(g.groups.open, g.key)
	}
	g.mu.Unlock()
	g.groups.mu.Unlock()
	if empty {
		g.close()
	}
	for _, m := range members {
		m.box.finish(m, final)
	}
}

// welcome serves a member that has joined, and whoever else waits for a first message. The first of all begins the
// group.
func (g *group) welcome(m *member, follow func() Follower) {
	g.reading.Lock()
	defer g.reading.Unlock()
	if m.shown != nil || g.isOver() {
		return
	}
	if g.follower != nil {
		g.guarded(func() { g.serve(false) })
		return
	}
	if !g.begin() {
		return
	}
	g.guarded(func() {
		g.follower = follow()
		g.run = g.engine.execute(g.follower.Context(g.ctx), g.op)
		g.follower.Take()
		g.serve(true)
	})
	if g.closed {
		g.close()
		return
	}
	g.groups.running.Go(g.follow)
}

func (g *group) isOver() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.over
}

// begin reports false when everybody has left.
func (g *group) begin() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.begun = !g.over
	return g.begun
}

// follow takes a turn for all whenever something moved, until the group is over.
func (g *group) follow() {
	defer func() {
		g.reading.Lock()
		defer g.reading.Unlock()
		g.close()
	}()
	for g.next() {
	}
}

func (g *group) next() (more bool) {
	var ended error
	broken := rescued(func() { ended = g.follower.Await(g.ctx) })
	if g.ctx.Err() != nil {
		return false
	}
	g.reading.Lock()
	defer g.reading.Unlock()
	switch {
	case broken != nil:
		g.fail(broken)
	case ended != nil:
		g.guarded(func() { g.read() })
		g.conclude(nil) // if that did not
	default:
		g.guarded(func() {
			g.follower.Take()
			g.serve(true)
		})
	}
	return !g.closed
}

// guarded ends the group when f panics.
func (g *group) guarded(f func()) {
	if broken := rescued(f); broken != nil {
		g.fail(broken)
	}
}

// rescued makes an error of a panic in f.
func rescued(f func()) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = fmt.Errorf("panic in a subscription: %v\n%s", value, debug.Stack())
		}
	}()
	f()
	return nil
}

// fail ends the group with an error.
func (g *group) fail(err error) {
	failure := g.failure(err)
	g.failedWith(codeOf(failure))
	g.conclude(encodeErrors(gqlerror.List{failure}))
}

func (g *group) failedWith(code coded.Code) {
	if code != "" {
		g.failed.CompareAndSwap(nil, &code)
	}
}

// failure presents an error of the root field.
func (g *group) failure(err error) *gqlerror.Error {
	out := g.engine.present.refusal(g.ctx, err)
	out.Path = ast.Path{ast.PathName(g.op.alias)}
	return out
}

// conclude ends the group for all: with final, unless it is nil, and the end. It may be called more than once.
func (g *group) conclude(final []byte) {
	g.close()
	g.groups.mu.Lock()
	g.mu.Lock()
	members := g.members
	if !g.over {
		g.over = true
		delete(g.groups.open, g.key)
	}
	g.members = nil
	g.mu.Unlock()
	g.groups.mu.Unlock()
	for _, m := range members {
		m.box.finish(m, final)
	}
}

// close closes the follower, and gives back the seat that was left for that.
func (g *group) close() {
	if !g.closed {
		g.closed = true
		g.cancel()
		if g.follower != nil {
			g.follower.Close()
		}
	}
	g.mu.Lock()
	farewell := g.farewell
	g.farewell = nil
	g.mu.Unlock()
	if farewell != nil {
		farewell()
	}
}
