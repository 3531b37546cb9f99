package tests

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/gorilla/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const jwtSecret = "the word that only the issuer and the server know"

// token is a token of a user of the tenant acme, with changes to its claims.
func token(t *testing.T, algorithm string, key any, changes jwt.MapClaims) string {
	t.Helper()
	claims := jwt.MapClaims{"sub": "ada", "tenant": "acme", "exp": time.Now().Add(time.Hour).Unix()}
	for name, value := range changes {
		claims[name] = value
	}
	unsigned := jwt.NewWithClaims(jwt.GetSigningMethod(algorithm), claims)
	unsigned.Header["kid"] = "1"
	text, err := unsigned.SignedString(key)
	require.NoError(t, err)
	return text
}

// ask posts an operation with a token, "" for none.
func (s *server) ask(t *testing.T, token, query string) answer {
	t.Helper()
	r := s.newPost(t, mediaJSON, request{Query: query})
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	return send(t, r)
}

const (
	whoAsks  = `{ session { subject tenant expiresAt } }`
	demoChat = `{ conversation(id: "demo-chat") { id } }`
)

// A configuration that lets nobody in, or everybody by mistake, is refused at start, and no key is printed.
func TestSessionFlags(t *testing.T) {
	t.Parallel()
	const upstream = "--upstream=http://127.0.0.1:1"
	for name, tc := range map[string]struct {
		env  []string
		args []string
		says string
	}{
		"nothing":                {nil, []string{upstream}, "--upstream needs --jwt-secret, --jwt-public-key or --jwks-url"},
		"an empty secret":        {[]string{"INLAY_JWT_SECRET="}, []string{upstream}, "--upstream needs --jwt-secret"},
		"insecure with a key":    {nil, []string{"--insecure", "--jwt-secret", jwtSecret}, "--insecure"},
		"insecure with a URL":    {[]string{"INLAY_JWKS_URL=https://issuer.example"}, []string{upstream, "--insecure"}, "--jwks-url"},
		"two keys":               {[]string{"INLAY_JWT_SECRET=" + jwtSecret}, []string{"--jwks-url", "https://issuer.example"}, "--jwt-secret and --jwks-url"},
		"an issuer without keys": {nil, []string{"--jwt-issuer", "https://issuer.example"}, "--jwt-issuer"},
		"another kind":           {[]string{"INLAY_JWT_SECRET=" + jwtSecret}, []string{"--jwt-alg", "RS256"}, "--jwt-alg: algorithm RS256 goes with an RSA key"},
		"one of another kind":    {nil, []string{"--jwks-url", "https://issuer.example", "--jwt-alg=RS256,HS256"}, "algorithm HS256"},
		"none":                   {nil, []string{"--jwt-secret", jwtSecret, "--jwt-alg", "none"}, "none is no signature"},
		"an open URL":            {nil, []string{"--jwks-url", "http://issuer.example"}, "--jwks-url: the JWKS URL must be https"},
		"a secret like a flag":   {nil, []string{"--jwt-secret", "-" + jwtSecret}, "--jwt-secret: a text that begins with - is given as --jwt-secret=…"},
		"no secret":              {nil, []string{"--jwt-secret", "--insecure"}, "--jwt-secret"},
		"no secret at the end":   {nil, []string{"--jwt-secret"}, "--jwt-secret"},
		"a slip":                 {nil, []string{"--jwt-secert=" + jwtSecret}, "--jwt-secert"},
		"a slip with a space":    {nil, []string{"--jwt-secert", jwtSecret}, "--jwt-secert"},
		"no such file":           {nil, []string{"--jwt-public-key", "nowhere.pem"}, "nowhere.pem"},
		"no PEM":                 {nil, []string{"--jwt-public-key", "tokens_test.go"}, "not PEM"},
		"a leeway":               {nil, []string{"--jwt-secret", jwtSecret, "--jwt-leeway-seconds=-1"}, "--jwt-leeway-seconds"},
		"no connections":         {nil, []string{"--max-connections-per-user=0"}, "--max-connections-per-user"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := run(t, tc.env, append([]string{"serve", "--listen", "127.0.0.1:0"}, tc.args...)...)
			assert.Equal(t, 2, r.code)
			assert.Contains(t, r.stderr, tc.says)
			assert.NotContains(t, r.stderr, jwtSecret)
			assert.Empty(t, r.stdout)
		})
	}
	help := run(t, []string{"INLAY_JWT_SECRET=" + jwtSecret}, "serve", "--help")
	assert.Equal(t, 0, help.code)
	assert.NotContains(t, help.stdout, jwtSecret)
	assert.Contains(t, help.stdout, "$INLAY_JWT_SECRET")
}

