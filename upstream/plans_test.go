package upstream

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/wire"
)

// library is a PlanSource that knows every plan, but for what its refusals say, and counts.
type library struct {
	mu      sync.Mutex
	asked   []string         // "token agent version"
	refuse  map[string]error // by token or agent
	nodes   int              // of each plan
	arrived chan struct{}    // when not nil, told of every call
	gate    chan struct{}    // when not nil, calls wait until it is closed, or their context is done
}

func (l *library) Plan(ctx context.Context, auth, agent string, version int) (*wire.Plan, error) {
	l.mu.Lock()
	l.asked = append(l.asked, fmt.Sprintf("%s %.9s %d", auth, agent, version))
	gate, n := l.gate, len(l.asked)
	l.mu.Unlock()
	if l.arrived != nil {
		l.arrived <- struct{}{}
	}
	if gate != nil {
		select {
		case <-gate:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	for _, key := range []string{auth, agent} {
		if err := l.refuse[key]; err != nil {
			return nil, err
		}
	}
	plan := &wire.Plan{AgentID: agent, AgentVersion: version, Name: fmt.Sprint("reading ", n)}
	for i := range l.nodes {
		plan.Nodes = append(plan.Nodes, wire.PlanNode{Path: []string{fmt.Sprint(i)}})
	}
	return plan, nil
}

func (l *library) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.asked)
}

func failure(kind Kind) error { return &Error{Op: "plan", Kind: kind} }

func plansOf(t *testing.T, l *library, files ...*wire.Plan) *Plans {
	t.Helper()
	p, err := NewPlans(l, files)
	require.NoError(t, err)
	return p
}

// got is the name of the plan that is answered, "" for none.
func got(t *testing.T, p *Plans, tenant, auth, agent string, version int) string {
	t.Helper()
	x, err := p.Get(t.Context(), tenant, auth, agent, version)
	require.NoError(t, err)
	if x == nil {
		return ""
	}
	assert.Equal(t, agent, x.Plan().AgentID)
	assert.Equal(t, version, x.Plan().AgentVersion)
	return x.Plan().Name
}

// Promises 7 and 8: what is read once, and for whom.
func TestPlansAreReadOnce(t *testing.T) {
	l := &library{}
	p := plansOf(t, l)
	assert.Equal(t, "reading 1", got(t, p, "t", "ann", "a", 1))
	assert.Equal(t, "reading 1", got(t, p, "t", "bob", "a", 1), "of the same tenant")
	assert.Equal(t, "reading 2", got(t, p, "t", "ann", "a", 2))
	assert.Equal(t, "reading 3", got(t, p, "t", "ann", "b", 1))
	assert.Equal(t, "reading 4", got(t, p, "u", "eve", "a", 1), "of another tenant")
	assert.Equal(t, "reading 5", got(t, p, "t", "ann", "a", 0), "a draft")
	assert.Equal(t, "reading 6", got(t, p, "t", "ann", "a", 0), "a draft again")
	assert.Equal(t, "", got(t, p, "t", "ann", "a", -1))
	assert.Equal(t, []string{"ann a 1", "ann a 2", "ann b 1", "eve a 1", "ann a 0", "ann a 0"}, l.asked)
}

