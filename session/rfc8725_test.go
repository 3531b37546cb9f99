package session

import (
	"bytes"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The tests of this file are named for the sections of RFC 8725, JSON Web Token Best Current Practices.

// 2.1 and 3.1: "none" is refused, however it is spelled, and cannot be configured. Promise 1.
func TestSection2_1_None(t *testing.T) {
	v := verifier(t, Options{Secret: secret})
	payload := fmt.Sprintf(`{"sub":"ada","tenant":"acme","exp":%d}`, time.Now().Add(time.Hour).Unix())
	accepts(t, v, signRaw(t, `{"alg":"HS256"}`, payload))
	for _, alg := range []string{`"none"`, `"None"`, `"NONE"`, `"nOnE"`, `""`, `null`, `[]`, `["HS256"]`, `5`} {
		whole := signRaw(t, `{"alg":`+alg+`}`, payload)
		refuses(t, v, whole, "")
		refuses(t, v, whole[:strings.LastIndexByte(whole, '.')+1], "")
	}
	refuses(t, v, signRaw(t, `{}`, payload), "")
	unsigned := sign(t, "none", jwt.UnsafeAllowNoneSignatureType, good(nil), nil)
	refuses(t, v, unsigned, "algorithm")
	refuses(t, verifier(t, Options{PublicKey: publicPEM(rsaKey().Public())}), unsigned, "algorithm")
	for _, name := range []string{"none", "None"} {
		_, err := NewVerifier(t.Context(), Options{Secret: secret, Algorithms: []string{"HS256", name}})
		assert.ErrorContains(t, err, "none is no signature")
	}
}

// 2.1: an RSA or EC public key is never taken as the secret of an HMAC. Promise 1.
func TestSection2_1_KeyConfusion(t *testing.T) {
	for name, key := range map[string]any{"RS256": rsaKey().Public(), "ES256": ecKey().Public(), "EdDSA": ed25519Key().Public()} {
		text := publicPEM(key)
		v := verifier(t, Options{PublicKey: text})
		for _, hmacKey := range [][]byte{text, bytes.TrimSpace(text)} {
			refuses(t, v, sign(t, "HS256", hmacKey, good(nil), nil), "algorithm")
		}
		_, err := NewVerifier(t.Context(), Options{PublicKey: text, Algorithms: []string{name, "HS256"}})
		assert.ErrorContains(t, err, "algorithm HS256 goes with a shared secret")
		_, err = NewVerifier(t.Context(), Options{Secret: text})
		assert.ErrorContains(t, err, "is a PEM")
	}
	_, err := NewVerifier(t.Context(), Options{Secret: secret, Algorithms: []string{"RS256"}})
	assert.ErrorContains(t, err, "algorithm RS256 goes with an RSA key, not with a shared secret")
	_, err = NewVerifier(t.Context(), Options{JWKSURL: "https://issuer.example/keys", Algorithms: []string{"HS512"}})
	assert.ErrorContains(t, err, "not with a JWKS URL")
	refuses(t, verifier(t, Options{Secret: secret}), sign(t, "RS256", rsaKey(), good(nil), nil), "algorithm")
}

// 3.1: the algorithm is the configuration's word, whatever the token says. Promise 1.
func TestSection3_1_AlgorithmVerification(t *testing.T) {
	signers := map[string]any{
		"HS256": []byte(secret), "HS384": []byte(secret), "HS512": []byte(secret),
		"RS256": rsaKey(), "RS384": rsaKey(), "RS512": rsaKey(), "PS256": rsaKey(), "PS384": rsaKey(), "PS512": rsaKey(),
		"ES256": ecKey(), "ES384": p384Key(), "ES512": p521Key(), "EdDSA": ed25519Key(),
	}
	require.Len(t, signers, len(algorithms))
	for _, a := range algorithms {
		o := Options{Algorithms: []string{a.name}}
		if key, ok := signers[a.name].(crypto.Signer); ok {
			o.PublicKey = publicPEM(key.Public())
		} else {
			o.Secret = secret
		}
		v := verifier(t, o)
		for name, key := range signers {
			token := sign(t, name, key, good(nil), nil)
			if name == a.name {
				accepts(t, v, token)
			} else {
				refuses(t, v, token, "algorithm")
			}
		}
	}
}

// 3.1: what is taken when nothing is configured follows from the key.
func TestSection3_1_Defaults(t *testing.T) {
	accepts(t, verifier(t, Options{Secret: secret}), sign(t, "HS256", []byte(secret), good(nil), nil))
	for name, key := range map[string]crypto.Signer{"RS256": rsaKey(), "ES256": ecKey(), "ES384": p384Key(), "ES512": p521Key(), "EdDSA": ed25519Key()} {
		v := verifier(t, Options{PublicKey: publicPEM(key.Public())})
		accepts(t, v, sign(t, name, key, good(nil), nil))
		refuses(t, v, sign(t, "PS256", rsaKey(), good(nil), nil), "algorithm")
	}
}

// 3.1: an elliptic key is used with the algorithm of its own curve alone.
func TestSection3_1_Curves(t *testing.T) {
	for _, o := range []Options{
		{PublicKey: publicPEM(ecKey().Public()), Algorithms: []string{"ES384"}},
		{PublicKey: publicPEM(p384Key().Public()), Algorithms: []string{"ES384", "ES256"}},
		{PublicKey: publicPEM(ed25519Key().Public()), Algorithms: []string{"ES256"}},
		{PublicKey: publicPEM(ecKey().Public()), Algorithms: []string{"EdDSA"}},
	} {
		_, err := NewVerifier(t.Context(), o)
		assert.ErrorContains(t, err, "goes with", o.Algorithms)
	}
}

// 3.2: what is too weak or not for signatures is not configured.
func TestSection3_2_AppropriateAlgorithms(t *testing.T) {
	_, err := NewVerifier(t.Context(), Options{PublicKey: publicPEM(weakRSA(t))})
	assert.ErrorContains(t, err, "1024 bits")
	for _, name := range []string{"RSA1_5", "ES256K", "HS1", "hs256", "", "dir"} {
		_, err := NewVerifier(t.Context(), Options{Secret: secret, Algorithms: []string{name}})
		assert.ErrorContains(t, err, "not an algorithm that is known", name)
	}
}

// weakRSA is a public key of 1,024 bits. Its parts need not be sound, because it is refused by its length.
func weakRSA(t *testing.T) *rsa.PublicKey {
	t.Helper()
	n, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 1024))
	require.NoError(t, err)
	return &rsa.PublicKey{N: n.SetBit(n, 1023, 1).SetBit(n, 0, 1), E: 65537}
}

