package session

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"maps"
	"math/big"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"inlaygraph/coded"
)

// Promise 5: no goroutine is left when the tests of this package are over.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// secret is long enough for every HS algorithm.
var secret = []byte(strings.Repeat("a secret of sixty-four bytes ... ", 2))

var (
	rsaKey     = sync.OnceValue(func() *rsa.PrivateKey { return must(rsa.GenerateKey(rand.Reader, 2048)) })
	otherRSA   = sync.OnceValue(func() *rsa.PrivateKey { return must(rsa.GenerateKey(rand.Reader, 2048)) })
	ecKey      = sync.OnceValue(func() *ecdsa.PrivateKey { return must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader)) })
	p384Key    = sync.OnceValue(func() *ecdsa.PrivateKey { return must(ecdsa.GenerateKey(elliptic.P384(), rand.Reader)) })
	p521Key    = sync.OnceValue(func() *ecdsa.PrivateKey { return must(ecdsa.GenerateKey(elliptic.P521(), rand.Reader)) })
	ed25519Key = sync.OnceValue(func() ed25519.PrivateKey {
		_, key, err := ed25519.GenerateKey(rand.Reader)
		if err != nil {
			panic(err)
		}
		return key
	})
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// publicPEM is the PEM of a public key.
func publicPEM(key any) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: must(x509.MarshalPKIXPublicKey(key))})
}

// publicForms are the ways to write an RSA key's public half.
func publicForms(t *testing.T, key *rsa.PrivateKey) map[string][]byte {
	t.Helper()
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	require.NoError(t, err)
	pkix := publicPEM(key.Public())
	return map[string][]byte{
		"PKIX":        pkix,
		"PKCS1":       pem.EncodeToMemory(&pem.Block{Type: "RSA PUBLIC KEY", Bytes: x509.MarshalPKCS1PublicKey(&key.PublicKey)}),
		"certificate": pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		"with text":   append([]byte("issued by nobody in particular\n"), append(pkix, '\n')...),
		"CRLF":        bytes.ReplaceAll(pkix, []byte("\n"), []byte("\r\n")),
	}
}

// good are the claims of an ordinary token, with changes; a nil value takes a claim out.
func good(changes jwt.MapClaims) jwt.MapClaims {
	c := jwt.MapClaims{"sub": "ada", "tenant": "acme", "exp": time.Now().Add(time.Hour).Unix()}
	maps.Copy(c, changes)
	maps.DeleteFunc(c, func(_ string, v any) bool { return v == nil })
	return c
}

// sign is a token of claims, its header changed by header.
func sign(t testing.TB, algorithm string, key any, claims jwt.MapClaims, header map[string]any) string {
	t.Helper()
	token := jwt.NewWithClaims(jwt.GetSigningMethod(algorithm), claims)
	maps.Copy(token.Header, header)
	maps.DeleteFunc(token.Header, func(_ string, v any) bool { return v == nil })
	text, err := token.SignedString(key)
	require.NoError(t, err)
	return text
}

// signRaw is a token of a header and a payload as they are spelled.
func signRaw(t testing.TB, header, payload string) string {
	t.Helper()
	text := base64.RawURLEncoding.EncodeToString([]byte(header)) + "." + base64.RawURLEncoding.EncodeToString([]byte(payload))
	signature, err := jwt.SigningMethodHS256.Sign(text, secret)
	require.NoError(t, err)
	return text + "." + base64.RawURLEncoding.EncodeToString(signature)
}

func verifier(t testing.TB, o Options) *Verifier {
	t.Helper()
	v, err := NewVerifier(t.Context(), o)
	require.NoError(t, err)
	t.Cleanup(v.Close)
	return v
}

// accepts requires that v takes a token as ada's of acme.
func accepts(t *testing.T, v *Verifier, token string) *Session {
	t.Helper()
	s, err := v.Verify(t.Context(), token)
	require.NoError(t, err)
	assert.Equal(t, "ada", s.Subject)
	assert.Equal(t, "acme", s.Tenant)
	assert.Equal(t, token, s.Token())
	return s
}

// refuses requires that v refuses a token with the message for everything, for a reason of which why is a part
// (promise 4).
func refuses(t *testing.T, v *Verifier, token, why string) {
	t.Helper()
	s, err := v.Verify(t.Context(), token)
	require.Error(t, err)
	assert.Nil(t, s)
	assert.Equal(t, coded.Unauthenticated, coded.CodeOf(err))
	e, ok := errors.AsType[*coded.Error](err)
	require.True(t, ok)
	assert.Equal(t, "the token is not valid", e.Message)
	assert.Contains(t, errors.Unwrap(e).Error(), why)
	quotesNothing(t, err, token)
}

// quotesNothing requires that err has no part of a token's segments, whole or decoded.
func quotesNothing(t testing.TB, err error, token string) {
	t.Helper()
	for _, segment := range strings.Split(token, ".") {
		if len(segment) >= 8 {
			assert.NotContains(t, err.Error(), segment)
		}
	}
}
