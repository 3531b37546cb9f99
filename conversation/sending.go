package conversation

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"time"

	"inlaygraph/coded"
	"inlaygraph/session"
)

// The bounds of what is remembered of sends (docs/service.md, "Mutations").
const (
	sentFor      = 10 * time.Minute
	maxSends     = 100_000
	maxRequestID = 256 // bytes
)

// sending is a send under way or done, for everybody who asks for it.
type sending struct {
	input [sha256.Size]byte // stands for what was asked
	until time.Time         // when it is forgotten; zero while under way. Guarded by Hub.mu
	done  chan struct{}

	// Said before done is closed.
	id    string
	fresh bool
	err   error
}

// sends are those that were given an id by their clients. Guarded by Hub.mu.
type sends map[sendKey]*sending

type sendKey struct{ tenant, subject, id string }

// sending finds the send that a client asks for again, or starts it.
func (h *Hub) sending(ctx context.Context, who *session.Session, in *SendInput) (*sending, error) {
	s := &sending{done: make(chan struct{})}
	var k *sendKey
	if in.ClientRequestID != nil {
		k = &sendKey{who.Tenant, who.Subject, *in.ClientRequestID}
		text, err := json.Marshal(in)
		if err != nil {
			return nil, fmt.Errorf("encoding a send: %w", err)
		}
		s.input = sha256.Sum256(text)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, errClosing
	}
	if k != nil {
		known, err := h.sends.note(*k, s)
		if known != nil || err != nil {
			return known, err
		}
	}
	id := ""
	if in.ConversationID != nil {
		id = *in.ConversationID
	}
	h.tasks.Go(func() {
		s.err = h.guarded(id, h.carrying(ctx, func(ctx context.Context) (err error) {
			s.id, s.fresh, err = h.sendOnce(ctx, who, in, k, s.input)
			return err
		}))
		h.sent(k, s)
	})
	return s, nil
}

// note notes a send, unless it is known.
func (m sends) note(k sendKey, s *sending) (known *sending, err error) {
	now := time.Now()
	switch known := m[k]; {
	case known == nil, known.isOver(now):
	case known.input != s.input:
		return nil, errOtherMessage
	default:
		return known, nil
	}
	if len(m) >= maxSends {
		if m.forget(now); len(m) >= maxSends {
			return nil, coded.New(coded.RateLimited, "too many messages were sent")
		}
	}
	m[k] = s
	return nil, nil
}

func (s *sending) isOver(now time.Time) bool { return !s.until.IsZero() && !now.Before(s.until) }

// forget drops what was remembered for long enough.
func (m sends) forget(now time.Time) {
	for k, s := range m {
		if s.isOver(now) {
			delete(m, k)
		}
	}
}

// sent tells how a send ended. One that failed is not remembered: it can be tried again.
func (h *Hub) sent(k *sendKey, s *sending) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s.until = time.Now().Add(sentFor)
	if k != nil && s.err != nil {
		delete(h.sends, *k)
	}
	close(s.done)
}
