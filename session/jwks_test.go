package session

import (
	"bytes"
	"context"
	"crypto"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/MicahParks/jwkset"
	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/coded"
)

// issuer serves a key set.
type issuer struct {
	url   string
	reads atomic.Int64
	log   *lockedBuffer

	mu      sync.Mutex
	respond http.HandlerFunc
}

type lockedBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

func jwks(t *testing.T, answer any) *issuer {
	t.Helper()
	i := &issuer{log: &lockedBuffer{}}
	i.answer(answer)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		i.reads.Add(1)
		i.mu.Lock()
		respond := i.respond
		i.mu.Unlock()
		respond(w, r)
	}))
	t.Cleanup(web.Close)
	i.url = web.URL + "/keys"
	return i
}

// answer changes what is served: a text, a status, or a handler.
func (i *issuer) answer(answer any) {
	i.mu.Lock()
	defer i.mu.Unlock()
	switch answer := answer.(type) {
	case string:
		i.respond = func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, answer) }
	case int:
		i.respond = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(answer) }
	case func(http.ResponseWriter, *http.Request):
		i.respond = answer
	}
}

func (i *issuer) verifier(t *testing.T, o Options) *Verifier {
	t.Helper()
	o.JWKSURL, o.Logger = i.url, slog.New(slog.NewTextHandler(i.log, nil))
	v := verifier(t, o)
	v.keys.pause = time.Hour // nothing is read twice, unless a test says so
	return v
}

// jwk is a public key as it is published.
func jwk(kid, use string, key any, changes ...func(map[string]any)) string {
	j := must(jwkset.NewJWKFromKey(key, jwkset.JWKOptions{Metadata: jwkset.JWKMetadataOptions{KID: kid, USE: jwkset.USE(use)}}))
	members := map[string]any{}
	if err := json.Unmarshal(must(json.Marshal(j.Marshal())), &members); err != nil {
		panic(err)
	}
	for _, change := range changes {
		change(members)
	}
	return string(must(json.Marshal(members)))
}

func keysOf(keys ...string) string { return `{"keys":[` + strings.Join(keys, ",") + `]}` }

func kid(name string) map[string]any { return map[string]any{"kid": name} }

// unavailable requires that v cannot judge a token.
func unavailable(t *testing.T, v *Verifier, token string) {
	t.Helper()
	_, err := v.Verify(t.Context(), token)
	e, ok := errors.AsType[*coded.Error](err)
	require.True(t, ok, "%v", err)
	assert.Equal(t, coded.UpstreamUnavailable, e.Code)
	assert.Equal(t, "the keys that tokens are verified with cannot be read", e.Message)
	quotesNothing(t, err, token)
}

// Keys are found by kid, or tried one by one without; each only with algorithms of its own kind and curve.
func TestJWKS(t *testing.T) {
	i := jwks(t, keysOf(
		`{"kty":"RSA","kid":"broken","n":5}`, `{"kty":"what","kid":"new"}`, `{"kty":"oct","kid":"shared","k":"c2VjcmV0"}`, `5`,
		jwk("weak", "sig", weakRSA(t)), jwk("enc", "enc", otherRSA().Public()),
		jwk("rsa", "sig", rsaKey().Public()), jwk("ec", "", ecKey().Public()), jwk("p384", "sig", p384Key().Public()), jwk("ed", "sig", ed25519Key().Public()),
		jwk("pss", "sig", rsaKey().Public(), func(m map[string]any) { m["alg"] = "PS256" }),
		jwk("wraps", "", otherRSA().Public(), func(m map[string]any) { m["key_ops"] = []string{"wrapKey"} }),
		jwk("verifies", "", rsaKey().Public(), func(m map[string]any) { m["key_ops"] = []string{"verify"} }),
	))
	v := i.verifier(t, Options{Algorithms: []string{"RS256", "PS256", "ES256", "ES384", "EdDSA"}})
	for _, tc := range []struct {
		algorithm, kid string
		key            crypto.Signer
		why            string // "": taken
	}{
		{"RS256", "rsa", rsaKey(), ""},
		{"RS256", "verifies", rsaKey(), ""},
		{"PS256", "rsa", rsaKey(), ""},
		{"PS256", "pss", rsaKey(), ""},
		{"RS256", "pss", rsaKey(), "its key"},
		{"ES256", "ec", ecKey(), ""},
		{"ES384", "p384", p384Key(), ""},
		{"EdDSA", "ed", ed25519Key(), ""},
		{"RS256", "", rsaKey(), ""},
		{"ES384", "", p384Key(), ""},
		{"EdDSA", "", ed25519Key(), ""},
		{"RS512", "rsa", rsaKey(), "algorithm"},
		{"RS256", "ec", rsaKey(), "does not go with"},
		{"ES256", "p384", ecKey(), "does not go with"},
		{"RS256", "rsa", otherRSA(), "signature"},
		{"RS256", "", otherRSA(), "signature"},
		{"RS256", "enc", otherRSA(), "its key"},
		{"RS256", "wraps", otherRSA(), "its key"},
		{"RS256", "nobody's", rsaKey(), "its key"},
		{"RS256", "RSA", rsaKey(), "its key"},
		{"RS256", "broken", rsaKey(), "its key"},
	} {
		header := kid(tc.kid)
		if tc.kid == "" {
			header = nil
		}
		token := sign(t, tc.algorithm, tc.key, good(nil), header)
		if tc.why == "" {
			accepts(t, v, token)
		} else {
			refuses(t, v, token, tc.why)
		}
	}
	// RFC 8725 section 2.1: what is published is no secret.
	for _, header := range []map[string]any{kid("shared"), nil} {
		refuses(t, v, sign(t, "HS256", []byte("secret"), good(nil), header), "algorithm")
	}
	assert.EqualValues(t, 1, i.reads.Load())
	accepts(t, i.verifier(t, Options{}), sign(t, "RS256", rsaKey(), good(nil), kid("rsa"))) // the default is RS256
	refuses(t, i.verifier(t, Options{}), sign(t, "ES256", ecKey(), good(nil), kid("ec")), "algorithm")
}

