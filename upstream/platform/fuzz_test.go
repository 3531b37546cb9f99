package platform

import (
	"strings"
	"testing"
	"unicode/utf8"

	"inlaygraph/upstream/internal/exchange"
)

// FuzzRefusal: whatever the body of a refusal holds, its reason is one short line, and the message of what a user wrote is not
// in it.
func FuzzRefusal(f *testing.F) {
	for _, body := range []string{
		`{"error":{"code":"busy","message":"try later"}}`, `{"error":{"code":"","message":"x"}}`, `{"error":"x"}`, `<html>`, ``, `null`, `{"error":{"code":5}}`,
		`{"error":{"code":"` + strings.Repeat("é", 200) + `","message":"a\nb"}}`, "{\"error\":{\"code\":\"\xff\",\"message\":\"\u2028\"}}",
	} {
		f.Add([]byte(body), 500, false)
	}
	f.Fuzz(func(t *testing.T, body []byte, status int, wrote bool) {
		k := exchange.Call{Op: "head"}
		if wrote {
			k.Op, k.Body = "execute", []byte("x")
		}
		kind, err := refuse(k, status, body, func(text string) string { return text })
		switch {
		case kind == "" || err == nil:
			t.Fatalf("%q, %v", kind, err)
		case strings.ContainsAny(err.Error(), "\n\r") || len(err.Error()) > 4000 || !utf8.ValidString(err.Error()):
			t.Fatalf("%q", err)
		case wrote && strings.Contains(err.Error(), `": `):
			t.Fatalf("it quotes a message: %q", err)
		}
	})
}
