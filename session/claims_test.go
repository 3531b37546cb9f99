package session

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/assert"
)

// Times: exp must be there; both ends have the leeway, and the session ends at exp itself. Promise 2.
func TestTimes(t *testing.T) {
	const leeway = 30 * time.Second
	lenient, strict := verifier(t, Options{Secret: secret, Leeway: leeway}), verifier(t, Options{Secret: secret})
	hs := func(name string, in time.Duration) (string, time.Time) {
		at := time.Now().Add(in).Truncate(time.Second)
		return sign(t, "HS256", []byte(secret), good(jwt.MapClaims{name: at.Unix()}), nil), at
	}
	token, at := hs("exp", time.Minute)
	assert.True(t, at.Equal(accepts(t, strict, token).ExpiresAt))
	token, at = hs("exp", -20*time.Second)
	s := accepts(t, lenient, token)
	assert.True(t, at.Equal(s.ExpiresAt), "the leeway makes no session longer")
	assert.True(t, s.Expired(time.Now()))
	refuses(t, strict, token, "expired")
	token, _ = hs("exp", -40*time.Second)
	refuses(t, lenient, token, "expired")
	for _, name := range []string{"nbf", "iat"} {
		token, _ = hs(name, 20*time.Second)
		accepts(t, lenient, token)
		refuses(t, strict, token, name)
		token, _ = hs(name, 40*time.Second)
		refuses(t, lenient, token, name)
		token, _ = hs(name, -time.Hour)
		accepts(t, strict, token)
	}
	refuses(t, lenient, sign(t, "HS256", []byte(secret), good(jwt.MapClaims{"exp": nil}), nil), "lacks a claim")
	in := float64(time.Now().Add(time.Hour).Unix()) + 0.9
	assert.EqualValues(t, int64(in), accepts(t, strict, sign(t, "HS256", []byte(secret), good(jwt.MapClaims{"exp": in}), nil)).ExpiresAt.Unix())
	for _, name := range []string{"exp", "nbf", "iat"} {
		for _, value := range []string{`"1"`, `null`, `1e300`, `-1e300`, `1e400`, `253402300800`, `[]`, `true`, `"` + fmt.Sprint(time.Now().Add(time.Hour).Unix()) + `"`} {
			payload := fmt.Sprintf(`{"sub":"ada","tenant":"acme","exp":%d,%q:%s}`, time.Now().Add(time.Hour).Unix(), name, value)
			if name == "exp" {
				payload = fmt.Sprintf(`{"sub":"ada","tenant":"acme","exp":%s}`, value)
			}
			refuses(t, lenient, signRaw(t, `{"alg":"HS256"}`, payload), name+" is not a time")
		}
	}
	refuses(t, lenient, signRaw(t, `{"alg":"HS256"}`, `{"sub":"ada","tenant":"acme","exp":0}`), "expired")
}

// A member that is given twice could mean one thing to the issuer and another here.
func TestDuplicateMembers(t *testing.T) {
	v := verifier(t, Options{Secret: secret})
	exp := time.Now().Add(time.Hour).Unix()
	for _, payload := range []string{
		`{"sub":"ada","sub":"eve","tenant":"acme","exp":%d}`,
		`{"sub":"ada","tenant":"acme","exp":1,"exp":%d}`,
		`{"sub":"ada","tenant":"acme","t\u0065nant":"other","exp":%d}`,
	} {
		refuses(t, v, signRaw(t, `{"alg":"HS256"}`, fmt.Sprintf(payload, exp)), "repeated names")
	}
	refuses(t, v, signRaw(t, `{"alg":"none","alg":"HS256"}`, fmt.Sprintf(`{"sub":"ada","tenant":"acme","exp":%d}`, exp)), "repeated names")
	// Names are exact: another case is another claim.
	refuses(t, v, signRaw(t, `{"alg":"HS256"}`, fmt.Sprintf(`{"SUB":"ada","tenant":"acme","exp":%d}`, exp)), "has no claim sub")
	refuses(t, v, signRaw(t, `{"alg":"HS256"}`, fmt.Sprintf(`{"sub":"ada","tenant":"acme","Exp":%d}`, exp)), "lacks a claim")
}

// What is no token at all, and what is too long to look at. Promise 3.
func TestMalformed(t *testing.T) {
	v := verifier(t, Options{Secret: secret, MaxTokenBytes: 1_000})
	token := sign(t, "HS256", []byte(secret), good(nil), nil)
	parts := strings.Split(token, ".")
	for _, bad := range []string{
		" ", ".", "..", "...", "a", "a.b", "a.b.c", "a.b.c.d", token + ".", "." + token, token + "=", parts[0] + "=." + parts[1] + "." + parts[2],
		token + "\n", "\r\n" + token, parts[0] + "." + parts[1] + "." + parts[2][:10] + "\n" + parts[2][10:], token + " ", "Bearer " + token, token + "\x00", token + "ä",
		parts[1] + "." + parts[1] + "." + parts[2], strings.Repeat(token, 2), "{}.{}.{}", strings.Repeat(".", 1_000),
	} {
		refuses(t, v, bad, "")
	}
	for _, payload := range []string{``, `null`, `[]`, `5`, `"x"`, `{`, `{}{}`, strings.Repeat("[", 500)} {
		refuses(t, v, signRaw(t, `{"alg":"HS256"}`, payload), "")
	}
	for _, header := range []string{``, `null`, `[]`, `5`, `{`, `"HS256"`, `{"alg":1e999}`} {
		refuses(t, v, signRaw(t, header, `{}`), "")
	}
	_, err := v.Verify(t.Context(), "")
	assert.EqualError(t, err, "UNAUTHENTICATED: a token is needed")

	long := sign(t, "HS256", []byte(secret), good(jwt.MapClaims{"x": strings.Repeat("x", 1_000)}), nil)
	refuses(t, v, long, "longer than 1000 bytes")
	accepts(t, verifier(t, Options{Secret: secret}), long)
	huge := sign(t, "HS256", []byte(secret), good(jwt.MapClaims{"x": strings.Repeat("x", 16<<10)}), nil)
	refuses(t, verifier(t, Options{Secret: secret}), huge, "longer than 16384 bytes")
	refuses(t, verifier(t, Options{Secret: secret}), strings.Repeat("A", 50<<20), "longer than 16384 bytes")
}