// Promise 7: what upstream does not know, or hides, reads as no plan for 30 seconds; what fails is asked for again.
func TestPlansThatAreNotThere(t *testing.T) {
	for _, kind := range []Kind{NotFound, Gone} {
		l := &library{refuse: map[string]error{"a": failure(kind)}}
		p := plansOf(t, l)
		now := time.Now()
		p.now = func() time.Time { return now }
		assert.Equal(t, "", got(t, p, "t", "ann", "a", 1))
		now = now.Add(30*time.Second - 1)
		assert.Equal(t, "", got(t, p, "t", "bob", "a", 1), kind)
		assert.Equal(t, 1, l.count())
		assert.Equal(t, "", got(t, p, "u", "ann", "a", 1), "another tenant asks for itself")
		assert.Equal(t, "reading 3", got(t, p, "t", "ann", "b", 1))
		l.refuse = nil
		now = now.Add(1)
		assert.Equal(t, "reading 4", got(t, p, "t", "ann", "a", 1))
	}
	for _, kind := range []Kind{NotFound, Forbidden, Gone} {
		l := &library{refuse: map[string]error{"a": failure(kind)}}
		p := plansOf(t, l)
		assert.Equal(t, "", got(t, p, "t", "ann", "a", 0))
		l.refuse = nil
		assert.Equal(t, "reading 2", got(t, p, "t", "ann", "a", 0), "of a draft nothing is kept")
	}
	for _, kind := range []Kind{Unavailable, RateLimited, Unauthenticated} {
		l := &library{refuse: map[string]error{"a": failure(kind)}}
		p := plansOf(t, l)
		for _, version := range []int{0, 1, 1} {
			_, err := p.Get(t.Context(), "t", "ann", "a", version)
			assert.ErrorIs(t, err, kind)
		}
		assert.Equal(t, 3, l.count())
	}
	l := &library{refuse: map[string]error{}}
	p := plansOf(t, l)
	for _, agent := range []string{strings.Repeat("x", 1024), strings.Repeat("y", 1025)} {
		l.refuse[agent] = failure(NotFound)
		got(t, p, "t", "ann", agent, 1)
		got(t, p, "t", "ann", agent, 1)
	}
	assert.Equal(t, 3, l.count(), "an endless id is not kept")
}

// Promise 8: what one token may not see is no answer to another, one after the other or at once.
func TestARefusalIsOnesOwn(t *testing.T) {
	l := &library{refuse: map[string]error{"eve": failure(Forbidden)}}
	p := plansOf(t, l)
	assert.Equal(t, "", got(t, p, "t", "eve", "a", 1))
	assert.Equal(t, "", got(t, p, "t", "eve", "a", 1))
	assert.Equal(t, 1, l.count(), "kept for whom it was said to")
	assert.Equal(t, "reading 2", got(t, p, "t", "ann", "a", 1))

	for _, kind := range []Kind{Forbidden, Unauthenticated} {
		l := &library{refuse: map[string]error{"eve": failure(kind)}, gate: make(chan struct{}), arrived: make(chan struct{}, 9)}
		p := plansOf(t, l)
		var all sync.WaitGroup
		ask := func(auth string) {
			all.Go(func() {
				x, err := p.Get(t.Context(), "t", auth, "a", 1)
				if auth != "eve" {
					assert.NoError(t, err)
					assert.NotNil(t, x)
				} else if kind == Unauthenticated {
					assert.ErrorIs(t, err, kind)
				} else {
					assert.NoError(t, err)
					assert.Nil(t, x)
				}
			})
		}
		ask("eve")
		<-l.arrived
		for range 4 {
			ask("ann")
		}
		waiting(t, p, 5)
		close(l.gate)
		all.Wait()
		assert.Equal(t, "eve a 1", l.asked[0])
		assert.Equal(t, "ann a 1", l.asked[1])
		assert.Equal(t, 2, l.count(), "those whose token is good share their reading too")
	}
}

// waiting waits until so many wait for the only reading.
func waiting(t *testing.T, p *Plans, n int) {
	t.Helper()
	require.Eventually(t, func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		all := 0
		for _, f := range p.flights {
			all += f.waiting
		}
		return all == n
	}, 10*time.Second, 100*time.Microsecond)
}

// Promise 7: concurrent readers share a reading, which goes on until the last of them has left.
func TestPlansAreReadOnceAtATime(t *testing.T) {
	l := &library{gate: make(chan struct{}), arrived: make(chan struct{}, 9)}
	p := plansOf(t, l)
	first, leave := context.WithCancel(t.Context())
	left := make(chan error)
	go func() {
		_, err := p.Get(first, "t", "ann", "a", 1)
		left <- err
	}()
	<-l.arrived
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() { assert.Equal(t, "reading 1", got(t, p, "t", "bob", "a", 1)) })
	}
	waiting(t, p, 21)
	leave()
	assert.Equal(t, context.Canceled, <-left)
	close(l.gate)
	all.Wait()
	assert.Equal(t, 1, l.count())

	// The last one leaves: the reading ends, and the next one is another.
	l.gate = make(chan struct{})
	last, leave := context.WithCancel(t.Context())
	go func() {
		_, err := p.Get(last, "t", "ann", "b", 1)
		left <- err
	}()
	<-l.arrived
	leave()
	assert.Equal(t, context.Canceled, <-left)
	close(l.gate)
	assert.Equal(t, "reading 3", got(t, p, "t", "ann", "b", 1))
}

