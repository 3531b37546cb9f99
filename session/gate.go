package session

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"inlaygraph/coded"
)

// DefaultMaxConnections is how many connections a user may hold (docs/service.md, "Limits").
const DefaultMaxConnections = 50

// Gate lets callers in. Its methods are hooks of the transport (docs/service.md, "Sessions"): Upgrade and Init of a
// WebSocket, Init of a request, Stream of one that is answered by an event stream, Operation and Mutation of what is asked
// for. They go together, under one context. A Gate must not be copied.
type Gate struct {
	Verifier       *Verifier    // nil: everybody is Anonymous
	MaxConnections int          // WebSockets and event streams of one user; 0: DefaultMaxConnections
	Rates          Rates        // of one user
	Logger         *slog.Logger // takes why a token was refused, at info; nil: slog.Default()

	refusals refusals

	mu   sync.Mutex
	held map[user]int

	limiters limiters
}

// user is one user of one tenant.
type user struct{ tenant, subject string }

// upgraded is what an upgrade has already said about its WebSocket.
type upgraded struct {
	session *Session // nil when the upgrade had no token
}

type upgradedKey struct{}

// Upgrade decides about a WebSocket's upgrade, which may have no token: browsers cannot send one. One that it has must
// be good, and takes its user's place among the connections. ctx must end with the connection.
func (g *Gate) Upgrade(ctx context.Context, r *http.Request) (context.Context, error) {
	if g.Verifier == nil {
		return ctx, nil
	}
	token, err := fromHeader(r.Header)
	if err != nil {
		return nil, g.refused(ctx, err)
	}
	said := &upgraded{}
	if token != "" {
		if said.session, err = g.verify(ctx, token); err != nil {
			return nil, err
		}
		if err := g.hold(ctx, said.session); err != nil {
			return nil, err
		}
	}
	return context.WithValue(ctx, upgradedKey{}, said), nil
}

// Init says who is asking: by the payload of connection_init or the upgrade's token on a WebSocket, else by the
// request's Authorization. From finds the session in the returned context; the time is its ExpiresAt.
func (g *Gate) Init(ctx context.Context, r *http.Request, payload json.RawMessage) (context.Context, time.Time, error) {
	s, err := g.identify(ctx, r, payload)
	if err != nil {
		return nil, time.Time{}, err
	}
	return g.rated(With(ctx, s), s, r), s.ExpiresAt, nil
}

func (g *Gate) identify(ctx context.Context, r *http.Request, payload json.RawMessage) (*Session, error) {
	if g.Verifier == nil {
		return Anonymous(), nil
	}
	said, isSocket := ctx.Value(upgradedKey{}).(*upgraded)
	if !isSocket {
		token, err := fromHeader(r.Header)
		if err != nil {
			return nil, g.refused(ctx, err)
		}
		return g.verify(ctx, token)
	}
	token, err := fromPayload(payload)
	if err != nil {
		return nil, g.refused(ctx, err)
	}
	if token == "" && said.session != nil {
		return said.session, nil
	}
	s, err := g.verify(ctx, token)
	if err != nil {
		return nil, err
	}
	if said.session == nil {
		return s, g.hold(ctx, s)
	}
	if !s.Same(said.session) {
		return nil, g.refused(ctx, coded.New(coded.Unauthenticated, messageOtherUser))
	}
	return s, nil
}

// Stream takes a place among its user's connections for an event stream, under the context that Init returned, until
// that ends.
func (g *Gate) Stream(ctx context.Context) error {
	if g.Verifier == nil {
		return nil
	}
	s := From(ctx)
	if s == nil {
		return coded.New(coded.Unauthenticated, messageNoToken)
	}
	return g.hold(ctx, s)
}

func (g *Gate) verify(ctx context.Context, token string) (*Session, error) {
	s, err := g.Verifier.Verify(ctx, token)
	if err != nil {
		return nil, g.refused(ctx, err)
	}
	return s, nil
}

// refused counts why a token was refused, and logs what its sender is not told.
func (g *Gate) refused(ctx context.Context, err error) error {
	g.refusals.count(err)
	if why, ok := errors.AsType[reason](err); ok {
		log := g.Logger
		if log == nil {
			log = slog.Default()
		}
		log.InfoContext(ctx, "token refused", "reason", string(why))
	}
	return err
}

// hold takes a place for a connection of s until ctx ends (promise 8).
func (g *Gate) hold(ctx context.Context, s *Session) error {
	who := user{s.Tenant, s.Subject}
	most := g.MaxConnections
	if most == 0 {
		most = DefaultMaxConnections
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.held[who] >= most {
		return coded.New(coded.RateLimited, messageTooMany)
	}
	if g.held == nil {
		g.held = map[user]int{}
	}
	g.held[who]++
	context.AfterFunc(ctx, func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.held[who]--; g.held[who] == 0 {
			delete(g.held, who)
		}
	})
	return nil
}