// Promise 5: an unknown kid makes the set be read once more, for whoever asks meanwhile too, and not again soon.
func TestJWKSRotation(t *testing.T) {
	i := jwks(t, keysOf(jwk("old", "sig", otherRSA().Public())))
	v := i.verifier(t, Options{})
	accepts(t, v, sign(t, "RS256", otherRSA(), good(nil), kid("old")))
	i.answer(keysOf(jwk("new", "sig", rsaKey().Public())))
	token := sign(t, "RS256", rsaKey(), good(nil), kid("new"))
	refuses(t, v, token, "its key") // within the pause
	assert.EqualValues(t, 1, i.reads.Load())

	v.keys.tried = time.Now().Add(-2 * time.Hour)
	var callers sync.WaitGroup
	for range 20 {
		callers.Go(func() { accepts(t, v, token) })
	}
	callers.Wait()
	assert.EqualValues(t, 2, i.reads.Load())
	refuses(t, v, sign(t, "RS256", otherRSA(), good(nil), kid("old")), "its key") // withdrawn
	for n := range 50 {
		refuses(t, v, sign(t, "RS256", rsaKey(), good(nil), kid(fmt.Sprint("guess", n))), "its key")
	}
	assert.EqualValues(t, 2, i.reads.Load())
}

// Promise 5: while the set cannot be read, its keys count on, for a time, and what cannot be judged is not refused for good.
func TestJWKSOutage(t *testing.T) {
	i := jwks(t, 500)
	v := i.verifier(t, Options{})
	token, foreign := sign(t, "RS256", rsaKey(), good(nil), kid("1")), sign(t, "RS256", otherRSA(), good(nil), kid("2"))
	withoutKid := sign(t, "RS256", rsaKey(), good(nil), nil)
	unavailable(t, v, token)
	unavailable(t, v, withoutKid)
	assert.EqualValues(t, 1, i.reads.Load(), "an outage is not made worse")
	assert.Contains(t, i.log.String(), "it answers with status 500")
	assert.Equal(t, 1, strings.Count(i.log.String(), "\n"))
	refuses(t, v, sign(t, "HS256", []byte(secret), good(nil), kid("1")), "algorithm") // needs no key to be refused

	i.answer(keysOf(jwk("1", "sig", rsaKey().Public())))
	v.keys.pause = 0
	accepts(t, v, token)
	assert.Contains(t, i.log.String(), "can be read again")

	i.answer(503)
	accepts(t, v, token)
	accepts(t, v, withoutKid)
	unavailable(t, v, foreign) // who knows whether it is not the new key
	v.keys.read = time.Now().Add(-v.keys.maxAge - time.Second)
	unavailable(t, v, token)
	unavailable(t, v, withoutKid)
}