// With a key every transport asks for a token, and whose it is reaches the resolvers. Neither it nor the secret is logged.
func TestTokens(t *testing.T) {
	t.Parallel()
	s := start(t, []string{"INLAY_JWT_SECRET=" + jwtSecret}, "serve", "--listen", "127.0.0.1:0", "--log-level", "debug")
	good := token(t, "HS256", []byte(jwtSecret), jwt.MapClaims{"exp": 4102444800})
	got := s.ask(t, good, whoAsks)
	assert.Equal(t, 200, got.status)
	assert.JSONEq(t, `{"data":{"session":{"subject":"ada","tenant":"acme","expiresAt":"2100-01-01T00:00:00Z"}}}`, got.body)
	assert.JSONEq(t, `{"data":{"conversation":{"id":"demo-chat"}}}`, s.ask(t, good, demoChat).body, "the demo knows the token too")

	late := token(t, "HS256", []byte(jwtSecret), jwt.MapClaims{"exp": time.Now().Add(-10 * time.Second).Unix()})
	assert.Equal(t, 200, s.ask(t, late, whoAsks).status, "within the leeway")
	forged := token(t, "HS256", []byte("another word that somebody made up"), nil)
	expired := token(t, "HS256", []byte(jwtSecret), jwt.MapClaims{"exp": time.Now().Add(-time.Hour).Unix()})
	for _, bad := range []string{"", forged, expired, "x"} {
		got := s.ask(t, bad, demoChat)
		assert.Equal(t, 401, got.status)
		assert.Equal(t, []string{"UNAUTHENTICATED"}, codes(parse(t, got.body).Errors))
	}
	r := s.newPost(t, mediaEvents, request{Query: `subscription { chat(conversationId: "demo-chat") { status } }`})
	assert.Equal(t, 401, send(t, r).status)
	for payload, ok := range map[string]bool{
		`{"Authorization":"Bearer ` + good + `"}`: true, `{"token":"` + good + `"}`: true, `{}`: false, `{"token":"` + forged + `"}`: false,
	} {
		conn, _, err := dialRaw(t, s, "graphql-transport-ws")
		require.NoError(t, err)
		require.NoError(t, conn.WriteMessage(websocket.TextMessage, []byte(`{"type":"connection_init","payload":`+payload+`}`)))
		require.NoError(t, conn.SetReadDeadline(time.Now().Add(patience)))
		_, text, err := conn.ReadMessage()
		if ok {
			require.NoError(t, err)
			assert.Equal(t, `{"type":"connection_ack"}`, string(text))
		} else {
			assert.True(t, websocket.IsCloseError(err, 4403), "%v", err)
		}
	}
	assert.Equal(t, 0, s.stop(t))
	log := s.stderr.String()
	assert.Contains(t, log, `"msg":"token refused"`)
	assert.Contains(t, log, `-H "Authorization: Bearer $TOKEN"`)
	for _, secret := range []string{jwtSecret, good, forged, strings.Split(good, ".")[1], strings.Split(good, ".")[2]} {
		assert.NotContains(t, log, secret)
	}
}

// The flags work from a file, a leeway of nothing included, and what is doubtful is said after the address.
func TestSessionFlagsInAFile(t *testing.T) {
	t.Parallel()
	config := filepath.Join(t.TempDir(), "config.json")
	require.NoError(t, os.WriteFile(config, []byte(`{
		"jwt-secret": "short", "jwt-alg": ["HS256", "HS512"], "jwt-issuer": "me", "jwt-audience": "inlay",
		"jwt-leeway-seconds": 0, "jwt-tenant-claim": "org", "jwt-user-claim": "email", "max-connections-per-user": 1}`), 0o600))
	s := serve(t, "--config", config)
	good := jwt.MapClaims{"iss": "me", "aud": []string{"other", "inlay"}, "org": "acme", "email": "ada@example.com", "tenant": nil, "sub": nil}
	for _, algorithm := range []string{"HS256", "HS512"} {
		got := s.ask(t, token(t, algorithm, []byte("short"), good), `{ session { subject tenant } }`)
		assert.JSONEq(t, `{"data":{"session":{"subject":"ada@example.com","tenant":"acme"}}}`, got.body)
	}
	for name, value := range map[string]any{"iss": "you", "aud": "other", "org": "", "email": 5, "exp": time.Now().Add(-2 * time.Second).Unix()} {
		changed := jwt.MapClaims{name: value}
		for name, value := range good {
			if _, ok := changed[name]; !ok {
				changed[name] = value
			}
		}
		assert.Equal(t, 401, s.ask(t, token(t, "HS256", []byte("short"), changed), whoAsks).status, name)
	}
	eventually(t, patience, func() string {
		if !strings.Contains(s.stderr.String(), "the shared secret is short") {
			return s.stderr.String()
		}
		return ""
	})
	first := authorized(t, s, token(t, "HS256", []byte("short"), good))
	require.Equal(t, http.StatusSwitchingProtocols, first)
	assert.Equal(t, http.StatusTooManyRequests, authorized(t, s, token(t, "HS256", []byte("short"), good)))
}

