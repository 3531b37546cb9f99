package transport

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"inlaygraph/coded"
)

// Promise 11: the payload holds the executor's bytes as they are.
func TestEncodeResponse(t *testing.T) {
	cases := []struct {
		name string
		resp graphql.Response
		want string
	}{
		{"data", graphql.Response{Data: json.RawMessage(`{"a":1.0,"b":"<&>"}`)}, `{"data":{"a":1.0,"b":"<&>"}}`},
		{"null", graphql.Response{Data: json.RawMessage(`null`), Errors: errorList(coded.NotFound, "<no>")}, `{"errors":[{"message":"<no>","extensions":{"code":"NOT_FOUND"}}],"data":null}`},
		{"no data", graphql.Response{Errors: errorList(coded.NotFound, "no")}, `{"errors":[{"message":"no","extensions":{"code":"NOT_FOUND"}}]}`},
		{"extensions", graphql.Response{Data: json.RawMessage(`{}`), Extensions: map[string]any{"cost": 1}}, `{"data":{},"extensions":{"cost":1}}`},
		{"all", graphql.Response{Data: json.RawMessage(`{}`), Errors: errorList(coded.NotFound, "no"), Extensions: map[string]any{"cost": 1}}, `{"errors":[{"message":"no","extensions":{"code":"NOT_FOUND"}}],"data":{},"extensions":{"cost":1}}`},
		{"empty extensions", graphql.Response{Data: json.RawMessage(`{}`), Extensions: map[string]any{}}, `{"data":{}}`},
		{"lines", graphql.Response{Data: json.RawMessage("{\"a\":{\"b\":1}\n,\r\"c\":\"x\\n\"}\n")}, `{"data":{"a":{"b":1},"c":"x\n"}}`},
		{"not UTF-8", graphql.Response{Data: json.RawMessage("{\"a\":\"\xff\xfe\"}")}, "{\"data\":{\"a\":\"\uFFFD\"}}"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			got, tooLong, err := encodeResponse(&tc.resp, 1000)
			require.NoError(t, err)
			assert.False(t, tooLong)
			assert.Equal(t, tc.want, string(got))
			assert.True(t, json.Valid(got))
		})
	}
	got, tooLong, err := encodeResponse(&graphql.Response{Data: json.RawMessage(`"` + strings.Repeat("x", 990) + `"`)}, 1000)
	require.NoError(t, err)
	assert.Equal(t, `{"errors":[{"message":"the response is larger than 1000 bytes","extensions":{"code":"PAYLOAD_TOO_LARGE"}}],"data":null}`, string(got))
	assert.True(t, tooLong)
	// The executor's buffer may change after the call.
	data := []byte(`{"a":1}`)
	got, _, err = encodeResponse(&graphql.Response{Data: data}, 1000)
	require.NoError(t, err)
	data[5] = '2'
	assert.Equal(t, `{"data":{"a":1}}`, string(got))
	unwritable := gqlerror.List{{Message: "m", Extensions: map[string]any{"code": "CONFLICT", "f": func() {}}}}
	assert.Equal(t, `[{"message":"m","extensions":{"code":"CONFLICT"}}]`, string(encodeList(unwritable)))
}

func BenchmarkEncodeResponse(b *testing.B) {
	resp := &graphql.Response{Data: json.RawMessage(`{"rows":"` + strings.Repeat("x", 20_000) + `"}`)}
	b.SetBytes(int64(len(resp.Data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := encodeResponse(resp, 1<<20); err != nil {
			b.Fatal(err)
		}
	}
}
