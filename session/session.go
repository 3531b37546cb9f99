package session

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"time"
)

// Session is one identified caller. It is immutable. The token is what the caller sent, for requests to upstream, and
// is left out of every printed form.
type Session struct {
	Subject   string    // who, unique within the tenant
	Tenant    string    // whose data the caller may see at all
	ExpiresAt time.Time // when the session ends; zero: never

	token *string // a pointer, because printing a copy, or one inside something else, does not follow it
}

// The identity of a caller who was asked for no token (docs/cli.md, --insecure).
const (
	AnonymousSubject = "anonymous"
	AnonymousTenant  = "demo"
)

// New returns the session of a caller whom something else identified. A zero expiresAt means that it never ends, an
// empty token that nothing is sent upstream for it.
func New(subject, tenant, token string, expiresAt time.Time) *Session {
	return &Session{Subject: subject, Tenant: tenant, ExpiresAt: expiresAt, token: &token}
}

// Anonymous returns the session of everybody where no token is asked: it never expires and has no token.
func Anonymous() *Session { return New(AnonymousSubject, AnonymousTenant, "", time.Time{}) }

// Token is what upstream gets as the caller's bearer token, "" for none.
func (s *Session) Token() string {
	if s.token == nil { // the zero value
		return ""
	}
	return *s.token
}

// OptionalExpiresAt is ExpiresAt, nil for a session that never ends.
func (s *Session) OptionalExpiresAt() *time.Time {
	if s.ExpiresAt.IsZero() {
		return nil
	}
	at := s.ExpiresAt
	return &at
}

// Expired says whether the session has ended at now.
func (s *Session) Expired(now time.Time) bool {
	return !s.ExpiresAt.IsZero() && !now.Before(s.ExpiresAt)
}

// Same says whether both are sessions of one user, whatever their tokens.
func (s *Session) Same(other *Session) bool {
	return s.Tenant == other.Tenant && s.Subject == other.Subject
}

// IsAnonymous says whether the caller was asked for no token.
func (s *Session) IsAnonymous() bool { return s.Token() == "" && s.Same(Anonymous()) }

// String is for people: the tenant and the subject, quoted, and nothing else.
func (s *Session) String() string {
	if s == nil {
		return "no session"
	}
	return fmt.Sprintf("%q of %q", s.Subject, s.Tenant)
}

// Format prints String whatever the verb, so that no verb reaches the token.
func (s *Session) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.String()) }

// GoString is String.
func (s *Session) GoString() string { return s.String() }

// LogValue is the subject and the tenant.
func (s *Session) LogValue() slog.Value {
	if s == nil {
		return slog.StringValue(s.String())
	}
	return slog.GroupValue(slog.String("subject", s.Subject), slog.String("tenant", s.Tenant))
}

// MarshalJSON is the subject and the tenant.
func (s *Session) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]string{"subject": s.Subject, "tenant": s.Tenant})
}

type contextKey struct{}

// With returns a context in which From finds s.
func With(ctx context.Context, s *Session) context.Context {
	return context.WithValue(ctx, contextKey{}, s)
}

// From returns the session of ctx, or nil when nobody was identified, in which case the caller must refuse.
func From(ctx context.Context) *Session {
	s, _ := ctx.Value(contextKey{}).(*Session)
	return s
}
