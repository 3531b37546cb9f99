package upstream

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"inlaygraph/wire"
)

// The bounds of what Plans keeps.
const (
	maxPlans      = 256
	maxPlanWeight = 4_000_000 // a weight of 1 takes about 50 bytes
	maxAbsent     = 4096
	maxAbsentID   = 1024 // bytes
	absentFor     = 30 * time.Second
)

// Plans keeps plans, in the way of docs/service.md ("Who may see what"). Safe for concurrent use.
type Plans struct {
	source PlanSource // nil: only what was given
	given  map[version]*wire.PlanIndex
	now    func() time.Time

	mu      sync.Mutex
	known   *simplelru.LRU[tenantVersion, *wire.PlanIndex]
	weight  int // of all that is known
	heavy   int // the weight from which on the oldest go
	absent  *simplelru.LRU[refusal, time.Time]
	flights map[tenantVersion]*flight
}

// version is one version of one agent.
type version struct {
	agentID string
	number  int
}

// tenantVersion is a version as one tenant sees it.
type tenantVersion struct {
	tenant string
	version
}

// reader stands for a token without holding it; the zero reader is everyone.
type reader [sha256.Size]byte

// refusal is an answer that there is no such plan, to everyone or to one reader.
type refusal struct {
	tenantVersion
	reader
}

// flight is one reading of a plan, under way, for all who wait for it.
type flight struct {
	reader reader // whose token it uses
	done   chan struct{}
	cancel context.CancelFunc
	// waiting is how many still want the answer; guarded by Plans.mu.
	waiting int
	index   *wire.PlanIndex // once done
	err     error           // once done
}

// NewPlans makes a cache of what the source answers; a nil source knows no plan. The plans of files are for
// everyone. An error tells of one that is not valid, or of two of one version.
func NewPlans(source PlanSource, files []*wire.Plan) (*Plans, error) {
	p := &Plans{
		source: source, given: map[version]*wire.PlanIndex{}, now: time.Now, heavy: maxPlanWeight,
		flights: map[tenantVersion]*flight{},
	}
	for _, plan := range files {
		index, err := wire.NewPlanIndex(plan)
		if err != nil {
			return nil, fmt.Errorf("the plan of %q %d: %w", plan.AgentID, plan.AgentVersion, err)
		}
		v := version{plan.AgentID, plan.AgentVersion}
		if p.given[v] != nil {
			return nil, fmt.Errorf("two plans of %q %d", plan.AgentID, plan.AgentVersion)
		}
		p.given[v] = index
	}
	var err1, err2 error
	p.known, err1 = simplelru.NewLRU(maxPlans, func(_ tenantVersion, x *wire.PlanIndex) { p.weight -= weigh(x) })
	p.absent, err2 = simplelru.NewLRU[refusal, time.Time](maxAbsent, nil)
	return p, errors.Join(err1, err2)
}

// Get answers the plan of one version of an agent, nil when upstream knows none or does not let this reader
// see it. The auth is the reader's own token. The error is the source's, or ctx's when ctx is done first.
func (p *Plans) Get(ctx context.Context, tenant, auth, agentID string, number int) (*wire.PlanIndex, error) {
	v := tenantVersion{tenant, version{agentID, number}}
	if index := p.given[v.version]; index != nil {
		return index, nil
	}
	if p.source == nil || number < 0 {
		return nil, nil
	}
	if number == 0 { // a draft can be another one the next time
		index, err := p.read(ctx, auth, v.version)
		if Hidden(err) {
			return nil, nil
		}
		return index, err
	}
	who := reader(sha256.Sum256([]byte(auth)))
	for joined := false; ; joined = true {
		f, index, absent := p.join(ctx, v, who, auth, joined)
		if index != nil || absent {
			return index, nil
		}
		select {
		case <-f.done:
		case <-ctx.Done():
			p.leave(v, f)
			return nil, ctx.Err()
		}
		// Another's token was refused: that says nothing about this reader's.
		if f.reader != who && (errors.Is(f.err, Unauthenticated) || errors.Is(f.err, Forbidden)) {
			continue
		}
		if Hidden(f.err) {
			return nil, nil
		}
		return f.index, f.err
	}
}