// 3.3: every signature is validated, over all that was signed. Promise 2.
func TestSection3_3_Signatures(t *testing.T) {
	v := verifier(t, Options{Secret: secret})
	token := sign(t, "HS256", []byte(secret), good(nil), nil)
	refuses(t, v, sign(t, "HS256", []byte("another secret that is long enough"), good(nil), nil), "signature")
	refuses(t, verifier(t, Options{PublicKey: publicPEM(rsaKey().Public())}), sign(t, "RS256", otherRSA(), good(nil), nil), "signature")
	parts := strings.Split(token, ".")
	foreign := strings.Split(sign(t, "HS256", []byte(secret), good(jwt.MapClaims{"tenant": "other"}), nil), ".")
	refuses(t, v, parts[0]+"."+foreign[1]+"."+parts[2], "signature")
	refuses(t, v, parts[0]+"."+parts[1]+".", "signature")
	refuses(t, v, parts[0]+"."+parts[1]+"."+parts[2][:40], "")
	// A signature has one spelling: the last character's spare bits are none.
	last := strings.IndexByte(tokenAlphabet, token[len(token)-1])
	require.Zero(t, last%4)
	refuses(t, v, token[:len(token)-1]+tokenAlphabet[last+1:last+2], "malformed")
	for i := range token {
		if token[i] == '.' {
			continue
		}
		changed := []byte(token)
		if changed[i] = 'A'; token[i] == 'A' {
			changed[i] = 'B'
		}
		refuses(t, v, string(changed), "")
	}
}

// 3.4: inputs of the cryptography are validated: a point must be on its curve.
func TestSection3_4_Inputs(t *testing.T) {
	text := publicPEM(ecKey().Public())
	broken := bytes.Replace(text, text[100:104], []byte("AAAA"), 1)
	_, err := NewVerifier(t.Context(), Options{PublicKey: broken})
	assert.ErrorContains(t, err, "the public key cannot be read")
	_, ok := usable(json.RawMessage(`{"kty":"EC","crv":"P-256","kid":"1","x":"AQ","y":"AQ"}`))
	assert.False(t, ok)
}

