package session

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/golang-jwt/jwt/v5"

	"inlaygraph/coded"
)

// FuzzVerify holds every token against promises 2 and 4. The signature is checked again by other means, and is put in
// for half of the tokens, so that what it guards is reached.
func FuzzVerify(f *testing.F) {
	f.Add(sign(f, "HS256", []byte(secret), good(nil), nil), false)
	f.Add(sign(f, "HS256", []byte(secret), good(jwt.MapClaims{"aud": []string{"a", "b"}, "nbf": 1, "iat": 1.5}), kid("k")), false)
	f.Add(sign(f, "none", jwt.UnsafeAllowNoneSignatureType, good(nil), nil), false)
	for _, header := range []string{`{"alg":"HS256"}`, `{"alg":"HS256","crit":["exp"]}`, `{"alg":"RS256","jwk":{}}`, `{"alg":"HS256","alg":"none"}`, `null`} {
		for _, payload := range []string{`{"sub":"a","tenant":"b","exp":99999999999}`, `{"sub":"a","sub":"b","tenant":"b","exp":1e300}`, `{"sub":5}`, `null`} {
			f.Add(base64.RawURLEncoding.EncodeToString([]byte(header))+"."+base64.RawURLEncoding.EncodeToString([]byte(payload)), true)
		}
	}
	v, err := NewVerifier(f.Context(), Options{Secret: secret, Leeway: 30 * time.Second})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, token string, signed bool) {
		if signed {
			token += "." + base64.RawURLEncoding.EncodeToString(mac(token))
		}
		before := time.Now()
		s, err := v.Verify(t.Context(), token)
		if err != nil {
			if s != nil || coded.CodeOf(err) != coded.Unauthenticated {
				t.Fatalf("%v with %v", err, s)
			}
			quotesNothing(t, err, token)
			return
		}
		cut := strings.LastIndexByte(token, '.')
		signature, err := base64.RawURLEncoding.DecodeString(token[cut+1:])
		switch {
		case err != nil || !hmac.Equal(signature, mac(token[:cut])):
			t.Fatal("the signature is not ours")
		case s.Token() != token || strings.ContainsAny(token, " \r\n\t"):
			t.Fatal("another token, or one that is no header's value")
		case s.Subject == "" || s.Tenant == "" || len(s.Subject) > maxIDBytes || len(s.Tenant) > maxIDBytes || !utf8.ValidString(s.Subject+s.Tenant):
			t.Fatalf("a bad identity: %v", s)
		case s.ExpiresAt.Add(30 * time.Second).Before(before):
			t.Fatalf("an expired session: %s", s.ExpiresAt)
		}
		if _, err := json.Marshal(s.ExpiresAt); err != nil {
			t.Fatal(err)
		}
	})
}

func mac(text string) []byte {
	h := hmac.New(sha256.New, secret)
	h.Write([]byte(text))
	return h.Sum(nil)
}

// FuzzPayload holds the parser of connection_init's payload against encoding/json: a token that is found is the value
// of one of its members, and a payload that is found wanting is refused with one message.
func FuzzPayload(f *testing.F) {
	for _, seed := range []string{
		``, `null`, `{}`, `{"Authorization":"Bearer a.b.c"}`, `{"authorization":"bearer a.b.c","x":[1,{"token":"y"}]}`, `{"token":"a.b.c"}`, `{"token":"Bearer a.b.c"}`,
		`{"token":"a","token":"b"}`, `{"token":null,"Authorization":"Bearer \u0061"}`, `{"token":5}`, `[]`, `{"token":"a"`, `{"AUTHORIZATION":"Basic x"}`, "{\"token\":\"\xff\"}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		token, err := fromPayload(payload)
		if err != nil {
			e, ok := errors.AsType[*coded.Error](err)
			if token != "" || !ok || e.Code != coded.Unauthenticated || e.Message != messageBadToken {
				t.Fatalf("%q with %v", token, err)
			}
			return
		}
		if token == "" {
			return
		}
		if strings.ContainsAny(token, " \t") {
			t.Fatalf("not one token: %q", token)
		}
		members := map[string]any{}
		if err := json.Unmarshal(payload, &members); err != nil {
			t.Fatalf("found in what is no JSON object: %v", err)
		}
		for name, value := range members {
			text, _ := value.(string)
			if (name == "token" || strings.EqualFold(name, "authorization")) && strings.HasSuffix(strings.TrimSpace(text), token) {
				return
			}
		}
		t.Fatalf("%q is no member's", token)
	})
}