// Promise 7: bounded, those go first that were not asked for longest.
func TestPlansAreBounded(t *testing.T) {
	l := &library{}
	p := plansOf(t, l)
	for v := 1; v <= maxPlans; v++ {
		got(t, p, "t", "", "a", v)
	}
	got(t, p, "t", "", "a", 1)
	got(t, p, "t", "", "a", maxPlans+1) // 2 goes
	assert.Equal(t, maxPlans+1, l.count())
	got(t, p, "t", "", "a", 1)
	assert.Equal(t, maxPlans+1, l.count())
	got(t, p, "t", "", "a", 2)
	assert.Equal(t, maxPlans+2, l.count())

	l = &library{nodes: 1500}
	p = plansOf(t, l)
	p.heavy = 40_000
	for v := 1; v <= 4; v++ {
		got(t, p, "t", "", "a", v)
	}
	assert.Equal(t, 2, p.known.Len())
	assert.Equal(t, 2*weigh(p.known.Values()[0]), p.weight)
	l.nodes = 5000
	got(t, p, "t", "", "a", 5)
	assert.Equal(t, 1, p.known.Len(), "the newest stays, whatever it weighs")
	got(t, p, "t", "", "a", 5)
	assert.Equal(t, 5, l.count())

	for v := 1; v <= maxAbsent+1; v++ {
		p.absent.Add(refusal{tenantVersion: tenantVersion{version: version{number: v}}}, time.Now())
	}
	assert.Equal(t, maxAbsent, p.absent.Len())
}

// Promise 9.
func TestGivenPlans(t *testing.T) {
	l := &library{}
	p := plansOf(t, l, &wire.Plan{AgentID: "a", AgentVersion: 1, Name: "file"}, &wire.Plan{AgentID: "a", Name: "draft"})
	assert.Equal(t, "file", got(t, p, "t", "ann", "a", 1))
	assert.Equal(t, "file", got(t, p, "u", "eve", "a", 1))
	assert.Equal(t, "draft", got(t, p, "u", "eve", "a", 0))
	assert.Equal(t, "reading 1", got(t, p, "t", "ann", "a", 2))

	p, err := NewPlans(nil, []*wire.Plan{{AgentID: "a", AgentVersion: 1, Name: "file"}})
	require.NoError(t, err)
	assert.Equal(t, "file", got(t, p, "t", "ann", "a", 1))
	assert.Equal(t, "", got(t, p, "t", "ann", "a", 2), "no source")
	assert.Equal(t, "", got(t, p, "t", "ann", "a", 0), "no source")

	_, err = NewPlans(l, []*wire.Plan{{AgentID: "a", AgentVersion: 1, Edges: []wire.PlanEdge{{From: "x"}}}})
	assert.EqualError(t, err, `the plan of "a" 1: invalid_plan at edges[0].from: "x" is no node of the plan`)
	_, err = NewPlans(l, []*wire.Plan{{AgentID: "a"}, {AgentID: "a"}})
	assert.EqualError(t, err, `two plans of "a" 0`)
}

// broken answers a plan that no PlanSource should.
type broken struct{}

func (broken) Plan(context.Context, string, string, int) (*wire.Plan, error) {
	return &wire.Plan{AgentID: "a", Tables: []wire.PlanTable{{}, {}}}, nil
}

func TestAnInvalidPlanIsNoPlan(t *testing.T) {
	p, err := NewPlans(broken{}, nil)
	require.NoError(t, err)
	for _, version := range []int{0, 1} {
		x, err := p.Get(t.Context(), "t", "", "a", version)
		assert.Nil(t, x)
		assert.ErrorIs(t, err, Unavailable)
		var e *Error
		require.True(t, errors.As(err, &e))
		assert.Contains(t, e.LogValue().String(), "invalid_plan at tables[1].name")
	}
}
