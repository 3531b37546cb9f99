package session

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Promise 4: no printed form of a session has the token.
func TestSessionIsPrintedWithoutItsToken(t *testing.T) {
	const token = "eyJ.the-token.xyz"
	s := New("ada", "acme", token, time.Time{})
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).Info("text", "session", s, "value", *s, "nested", map[string]any{"s": s})
	slog.New(slog.NewJSONHandler(&log, nil)).Info("json", "session", s, "value", *s, "nested", []*Session{s})
	encoded, err := json.Marshal(map[string]any{"pointer": s, "value": *s})
	require.NoError(t, err)
	texts := []string{log.String(), string(encoded), s.String(), s.GoString()}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d", "%x", "%T %v"} {
		for _, value := range []any{s, *s, []*Session{s}, []Session{*s}, struct{ S *Session }{s}, struct{ S Session }{*s}, struct{ s Session }{*s}, struct{ s *Session }{s}, map[string]Session{"s": *s}} {
			texts = append(texts, fmt.Sprintf(verb, value))
		}
	}
	hex := fmt.Sprintf("%x", token)
	for _, text := range texts {
		assert.NotContains(t, text, "the-token")
		assert.NotContains(t, text, hex)
	}
	assert.Equal(t, `"ada" of "acme"`, fmt.Sprintf("%+v", s))
	assert.JSONEq(t, `{"subject":"ada","tenant":"acme"}`, string(must(json.Marshal(s))))
	assert.Equal(t, "no session", fmt.Sprint((*Session)(nil)))
	assert.Equal(t, token, s.Token())
}

// Promise 9: a context that nobody put a session in has none.
func TestContext(t *testing.T) {
	assert.Nil(t, From(t.Context()))
	s := Anonymous()
	ctx := With(t.Context(), s)
	assert.Same(t, s, From(ctx))
	other := New("ada", "acme", "x", time.Time{})
	assert.Same(t, other, From(With(ctx, other)))
	assert.Nil(t, From(With(ctx, nil)))
}

func TestExpiry(t *testing.T) {
	at := time.Now()
	s := New("ada", "acme", "x", at)
	assert.False(t, s.Expired(at.Add(-1)))
	assert.True(t, s.Expired(at))
	assert.Equal(t, at, *s.OptionalExpiresAt())
	assert.False(t, Anonymous().Expired(at.AddDate(1_000, 0, 0)))
	assert.Nil(t, Anonymous().OptionalExpiresAt())
}

// Whoever is anonymous is so by having been asked for nothing, not by a name that a token can have.
func TestIsAnonymous(t *testing.T) {
	assert.True(t, Anonymous().IsAnonymous())
	assert.False(t, New(AnonymousSubject, AnonymousTenant, "a token", time.Time{}).IsAnonymous())
	assert.False(t, New("ada", AnonymousTenant, "", time.Time{}).IsAnonymous())
}

// The log names the session of a record's context, and never its token.
func TestLogHandler(t *testing.T) {
	var log bytes.Buffer
	logger := slog.New(LogHandler(slog.NewJSONHandler(&log, nil))).With("a", 1).WithGroup("g")
	ctx := With(context.Background(), New("ada", "acme", "the-token", time.Time{}))
	logger.InfoContext(ctx, "mine", "b", 2)
	logger.Info("nobody's")
	assert.Contains(t, log.String(), `"a":1,"g":{"b":2,"session":{"subject":"ada","tenant":"acme"}}`)
	assert.Contains(t, log.String(), `"msg":"nobody's","a":1}`)
	assert.NotContains(t, log.String(), "the-token")
}