// join answers what is kept, or else a reading to wait for: one that is under way, or a new one. With own, it
// is one with the reader's own token.
func (p *Plans) join(ctx context.Context, v tenantVersion, who reader, auth string, own bool) (f *flight, index *wire.PlanIndex, absent bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if index, ok := p.known.Get(v); ok {
		return nil, index, false
	}
	for _, r := range []refusal{{tenantVersion: v}, {v, who}} {
		if until, ok := p.absent.Get(r); ok && p.now().Before(until) {
			return nil, nil, true
		}
	}
	f = p.flights[v]
	if f == nil || own && f.reader != who {
		f = &flight{reader: who, done: make(chan struct{})}
		// The first reader may leave before the others: the reading is no longer its own.
		ctx, f.cancel = context.WithCancel(context.WithoutCancel(ctx))
		p.flights[v] = f
		go p.fly(ctx, v, f, auth)
	}
	f.waiting++
	return f, nil, false
}

// leave gives up waiting. A reading that nobody waits for ends.
func (p *Plans) leave(v tenantVersion, f *flight) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if f.waiting--; f.waiting == 0 {
		f.cancel()
		p.land(v, f)
	}
}

// land takes a reading off the list of those under way; the lock is held.
func (p *Plans) land(v tenantVersion, f *flight) {
	if p.flights[v] == f {
		delete(p.flights, v)
	}
}

func (p *Plans) fly(ctx context.Context, v tenantVersion, f *flight, auth string) {
	defer f.cancel()
	f.index, f.err = p.read(ctx, auth, v.version)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.land(v, f)
	switch {
	case f.err == nil:
		p.keep(v, f.index)
	case errors.Is(f.err, Forbidden):
		p.refuse(refusal{v, f.reader})
	case Hidden(f.err):
		p.refuse(refusal{tenantVersion: v})
	}
	close(f.done)
}

// keep keeps a plan, at the cost of those that were not used for longest; the lock is held. However heavy the
// newest is, it stays.
func (p *Plans) keep(v tenantVersion, index *wire.PlanIndex) {
	if p.known.Contains(v) { // two readers with tokens of their own read it at once
		return
	}
	p.weight += weigh(index)
	p.known.Add(v, index)
	for p.weight > p.heavy && p.known.Len() > 1 {
		p.known.RemoveOldest()
	}
}

// refuse keeps that there is no such plan; the lock is held. An id that no agent is likely to have is not worth
// its memory.
func (p *Plans) refuse(r refusal) {
	if len(r.agentID) <= maxAbsentID {
		p.absent.Add(r, p.now().Add(absentFor))
	}
}

func (p *Plans) read(ctx context.Context, auth string, v version) (*wire.PlanIndex, error) {
	plan, err := p.source.Plan(ctx, auth, v.agentID, v.number)
	if err != nil {
		return nil, err
	}
	index, err := wire.NewPlanIndex(plan)
	if err != nil {
		return nil, &Error{Op: "plan", Kind: Unavailable, Detail: err}
	}
	return index, nil
}

// weigh estimates what a plan takes of memory: its parts, and the segments of their paths.
func weigh(x *wire.PlanIndex) int {
	const part = 8
	plan, w := x.Plan(), part
	for i := range plan.Nodes {
		w += part + len(plan.Nodes[i].Path)
	}
	for i := range plan.Edges {
		w += part + len(plan.Edges[i].SubgraphPath)
	}
	for _, region := range plan.Regions {
		w += part
		for _, branch := range region.Branches {
			w += part
			for _, member := range branch.Members {
				w += part + len(member)
			}
		}
	}
	for _, output := range plan.Outputs {
		w += part + len(output.Schema)/50
	}
	for _, table := range plan.Tables {
		w += part + len(table.Schema)/50
	}
	for _, tool := range plan.Tools {
		w += part + len(tool.Schema)/50
	}
	return w
}