// authorized opens a WebSocket with a token in the upgrade, which stays open until the test ends, and answers the status.
func authorized(t *testing.T, s *server, token string) int {
	t.Helper()
	dialer := websocket.Dialer{Subprotocols: []string{"graphql-transport-ws"}, HandshakeTimeout: patience}
	conn, res, err := dialer.DialContext(t.Context(), strings.Replace(s.url, "http", "ws", 1), http.Header{"Authorization": {"Bearer " + token}})
	if conn != nil {
		t.Cleanup(func() { conn.Close() })
	} else {
		require.ErrorIs(t, err, websocket.ErrBadHandshake)
	}
	return res.StatusCode
}

// A public key is a file or a text; its kind says which algorithm is taken.
func TestPublicKeys(t *testing.T) {
	t.Parallel()
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	ecKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	text := func(key crypto.Signer) string {
		der, err := x509.MarshalPKIXPublicKey(key.Public())
		require.NoError(t, err)
		return string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
	}
	file := filepath.Join(t.TempDir(), "key.pem")
	require.NoError(t, os.WriteFile(file, []byte(text(rsaKey)), 0o600))
	byFile, byText := serve(t, "--jwt-public-key", file), serve(t, "--jwt-public-key", text(ecKey))
	for _, tc := range []struct {
		server    *server
		algorithm string
		key       any
		status    int
	}{
		{byFile, "RS256", rsaKey, 200},
		{byFile, "ES256", ecKey, 401},
		{byFile, "HS256", []byte(text(rsaKey)), 401},
		{byText, "ES256", ecKey, 200},
		{byText, "RS256", rsaKey, 401},
		{byText, "HS256", []byte(text(ecKey)), 401},
	} {
		assert.Equal(t, tc.status, tc.server.ask(t, token(t, tc.algorithm, tc.key, nil), whoAsks).status, tc.algorithm)
	}
}

// An issuer that does not answer holds up no start; what cannot be judged is 503 and 1013, until it answers.
func TestKeysByURL(t *testing.T) {
	t.Parallel()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	good := token(t, "RS256", key, nil)
	issuer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		n := base64.RawURLEncoding.EncodeToString(key.N.Bytes())
		fmt.Fprintf(w, `{"keys":[{"kty":"RSA","use":"sig","kid":"1","alg":"RS256","n":%q,"e":"AQAB"}]}`, n)
	}))
	t.Cleanup(issuer.Close)
	s := serve(t, "--jwks-url", issuer.URL)
	assert.Equal(t, 200, s.ask(t, good, whoAsks).status)
	other, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	assert.Equal(t, 401, s.ask(t, token(t, "RS256", other, nil), whoAsks).status)

	s = serve(t, "--jwks-url", "http://127.0.0.1:1/keys")
	got := s.ask(t, good, whoAsks)
	assert.Equal(t, 503, got.status)
	assert.Equal(t, []string{"UPSTREAM_UNAVAILABLE"}, codes(parse(t, got.body).Errors))
	assert.Equal(t, 503, authorized(t, s, good))
	assert.Contains(t, s.stderr.String(), "the JWKS URL cannot be read")
}

// The caller's token goes upstream where tokens are verified, and none where they are not.
func TestTokensGoUpstream(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	seen := map[string]bool{}
	platform := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		seen[r.Header.Get("Authorization")] = true
		w.WriteHeader(http.StatusNotFound)
		_ = json.NewEncoder(w).Encode(map[string]any{})
	}))
	t.Cleanup(platform.Close)
	asked := func() map[string]bool {
		mu.Lock()
		defer mu.Unlock()
		was := seen
		seen = map[string]bool{}
		return was
	}
	good := token(t, "HS256", []byte(jwtSecret), nil)
	const operation = `{ conversation(id: "c") { id } }`
	verifying := serve(t, "--upstream", platform.URL, "--jwt-secret", jwtSecret)
	assert.Equal(t, []string{"NOT_FOUND"}, codes(parse(t, verifying.ask(t, good, operation).body).Errors))
	assert.Equal(t, map[string]bool{"Bearer " + good: true}, asked())
	assert.Equal(t, 401, verifying.ask(t, "", operation).status)
	assert.Empty(t, asked(), "whoever has no token costs upstream nothing")

	open := serve(t, "--upstream", platform.URL, "--insecure")
	assert.Equal(t, []string{"NOT_FOUND"}, codes(parse(t, open.ask(t, good, operation).body).Errors))
	assert.Equal(t, map[string]bool{"": true}, asked())
	assert.JSONEq(t, `{"data":{"session":{"subject":"anonymous","tenant":"demo","expiresAt":null}}}`, open.ask(t, good, whoAsks).body)
}

// `query` asks as anonymous.
func TestQueryIsAnonymous(t *testing.T) {
	t.Parallel()
	r := run(t, nil, "query", "--recording", "testdata/desk.ndjson", whoAsks)
	assert.Equal(t, 0, r.code)
	assert.JSONEq(t, `{"data":{"session":{"subject":"anonymous","tenant":"demo","expiresAt":null}}}`, r.stdout)
}
