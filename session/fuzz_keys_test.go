package session

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"inlaygraph/coded"
)

// FuzzKeySet: whatever an issuer answers where its keys should be, nothing panics, and no key of it makes the token of
// another issuer good.
func FuzzKeySet(f *testing.F) {
	for _, text := range []string{
		`{"keys":[]}`, `{"keys":null}`, `{"keys":[{"kty":"RSA","n":"AQAB","e":"AQAB"}]}`, `{"keys":[{"kty":"oct","k":"c2VjcmV0"}]}`, `[]`, ``, `null`, `{"keys":[null,5,"x",[],{}]}`,
		`{"keys":[{"kty":"EC","crv":"P-256","x":"AA","y":"AA","kid":"k","use":"sig","alg":"ES256"}]}`, `{"keys":[{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}`,
		`{"keys":[{"kty":"RSA","n":"","e":"","key_ops":["verify"],"x5c":["!"]}]}`, `{"keys":[{"kty":"RSA","kty":"EC"}]}`,
	} {
		f.Add([]byte(text))
	}
	var answer atomic.Pointer[[]byte]
	answer.Store(&[]byte{})
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(*answer.Load()) }))
	f.Cleanup(web.Close)
	f.Cleanup(http.DefaultClient.CloseIdleConnections)
	foreign := sign(f, "HS256", []byte(secret), good(nil), nil)
	f.Fuzz(func(t *testing.T, text []byte) {
		answer.Store(&text)
		v, err := NewVerifier(t.Context(), Options{JWKSURL: web.URL})
		if err != nil {
			t.Fatal(err)
		}
		defer v.Close()
		v.Start()
		for _, token := range []string{foreign, "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIn0.AAAA"} {
			s, err := v.Verify(t.Context(), token)
			if code := coded.CodeOf(err); s != nil || code != coded.Unauthenticated && code != coded.UpstreamUnavailable {
				t.Fatalf("%v, %v", s, err)
			}
		}
	})
}

// FuzzPublicKey: whatever a key file holds, it is a key that verifies signatures, or it is refused, and no private key is taken.
func FuzzPublicKey(f *testing.F) {
	for _, text := range []string{
		"", "x", "-----BEGIN PUBLIC KEY-----\n-----END PUBLIC KEY-----\n", "-----BEGIN RSA PUBLIC KEY-----\nMAA=\n-----END RSA PUBLIC KEY-----\n",
		"-----BEGIN PRIVATE KEY-----\nMAA=\n-----END PRIVATE KEY-----\n", "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n",
		"-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n-----END PUBLIC KEY-----\n",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		key, of, err := parsePublicKey(text)
		switch {
		case err != nil && (key != nil || of != ""):
			t.Fatalf("%v with %v", err, key)
		case err == nil && (key == nil || strings.Contains(string(text), "PRIVATE KEY-----")):
			t.Fatalf("%v of %q", key, text)
		case err == nil:
			if again, err := kindOfKey(key); err != nil || again != of {
				t.Fatalf("%v: %v, %v", key, again, err)
			}
		}
	})
}
