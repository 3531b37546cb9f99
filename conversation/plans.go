package conversation

import (
	"context"
	"sync"
	"time"

	"inlaygraph/feed"
	"inlaygraph/projection"
	"inlaygraph/session"
	"inlaygraph/upstream"
	"inlaygraph/wire"
)

// plans makes plans ready for folding and composing, once each. Safe for concurrent use.
type plans struct {
	mu    sync.Mutex
	ready map[*wire.PlanIndex]*plan
}

// plan is one plan made ready.
type plan struct {
	fold  projection.Plan
	shape *feed.Shape
	// faults say which declared schemas do not compile; what they would check stays unchecked.
	faults []error
}

// keptPlans is how many are kept ready; beyond, one is made again when it is asked for.
const keptPlans = 256

// of returns a plan made ready, nil for none.
func (p *plans) of(index *wire.PlanIndex) *plan {
	if index == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if known := p.ready[index]; known != nil {
		return known
	}
	if p.ready == nil {
		p.ready = map[*wire.PlanIndex]*plan{}
	}
	for old := range p.ready {
		if len(p.ready) < keptPlans {
			break
		}
		delete(p.ready, old)
	}
	schemas, faults := projection.NewSchemas(index)
	made := &plan{projection.Plan{Index: index, Schemas: schemas}, feed.NewShape(index), faults}
	p.ready[index] = made
	return made
}

// shape is the plan's shape, nil for none.
func (p *plans) shape(index *wire.PlanIndex) *feed.Shape {
	if made := p.of(index); made != nil {
		return made.shape
	}
	return nil
}

// Plan reads the plan of an agent's version, as who may see it; nil when there is none. Errors are coded.
func (h *Hub) Plan(ctx context.Context, who *session.Session, agentID string, version int) (*wire.PlanIndex, error) {
	if err := checkSession(who); err != nil {
		return nil, err
	}
	if h.opts.Plans == nil {
		return nil, nil
	}
	index, err := h.opts.Plans.Get(ctx, who.Tenant, who.Token(), agentID, version)
	if err != nil {
		return nil, upstream.Coded(err)
	}
	return index, nil
}

// A conversation does not wait long for its plan, and asks again later.
const (
	planTimeout = 3 * time.Second
	planRetry   = 30 * time.Second
)

// readPlan reads the plan of the conversation's agent and version, unless it is known. Without one the conversation
// goes on: its feed stays flat, and says so.
func (r *reader) readPlan(ctx context.Context, agentID string, version int) {
	if r.hub.opts.Plans == nil || r.plan != nil && r.plan.isOf(agentID, version) || time.Now().Before(r.planAfter) {
		return
	}
	r.planAfter = time.Now().Add(planRetry)
	limited, cancel := context.WithTimeout(ctx, planTimeout)
	defer cancel()
	log := r.hub.opts.Logger.With("conversation", r.id, "agent", agentID, "version", version)
	index, err := r.hub.opts.Plans.Get(limited, r.tenant, r.who.Token(), agentID, version)
	if ctx.Err() != nil { // it was interrupted, which says nothing
		r.planAfter = time.Time{}
		return
	}
	if err != nil {
		log.Warn("no plan", "error", err)
	}
	if index == nil {
		return
	}
	r.plan = r.hub.plans.of(index)
	for _, fault := range r.plan.faults {
		log.Warn("unchecked", "error", fault)
	}
	r.tell(r.plan.fold)
}

func (p *plan) isOf(agentID string, version int) bool {
	of := p.fold.Index.Plan()
	return of.AgentID == agentID && of.AgentVersion == version
}

// Know gives the conversation a plan, which counts once the conversation turns out to be of its version. The
// errors say which declared schemas do not compile.
func (l *Live) Know(index *wire.PlanIndex) []error {
	made := l.plans.of(index)
	l.Apply(made.fold)
	return made.faults
}