// 3.5: a secret that can be guessed is told about. It is taken all the same: who tries the server out uses short ones.
func TestSection3_5_ShortSecrets(t *testing.T) {
	for _, tc := range []struct {
		algorithm string
		bytes     int
		short     bool
	}{{"HS256", 6, true}, {"HS256", 31, true}, {"HS256", 32, false}, {"HS384", 47, true}, {"HS384", 48, false}, {"HS512", 63, true}, {"HS512", 64, false}} {
		var log bytes.Buffer
		key := secret[:tc.bytes]
		v := verifier(t, Options{Secret: key, Algorithms: []string{tc.algorithm}, Logger: slog.New(slog.NewTextHandler(&log, nil))})
		v.Start()
		assert.Equal(t, tc.short, strings.Contains(log.String(), "the shared secret is short"), tc)
		assert.NotContains(t, log.String(), string(key))
		accepts(t, v, sign(t, tc.algorithm, []byte(key), good(nil), nil))
	}
}

// 3.6 and 3.7: no encrypted or nested token, and nothing but UTF-8.
func TestSection3_7_Encoding(t *testing.T) {
	v := verifier(t, Options{Secret: secret})
	exp := time.Now().Add(time.Hour).Unix()
	nested := sign(t, "HS256", []byte(secret), good(nil), nil)
	refuses(t, v, "eyJhbGciOiJkaXIiLCJlbmMiOiJBMTI4R0NNIn0..aXY.Y2lwaGVy.dGFn", "malformed")
	refuses(t, v, signRaw(t, `{"alg":"HS256","cty":"JWT"}`, nested), "malformed")
	refuses(t, v, signRaw(t, `{"alg":"HS256"}`, fmt.Sprintf("{\"sub\":\"a\xff\",\"tenant\":\"acme\",\"exp\":%d}", exp)), "UTF-8")
	refuses(t, v, signRaw(t, "{\"alg\":\"HS256\",\"x\":\"\xff\"}", fmt.Sprintf(`{"sub":"a","tenant":"acme","exp":%d}`, exp)), "UTF-8")
	accepts(t, v, signRaw(t, `{"alg":"HS256"}`, fmt.Sprintf(`{"s\u0075b":"ad\u0061","tenant":"acme","exp":%d}`, exp)))
}

// 3.8: iss is who it must be, and the subject is somebody.
func TestSection3_8_IssuerAndSubject(t *testing.T) {
	const issuer = "https://issuer.example"
	v := verifier(t, Options{Secret: secret, Issuer: issuer})
	hs := func(changes jwt.MapClaims) string { return sign(t, "HS256", []byte(secret), good(changes), nil) }
	accepts(t, v, hs(jwt.MapClaims{"iss": issuer}))
	for why, claims := range map[string]jwt.MapClaims{
		"of another issuer":   {"iss": issuer + "/"},
		"lacks a claim":       {},
		"iss is not a string": {"iss": []string{issuer}},
	} {
		refuses(t, v, hs(claims), why)
	}
	refuses(t, v, hs(jwt.MapClaims{"iss": "", "sub": issuer}), "")
	open := verifier(t, Options{Secret: secret})
	accepts(t, open, hs(jwt.MapClaims{"iss": "anybody"}))
	for _, claim := range []string{"sub", "tenant"} {
		for why, value := range map[string]any{
			"has no claim " + claim: nil, "is empty": "", "is empty ": "  ", "is not a string": 5, "is not a string ": []string{"ada"},
			"is longer than 256 bytes": strings.Repeat("a", 257), " is not a string": true, "  is not a string": map[string]any{"sub": "ada"},
		} {
			refuses(t, open, hs(jwt.MapClaims{claim: value}), strings.TrimSpace(why))
		}
		_, err := open.Verify(t.Context(), hs(jwt.MapClaims{claim: strings.Repeat("ä", 128)}))
		assert.NoError(t, err)
	}
}

