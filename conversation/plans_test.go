package conversation

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/coded"
	"inlaygraph/session"
	"inlaygraph/upstream"
	"inlaygraph/wire"
)

// shelf is where plans are read: every plan is there, and it is noted who asked.
type shelf struct {
	mu    sync.Mutex
	asked []string
	err   error
	hangs bool
}

func (s *shelf) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

func (s *shelf) Plan(ctx context.Context, auth, agent string, version int) (*wire.Plan, error) {
	s.mu.Lock()
	s.asked = append(s.asked, fmt.Sprint(auth, " ", agent, " ", version))
	err, hangs := s.err, s.hangs
	s.mu.Unlock()
	if hangs {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	return &wire.Plan{AgentID: agent, AgentVersion: version}, nil
}

// Promise 17: plans are read with the viewer's own token, once for each tenant.
func TestPlansAreReadForTheTenant(t *testing.T) {
	s := chat(1, 3)
	synctest.Test(t, func(t *testing.T) {
		books := &shelf{}
		plans, err := upstream.NewPlans(books, nil)
		require.NoError(t, err)
		h := NewHub(Options{Source: newFake(s, len(s.frames)), Plans: plans})
		defer h.Close()
		for _, who := range []*session.Session{userOf("t1", "ann", 0), userOf("t1", "bob", 0), userOf("t2", "cy", 0)} {
			v := openAs(t, h, who)
			assert.NotNil(t, v.Conversation().Plan())
			index, err := h.Plan(t.Context(), who, "agent", 1)
			require.NoError(t, err)
			assert.NotNil(t, index)
		}
		_, err = h.Plan(t.Context(), userOf("t1", "dee", 0), "agent", 2)
		require.NoError(t, err)
		assert.Equal(t, []string{"ann agent 1", "cy agent 1", "dee agent 2"}, books.asked)
		books.err = refused("plan", upstream.Unauthenticated)
		_, err = h.Plan(t.Context(), userOf("t1", "dee", 0), "agent", 3)
		assert.Equal(t, coded.Unauthenticated, coded.CodeOf(err))
		books.err = refused("plan", upstream.Forbidden)
		index, err := h.Plan(t.Context(), userOf("t1", "dee", 0), "agent", 4)
		assert.NoError(t, err)
		assert.Nil(t, index)
	})
}