// Promise 5: answers are bounded, and of what is not a key set nothing is taken.
func TestJWKSAnswers(t *testing.T) {
	elsewhere := jwks(t, keysOf(jwk("1", "sig", rsaKey().Public())))
	many := make([]string, maxKeys+1)
	for n := range many {
		many[n] = `{}`
	}
	for name, tc := range map[string]struct {
		answer any
		log    string
	}{
		"not found":  {404, "status 404"},
		"no content": {204, "status 204"},
		"no JSON":    {"<html>", "no JSON Web Key Set"},
		"no keys":    {`{}`, "no JSON Web Key Set"},
		"null":       {`{"keys":null}`, "no JSON Web Key Set"},
		"a list":     {`[]`, "no JSON Web Key Set"},
		"cut off":    {strings.TrimSuffix(keysOf(jwk("1", "sig", rsaKey().Public())), "}"), "no JSON Web Key Set"},
		"too long":   {strings.TrimSuffix(keysOf(jwk("1", "sig", rsaKey().Public())), "}") + strings.Repeat(" ", maxKeySetBytes) + "}", "longer than"},
		"too many":   {keysOf(many...), "more than 100 keys"},
		"redirect":   {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, elsewhere.url, http.StatusFound) }, "status 302"},
		"hangs up": {func(http.ResponseWriter, *http.Request) {
			panic(http.ErrAbortHandler)
		}, "EOF"},
	} {
		t.Run(name, func(t *testing.T) {
			i := jwks(t, tc.answer)
			unavailable(t, i.verifier(t, Options{}), sign(t, "RS256", rsaKey(), good(nil), kid("1")))
			assert.Contains(t, i.log.String(), tc.log)
			assert.NotContains(t, i.log.String(), i.url)
		})
	}
	assert.Zero(t, elsewhere.reads.Load())
	i := jwks(t, `{"keys":[]}`)
	refuses(t, i.verifier(t, Options{}), sign(t, "RS256", rsaKey(), good(nil), kid("1")), "its key")
	assert.Contains(t, i.log.String(), "no key that can be used")
}

// A caller that leaves does not wait for keys, and the reading goes on for others.
func TestJWKSWaiting(t *testing.T) {
	release := make(chan struct{})
	i := jwks(t, func(w http.ResponseWriter, _ *http.Request) {
		<-release
		fmt.Fprint(w, keysOf(jwk("1", "sig", rsaKey().Public())))
	})
	v := i.verifier(t, Options{})
	token := sign(t, "RS256", rsaKey(), good(nil), kid("1"))
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err := v.Verify(ctx, token)
	assert.Equal(t, coded.UpstreamUnavailable, coded.CodeOf(err))
	assert.ErrorIs(t, err, context.DeadlineExceeded)
	close(release)
	accepts(t, v, token)
	assert.EqualValues(t, 1, i.reads.Load())
}

// Start reads at once and keeps the set fresh; Close ends that, whatever the issuer does.
func TestJWKSStart(t *testing.T) {
	i := jwks(t, keysOf(jwk("1", "sig", rsaKey().Public())))
	v := i.verifier(t, Options{})
	v.keys.every, v.keys.pause = time.Millisecond, 0
	v.Start()
	require.Eventually(t, func() bool { return i.reads.Load() > 3 }, 10*time.Second, time.Millisecond)
	v.Close()
	before := i.reads.Load()
	accepts(t, v, sign(t, "RS256", rsaKey(), good(nil), kid("1")))
	assert.Equal(t, before, i.reads.Load())
	assert.Contains(t, i.log.String(), "no audience is configured")

	stuck := jwks(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	hanging := stuck.verifier(t, Options{Audience: "inlay"})
	hanging.Start()
	require.Eventually(t, func() bool { return stuck.reads.Load() == 1 }, 10*time.Second, time.Millisecond)
	hanging.Close()
	assert.Empty(t, stuck.log.String())
}

// Promise 5: nobody between may forge the answer.
func TestJWKSURL(t *testing.T) {
	for url, ok := range map[string]bool{
		"https://issuer.example/.well-known/jwks.json": true, "http://127.0.0.1:9/keys": true, "http://localhost/keys": true, "http://[::1]:9/k": true, "https://10.0.0.1/k": true,
		"http://issuer.example/keys": false, "http://10.0.0.1/keys": false, "http://127.0.0.1.example/keys": false, "http://localhost.example/k": false,
		"file:///etc/keys.json": false, "ftp://127.0.0.1/k": false, "issuer.example/keys": false, "//issuer.example/keys": false, "https://": false, "https://user:word@issuer.example/": false, ":": false,
	} {
		_, err := NewVerifier(t.Context(), Options{JWKSURL: url})
		assert.Equal(t, ok, err == nil, url)
		if err != nil {
			assert.NotContains(t, err.Error(), "word")
		}
	}
}

// A token that names no algorithm of the set costs no reading of it. Promise 3.
func TestJWKSIsNotReadForWhatIsRefused(t *testing.T) {
	i := jwks(t, keysOf(jwk("1", "sig", rsaKey().Public())))
	v := i.verifier(t, Options{})
	refuses(t, v, sign(t, "HS256", []byte(secret), good(nil), kid("1")), "algorithm")
	refuses(t, v, sign(t, "RS256", rsaKey(), good(nil), map[string]any{"kid": "1", "crit": []string{"exp"}}), "crit")
	refuses(t, v, sign(t, "RS256", rsaKey(), good(nil), map[string]any{"kid": 1}), "kid")
	refuses(t, v, sign(t, "RS256", rsaKey(), jwt.MapClaims{"exp": "soon"}, kid("1")), "exp")
	assert.Zero(t, i.reads.Load())
}