// 3.8: which claims name the tenant and the user is configured. A dot in a name is a dot.
func TestSection3_8_Claims(t *testing.T) {
	v := verifier(t, Options{Secret: secret, TenantClaim: "https://acme.example/org.id", UserClaim: "email"})
	accepts(t, v, sign(t, "HS256", []byte(secret), jwt.MapClaims{"https://acme.example/org.id": "acme", "email": "ada", "exp": time.Now().Add(time.Hour).Unix()}, nil))
	refuses(t, v, sign(t, "HS256", []byte(secret), good(nil), nil), "has no claim https://acme.example/org.id")
	nested := verifier(t, Options{Secret: secret, TenantClaim: "org.id"})
	refuses(t, nested, sign(t, "HS256", []byte(secret), good(jwt.MapClaims{"org": map[string]string{"id": "acme"}}), nil), "has no claim org.id")
}

// 3.9: aud, a string or a list, names this service.
func TestSection3_9_Audience(t *testing.T) {
	v := verifier(t, Options{Secret: secret, Audience: "inlay"})
	hs := func(aud any) string {
		return sign(t, "HS256", []byte(secret), good(jwt.MapClaims{"aud": aud}), nil)
	}
	for _, aud := range []any{"inlay", []string{"inlay"}, []string{"other", "inlay"}} {
		accepts(t, v, hs(aud))
	}
	for _, aud := range []any{"other", []string{"other"}, "inlay2", "Inlay", []string{}, "", nil} {
		refuses(t, v, hs(aud), "a")
	}
	for _, aud := range []any{5, map[string]string{"inlay": "inlay"}, []any{"inlay", 5}, []any{[]string{"inlay"}}, true} {
		refuses(t, v, hs(aud), "aud is neither")
	}
	accepts(t, verifier(t, Options{Secret: secret}), hs("other"))
}

// 3.10: what a header says about keys is not followed. Promise 3.
func TestSection3_10_HeaderKeys(t *testing.T) {
	asked := 0
	foreign := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	defer foreign.Close()
	public := otherRSA().Public().(*rsa.PublicKey)
	own := map[string]any{"kty": "RSA", "kid": "1", "n": base64.RawURLEncoding.EncodeToString(public.N.Bytes()), "e": "AQAB"}
	for name, value := range map[string]any{"jku": foreign.URL, "x5u": foreign.URL, "jwk": own, "x5c": []string{"MIIB"}, "kid": "../../etc/passwd"} {
		for _, v := range []*Verifier{verifier(t, Options{PublicKey: publicPEM(rsaKey().Public())}), jwks(t, keysOf(jwk("1", "", rsaKey().Public()))).verifier(t, Options{})} {
			refuses(t, v, sign(t, "RS256", otherRSA(), good(nil), map[string]any{name: value}), "")
		}
	}
	assert.Zero(t, asked)
	v := verifier(t, Options{Secret: secret})
	for _, kid := range []any{5, []string{"1"}, strings.Repeat("k", 257), map[string]string{}} {
		refuses(t, v, sign(t, "HS256", []byte(secret), good(nil), map[string]any{"kid": kid}), "kid")
	}
	accepts(t, v, sign(t, "HS256", []byte(secret), good(nil), map[string]any{"kid": "' OR 1=1 --", "jku": foreign.URL}))
}

// 3.11 and 3.12: a token of another purpose is not mistaken for one of ours.
func TestSection3_11_Types(t *testing.T) {
	v := verifier(t, Options{Secret: secret})
	for _, typ := range []any{nil, "JWT", "jwt", "at+jwt", "AT+JWT", "application/at+jwt", "application/jwt"} {
		accepts(t, v, sign(t, "HS256", []byte(secret), good(nil), map[string]any{"typ": typ}))
	}
	for _, typ := range []any{"secevent+jwt", "dpop+jwt", "logout+jwt", "JWE", "", 5, []string{"JWT"}} {
		refuses(t, v, sign(t, "HS256", []byte(secret), good(nil), map[string]any{"typ": typ}), "typ")
	}
}

// RFC 7515 section 4.1.11: an extension that must be understood is not, so that the token is refused.
func TestCriticalHeader(t *testing.T) {
	v := verifier(t, Options{Secret: secret})
	for _, crit := range []any{[]string{"exp"}, []string{"b64"}, []string{}, "b64"} {
		refuses(t, v, sign(t, "HS256", []byte(secret), good(nil), map[string]any{"crit": crit, "b64": false}), "crit")
	}
}
