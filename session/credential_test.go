package session

import (
	"encoding/json"
	"errors"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/coded"
)

// Promise 6: one header, of the scheme Bearer in any case, with one token.
func TestFromHeader(t *testing.T) {
	for _, tc := range []struct {
		name   string
		values []string
		want   string
		bad    bool
	}{
		{"none", nil, "", false},
		{"plain", []string{"Bearer a.b.c"}, "a.b.c", false},
		{"lower case", []string{"bearer a.b.c"}, "a.b.c", false},
		{"upper case", []string{"BEARER a.b.c"}, "a.b.c", false},
		{"spaces", []string{"  Bearer   a.b.c  "}, "a.b.c", false},
		{"two headers", []string{"Bearer a.b.c", "Bearer a.b.c"}, "", true},
		{"no scheme", []string{"a.b.c"}, "", true},
		{"no token", []string{"Bearer"}, "", true},
		{"an empty token", []string{"Bearer "}, "", true},
		{"empty", []string{""}, "", true},
		{"two tokens", []string{"Bearer a.b.c d.e.f"}, "", true},
		{"a tab", []string{"Bearer\ta.b.c"}, "", true},
		{"Basic", []string{"Basic YTpi"}, "", true},
		{"a list", []string{"Bearer a.b.c, Bearer d.e.f"}, "", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := fromHeader(http.Header{"Authorization": tc.values})
			assert.Equal(t, tc.want, got)
			checkRefusal(t, err, tc.bad)
		})
	}
}

func checkRefusal(t *testing.T, err error, want bool) {
	t.Helper()
	if !want {
		require.NoError(t, err)
		return
	}
	e, ok := errors.AsType[*coded.Error](err)
	require.True(t, ok)
	assert.Equal(t, coded.Unauthenticated, e.Code)
	assert.Equal(t, "the token is not valid", e.Message)
	assert.NotContains(t, err.Error(), "b.c")
}

// Promise 6: one member of connection_init, among whatever else the client sends.
func TestFromPayload(t *testing.T) {
	for _, tc := range []struct {
		name, payload, want string
		bad                 bool
	}{
		{"none", ``, "", false},
		{"null", `null`, "", false},
		{"empty", `{}`, "", false},
		{"Authorization", `{"Authorization":"Bearer a.b.c"}`, "a.b.c", false},
		{"authorization", `{"authorization":"bearer a.b.c"}`, "a.b.c", false},
		{"AUTHORIZATION", `{"AUTHORIZATION":"BEARER a.b.c"}`, "a.b.c", false},
		{"token", `{"token":"a.b.c"}`, "a.b.c", false},
		{"token with Bearer", `{"token":"Bearer a.b.c"}`, "a.b.c", false},
		{"escaped", `{"t\u006fken":"a\u002eb.c"}`, "a.b.c", false},
		{"among others", `{"x":{"token":"no","y":[1,{"z":null}]},"token":"a.b.c","x":1,"x":2}`, "a.b.c", false},
		{"absent ones beside it", `{"Authorization":null,"authorization":"","token":"a.b.c"}`, "a.b.c", false},
		{"only absent ones", `{"Authorization":null,"token":""}`, "", false},
		{"another name", `{"Token":"a.b.c","access_token":"a.b.c","headers":{"Authorization":"Bearer a.b.c"}}`, "", false},
		{"Authorization without scheme", `{"Authorization":"a.b.c"}`, "", true},
		{"another scheme", `{"Authorization":"Basic a.b.c"}`, "", true},
		{"another scheme in token", `{"token":"Basic a.b.c"}`, "", true},
		{"no token after Bearer", `{"Authorization":"Bearer "}`, "", true},
		{"two members", `{"Authorization":"Bearer a.b.c","token":"a.b.c"}`, "", true},
		{"one member twice", `{"token":"a.b.c","token":"d.e.f"}`, "", true},
		{"a number", `{"token":5}`, "", true},
		{"an object", `{"Authorization":{"token":"a.b.c"}}`, "", true},
		{"a list", `["a.b.c"]`, "", true},
		{"a text", `"Bearer a.b.c"`, "", true},
		{"cut off", `{"token":"a.b.c"`, "", true},
		{"cut off elsewhere", `{"token":"a.b.c","x":[`, "", true},
		{"something after it", `{"token":"a.b.c"}0`, "", true},
		{"no JSON", `{token:"a.b.c"}`, "", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := fromPayload(json.RawMessage(tc.payload))
			assert.Equal(t, tc.want, got)
			checkRefusal(t, err, tc.bad)
		})
	}
}
