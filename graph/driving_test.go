package graph_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/coded"
	"inlaygraph/upstream"
)

const submitting = `mutation ($output: JSON!) {
	submitToolResult(input: { conversationId: "c1", toolCallId: "call1", output: $output }) { conversation { id } }
}`

// A string is delivered as it is, anything else as its JSON text.
func TestWhatIsDelivered(t *testing.T) {
	cases := []struct{ name, output, delivered string }{
		{"text", `"yes, \"do\" it\n"`, "yes, \"do\" it\n"},
		{"no text", `""`, ""},
		{"text that looks like JSON", `"{\"a\": 1}"`, `{"a": 1}`},
		{"number", `1.10`, `1.10`},
		{"great number", `123456789012345678901234567890`, `123456789012345678901234567890`},
		{"number beyond floats", `-1E+999`, `-1E+999`},
		{"boolean", `false`, `false`},
		{"list", `[ 1.0, null, "x" ]`, `[1.0,null,"x"]`},
		{"object", `{ "b": { "n": 9007199254740993 }, "a": null }`, `{"a":null,"b":{"n":9007199254740993}}`},
		{"empty object", `{}`, `{}`},
		{"text with marks", `["<é🦦>"]`, `["<é🦦>"]`},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			p := newPlatform(awaiting)
			s := servePlatform(t, p)
			decoder := json.NewDecoder(strings.NewReader(tc.output))
			decoder.UseNumber()
			var output any
			require.NoError(t, decoder.Decode(&output))
			s.query(submitting, map[string]any{"output": output})
			_, text, _ := strings.Cut(p.wasAsked(), ": ")
			var sent struct {
				Messages []struct{ Role, Content, Tool_call_id string }
			}
			require.NoError(t, json.Unmarshal([]byte(text), &sent), text)
			require.Len(t, sent.Messages, 1)
			assert.Equal(t, "tool", sent.Messages[0].Role)
			assert.Equal(t, "call1", sent.Messages[0].Tool_call_id)
			assert.Equal(t, tc.delivered, sent.Messages[0].Content)
		})
	}
}

// The output of a tool is never null; what is inside may be.
func TestNothingIsNotDelivered(t *testing.T) {
	p := newPlatform(awaiting)
	s := servePlatform(t, p)
	for _, variables := range []map[string]any{nil, {"output": nil}} {
		_, errs := s.try(submitting, variables)
		onlyError(t, errs)
	}
	_, errs := s.try(strings.NewReplacer("($output: JSON!)", "", "$output", "null").Replace(submitting), nil)
	onlyError(t, errs)
	assert.Empty(t, p.wasAsked())
}

// doing is a document for each field that asks upstream on demand, and where c1 must stand for it.
var doing = map[string]struct {
	stands   standing
	document string
}{
	"send":              {paused, `mutation { send(input: { agentId: "writer", content: "x" }) { fresh } }`},
	"send on":           {paused, `mutation { send(input: { agentId: "writer", conversationId: "c1", content: "x" }) { fresh } }`},
	"submitToolResult":  {awaiting, strings.NewReplacer("($output: JSON!)", "", "$output", `"x"`).Replace(submitting)},
	"cancel":            {running, `mutation { cancel(conversationId: "c1") { conversation { id } } }`},
	"retry":             {failed, `mutation { retry(conversationId: "c1") { conversation { id } } }`},
	"conversations":     {paused, `{ conversations { hasMore } }`},
	"backlinks":         {paused, fields(`backlinks(table: "cities", rowId: "a")`)},
	"topup":             {paused, `mutation { topup(amountMicroUsd: 1) { url } }`},
	"subscribeCheckout": {paused, `mutation { subscribeCheckout(planId: "pro") { url } }`},
	"balance":           {paused, `{ billing { balance { overage } } }`},
	"usage":             {paused, `{ billing { usage { overage } } }`},
	"plans":             {paused, `{ billing { plans { status } } }`},
	"invoices":          {paused, `{ billing { invoices { id } } }`},
	"grants":            {paused, `{ billing { grants { id } } }`},
}

// What upstream answers reaches the client as the code of docs/service.md, "Errors", without upstream's words.
func TestUpstreamFailures(t *testing.T) {
	codes := map[upstream.Kind]coded.Code{
		upstream.NotFound:        coded.NotFound,
		upstream.Forbidden:       coded.NotFound,
		upstream.Gone:            coded.NotFound,
		upstream.Unauthenticated: coded.Unauthenticated,
		upstream.RateLimited:     coded.RateLimited,
		upstream.Conflict:        coded.Conflict,
		upstream.Refused:         coded.BadUserInput,
		upstream.Unavailable:     coded.UpstreamUnavailable,
	}
	for name, do := range doing {
		for kind, code := range codes {
			t.Run(name+" "+string(kind), func(t *testing.T) {
				p := newPlatform(do.stands)
				p.fails = &upstream.Error{Op: "execute", Kind: kind, Detail: errors.New("the platform's secret")}
				s := servePlatform(t, p)
				_, errs := s.try(do.document, nil)
				err, ok := errors.AsType[*coded.Error](onlyError(t, errs))
				require.True(t, ok, errs)
				assert.Equal(t, code, err.Code)
				assert.NotContains(t, err.Message, "secret")
				assert.NotEmpty(t, p.wasAsked())
			})
		}
	}
}

// A server without the part of upstream that is asked says so; nothing panics.
func TestWithoutUpstream(t *testing.T) {
	for name, do := range doing {
		t.Run(name, func(t *testing.T) {
			s, _ := serveLive(t)
			_, errs := s.try(do.document, nil)
			assert.NotEqual(t, coded.Internal, coded.CodeOf(onlyError(t, errs)))
		})
	}
}

// What the state does not allow is CONFLICT, and what makes no sense BAD_USER_INPUT; upstream is not asked.
func TestRefusedByTheState(t *testing.T) {
	cases := []struct {
		name     string
		stands   standing
		document string
		code     coded.Code
	}{
		{"send while it runs", running, doing["send on"].document, coded.Conflict},
		{"send while a tool is awaited", awaiting, doing["send on"].document, coded.Conflict},
		{"send to another agent", paused, `mutation { send(input: { agentId: "other", conversationId: "c1", content: "x" }) { fresh } }`, coded.BadUserInput},
		{"send nothing", paused, `mutation { send(input: { agentId: "writer", content: "" }) { fresh } }`, coded.BadUserInput},
		{"send to nobody's", paused, `mutation { send(input: { agentId: "writer", conversationId: "c9", content: "x" }) { fresh } }`, coded.NotFound},
		{"cancel what is over", completed, doing["cancel"].document, coded.Conflict},
		{"cancel nobody's", running, `mutation { cancel(conversationId: "c9") { conversation { id } } }`, coded.NotFound},
		{"retry what runs", running, doing["retry"].document, coded.Conflict},
		{"retry what finished", completed, doing["retry"].document, coded.Conflict},
		{"answer an unknown call", paused, doing["submitToolResult"].document, coded.BadUserInput},
		{"load earlier of nobody's", paused, `mutation { loadEarlier(conversationId: "c9") { conversation { id } } }`, coded.NotFound},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			p := newPlatform(tc.stands)
			s := servePlatform(t, p)
			data, errs := s.try(tc.document, nil)
			assert.Equal(t, tc.code, coded.CodeOf(onlyError(t, errs)))
			assert.Equal(t, "null", data)
			assert.Empty(t, p.wasAsked())
		})
	}
}
