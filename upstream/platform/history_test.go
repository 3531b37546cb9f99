package platform

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/upstream"
	"inlaygraph/wire"
)

func TestList(t *testing.T) {
	c := serve(t, say(`{"conversations":[{"type":"conversation","conversation_id":"a","agent_id":"x","agent_version":0,"status":"failed"},`+
		`{"conversation_id":"b","status":"dreaming","updated_at":"soon"},{"status":"running"}],"has_more":true}`), Options{})
	page, err := c.List(t.Context(), "", upstream.ListQuery{})
	require.NoError(t, err)
	draft := 0
	assert.Equal(t, &wire.SummaryPage{HasMore: true, Items: []*wire.Summary{
		{ConversationID: "a", AgentID: "x", AgentVersion: &draft, Status: wire.Failed}, {ConversationID: "b"},
	}}, page)
}

// Numbers keep their digits.
func TestBacklinks(t *testing.T) {
	c := serve(t, say("\ufeff"+`{"backlinks": [ {"row_id": "r", "n": 12345678901234567890.10} , 1E400, null ], "x": 1}`), Options{})
	links, err := c.Backlinks(t.Context(), "", "c1", "t", "r")
	require.NoError(t, err)
	assert.Equal(t, json.RawMessage(`[{"row_id":"r","n":12345678901234567890.10},1E400,null]`), links)
}

func TestObjects(t *testing.T) {
	c := serve(t, say("\ufeff {\"a\" : 1.50 }\r\n"), Options{})
	got, err := c.Get(t.Context(), "", nil, "billing", "balance")
	require.NoError(t, err)
	assert.Equal(t, `{"a" : 1.50 }`, string(got), "as it came")
	got, err = c.Post(t.Context(), "", []byte("{}"), "billing", "subscribe")
	require.NoError(t, err)
	assert.Equal(t, `{"a" : 1.50 }`, string(got))
}

// Answers that are no JSON, lack a member, have one of another type, break off or are too long: Unavailable in our
// own words, the reason apart, and nothing of the answer in it.
func TestNonsense(t *testing.T) {
	bad := map[string]map[string]string{
		"head": {
			"another conversation":   strings.Replace(headJSON, "c1", "c2", 1),
			"missing_member":         `{"type":"conversation","conversation_id":"c1","agent_id":"secret","agent_version":1}`,
			"unknown_type":           strings.Replace(headJSON, `"conversation"`, `"user"`, 1),
			"wrong_type":             strings.Replace(headJSON, `"a"`, `["secret"]`, 1),
			"unknown_value":          strings.Replace(headJSON, "running", "secret", 1),
			"an answer of more than": headJSON + strings.Repeat(" ", 5000),
		},
		"rows": {
			"missing_member at rows": `{"has_earlier":false}`, "wrong_type at rows": `{"rows":{},"has_earlier":false}`,
			"missing_member at has_earlier": `{"rows":["secret"]}`,
		},
		"plan": {
			"missing_member at agent_id": `{"agent_version":3}`,
			"plan of another agent":      `{"agent_id":"secret","agent_version":3}`,
			"another agent or version":   `{"agent_id":"a","agent_version":4}`,
		},
		"list": {
			"missing_member at conversations": `{"has_more":true}`, "wrong_type at conversations": `{"conversations":"secret"}`,
		},
		"backlinks":     {"missing_member at backlinks": `{"links":["secret"]}`, "wrong_type at backlinks": `{"backlinks":{"secret":1}}`},
		"billing/usage": {"no JSON object": `"secret"`}, "billing/topup": {"no JSON object": "\ufeff"},
	}
	every(t, func(t *testing.T, e endpoint) {
		if e.good == "" {
			return // streams and cancel: see TestNoStream and TestCancel
		}
		texts := map[string]string{
			"": "", "\t": "[]", " ": "<html>secret</html>", "  ": "null", "   ": e.good[:len(e.good)-1], "    ": e.good + "{}",
		}
		for why, text := range bad[e.op] {
			texts[why] = text
		}
		require.NotEmpty(t, bad[e.op])
		for why, text := range texts {
			err := e.ask(serve(t, say(text), Options{MaxAnswer: 4096}), t.Context(), "")
			got := requireError(t, err)
			assert.Equal(t, upstream.Unavailable, got.Kind, text)
			assert.Equal(t, e.op, got.Op)
			assert.Equal(t, "upstream "+e.op+": unavailable (200)", got.Error())
			require.Error(t, got.Detail)
			assert.Contains(t, got.Detail.Error(), strings.TrimSpace(why))
			assert.NotContains(t, got.LogValue().String(), "secret", text)
		}
		err := e.ask(serve(t, say(e.good+strings.Repeat(" ", 5000)), Options{MaxAnswer: 4096}), t.Context(), "")
		assert.ErrorContains(t, requireError(t, err).Detail, "more than 4096 bytes")
	})
}
