package billing

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/coded"
	"inlaygraph/upstream"
)

const (
	canary  = "canary-token-5b1f"
	privacy = "canary-words-77aa"
)

// told is everything that a program might print of a value.
func told(v any) string {
	var b strings.Builder
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d", "%x"} {
		fmt.Fprintf(&b, verb+"\n", v)
	}
	if err, ok := v.(error); ok {
		b.WriteString(err.Error())
	}
	text, _ := json.Marshal(v)
	b.Write(text)
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "v", v)
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "v", v)
	return b.String() + log.String()
}

// Promises 9 and 11: the token is in no error and in nothing that can be printed, whatever goes wrong.
func TestTheTokenIsNeverTold(t *testing.T) {
	failures := []error{nil, errors.New("down")}
	for _, kind := range []upstream.Kind{
		upstream.NotFound, upstream.Forbidden, upstream.Gone, upstream.Unauthenticated, upstream.RateLimited, upstream.Conflict,
		upstream.Refused, upstream.Unavailable,
	} {
		failures = append(failures, &upstream.Error{Op: "billing", Kind: kind})
	}
	checked := 0
	for _, a := range answers {
		for _, failure := range failures {
			up := &fake{err: failure, answer: []byte(`{}`)}
			if a.list != "" {
				up.answer = []byte(`{"` + a.list + `":[{}]}`)
			}
			f := New(up)
			value, err := a.ask(t.Context(), f, canary)
			require.Error(t, err)
			require.Nil(t, value)
			require.Equal(t, canary, up.asked[0].auth, "it goes where it belongs")
			up.asked = nil
			for _, v := range []any{err, f, *f, f.For(canary), *f.For(canary)} {
				assert.NotContains(t, told(v), canary)
				assert.NotContains(t, told(v), fmt.Sprintf("%x", canary))
				checked++
			}
		}
	}
	assert.Equal(t, 7*10*5, checked)
}

// Promise 9: what upstream said, and the URL that the app gave, are in no error.
func TestAnswersAreNeverTold(t *testing.T) {
	for _, a := range answers {
		for _, s := range a.spots(t) {
			for _, value := range []string{`"` + privacy + `"`, `{"` + privacy + `":1}`, `["` + privacy + `"]`, `[{"` + privacy + `":"` + privacy + `"}]`} {
				value, err := a.read(t, with(t, a.sample(t), s, value))
				if err == nil {
					continue // it is a text, which may be what it is
				}
				cause := requireNonsense(t, a, value, err)
				assert.NotContains(t, told(err), privacy)
				assert.Less(t, len(cause), 128)
			}
		}
		for _, text := range []string{privacy, `"` + privacy + `"`, `{"` + privacy + `":}`, `{"` + privacy + `":{"` + privacy + `":nul}}`} {
			_, err := a.read(t, []byte(text))
			require.Error(t, err)
			assert.NotContains(t, told(err), privacy)
		}
	}
	page := "http://" + privacy + ".example/"
	_, err := New(saying("")).Topup(t.Context(), "", 1, &page)
	assert.Equal(t, coded.BadUserInput, coded.CodeOf(err))
	assert.NotContains(t, told(err), privacy)
}
