package wire

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func pointer[T any](v T) *T { return &v }

// Promise 10 for what starts a run: the spelling of docs/wire.md, and back.
func TestExecutionRoundTrip(t *testing.T) {
	for want, in := range map[string]*ExecutionInput{
		`{"messages":[{"role":"user","content":"hi"}]}`: {Messages: []Message{{Role: User, Content: "hi"}}},
		`{"conversation_id":"c/1","agent_version":0,"messages":[{"role":"tool","content":"","tool_call_id":"t1"}],"client_request_id":"r"}`: {
			ConversationID: "c/1", AgentVersion: pointer(0), ClientRequestID: "r",
			Messages: []Message{{Role: Tool, ToolCallID: "t1"}},
		},
		`{"agent_version":2147483647,"messages":[{"role":"system","content":"é😀\n\"<&"},{"role":"assistant","content":"x","name":"bot"}]}`: {
			AgentVersion: pointer(2147483647),
			Messages:     []Message{{Role: System, Content: "é😀\n\"<&"}, {Role: Assistant, Content: "x", Name: "bot"}},
		},
	} {
		text := in.AppendJSON([]byte("before"))
		assert.Equal(t, "before"+want, string(text))
		got, err := DecodeExecution(text[len("before"):])
		require.NoError(t, err)
		assert.Equal(t, in, got)
	}
	assert.Equal(t, `{"messages":[{"role":"user","content":"�"}]}`,
		string((&ExecutionInput{Messages: []Message{{Role: User, Content: "\xff"}}}).AppendJSON(nil)), "promise 6")
}

// What is tolerated: null and empty members are absent, others are ignored, a mark and line ends are not of it.
func TestExecutionLeniency(t *testing.T) {
	got, err := DecodeExecution([]byte("\ufeff {\"conversation_id\":null,\"agent_version\":null,\"client_request_id\":\"\",\"tenant\":7," +
		`"messages":[{"role":"user","content":"a","content":"b","tool_call_id":null,"name":"","tool_calls":[]}]}` + "\r\n"))
	require.NoError(t, err)
	assert.Equal(t, &ExecutionInput{Messages: []Message{{Role: User, Content: "b"}}}, got)
}

// Promises 1 to 3: whole or not at all, and the member is named.
func TestExecutionRejections(t *testing.T) {
	message := `{"role":"user","content":"x"}`
	for _, c := range []struct {
		text, member string
		reason       Reason
	}{
		{``, "", ReasonMalformed},
		{`null`, "", ReasonMalformed},
		{`[` + message + `]`, "", ReasonMalformed},
		{`{"messages":[` + message + `]} {}`, "", ReasonMalformed},
		{`{"messages":[` + message, "", ReasonMalformed},
		{`{"messages":` + strings.Repeat("[", 20_000), "", ReasonMalformed},
		{`{}`, "messages", ReasonMissing},
		{`{"messages":null}`, "messages", ReasonMissing},
		{`{"messages":[]}`, "messages[0]", ReasonMissing},
		{`{"messages":` + message + `}`, "messages", ReasonWrongType},
		{`{"messages":["x"]}`, "messages[0]", ReasonWrongType},
		{`{"messages":[` + message + `,null]}`, "messages[1]", ReasonWrongType},
		{`{"messages":[{"content":"x"}]}`, "messages[0].role", ReasonMissing},
		{`{"messages":[{"role":"user"}]}`, "messages[0].content", ReasonMissing},
		{`{"messages":[{"role":"user","content":null}]}`, "messages[0].content", ReasonMissing},
		{`{"messages":[{"role":"user","content":["x"]}]}`, "messages[0].content", ReasonWrongType},
		{`{"messages":[` + message + `,{"role":"robot","content":"x"}]}`, "messages[1].role", ReasonUnknownValue},
		{`{"messages":[{"role":"","content":"x"}]}`, "messages[0].role", ReasonUnknownValue},
		{`{"messages":[{"role":1,"content":"x"}]}`, "messages[0].role", ReasonWrongType},
		{`{"messages":[{"role":"user","content":"x","name":1}]}`, "messages[0].name", ReasonWrongType},
		{`{"messages":[{"role":"tool","content":"x"}]}`, "messages[0].tool_call_id", ReasonMissing},
		{`{"messages":[{"role":"tool","content":"x","tool_call_id":""}]}`, "messages[0].tool_call_id", ReasonMissing},
		{`{"messages":[{"role":"tool","content":"x","tool_call_id":{}}]}`, "messages[0].tool_call_id", ReasonWrongType},
		{`{"conversation_id":1,"messages":[` + message + `]}`, "conversation_id", ReasonWrongType},
		{`{"agent_version":"1","messages":[` + message + `]}`, "agent_version", ReasonWrongType},
		{`{"agent_version":1.0,"messages":[` + message + `]}`, "agent_version", ReasonWrongType},
		{`{"agent_version":-1,"messages":[` + message + `]}`, "agent_version", ReasonOutOfRange},
		{`{"agent_version":2147483648,"messages":[` + message + `]}`, "agent_version", ReasonOutOfRange},
		{`{"messages":[` + message + `],"client_request_id":[]}`, "client_request_id", ReasonWrongType},
	} {
		in, err := DecodeExecution([]byte(c.text))
		assert.Nil(t, in, c.text)
		assert.Equal(t, &Rejection{Reason: c.reason, Member: c.member}, err, "%.80s", c.text)
	}
}

func TestRoles(t *testing.T) {
	for role, word := range map[Role]string{System: "system", User: "user", Assistant: "assistant", Tool: "tool", 0: "", 5: ""} {
		assert.Equal(t, word, role.String())
	}
}

// FuzzDecodeExecution: promises 1, 6, 7 and 10 on whatever bytes.
func FuzzDecodeExecution(f *testing.F) {
	for _, seed := range []string{
		`{"messages":[{"role":"user","content":"hi"}]}`,
		`{"conversation_id":"c","agent_version":3,"messages":[{"role":"tool","content":"{\"a\":1}","tool_call_id":"t"}],"client_request_id":"r"}`,
		"\ufeff" + `{"messages":[{"role":"system","content":"\ud83e"},{"role":"assistant","content":"é","name":"n"}]}` + "\r\n",
		`{"messages":[{"role":"robot"}]}`, `{"messages":[]}`, `{"agent_version":1e2,"messages":null}`, `{"messages":[[[[`,
	} {
		f.Add([]byte(seed))
	}
	f.Add([]byte(`"role":"tool","content":"x","tool_call_id":"t","name":"n"`))
	f.Fuzz(func(t *testing.T, text []byte) {
		requireExecution(t, text)
		// Most bytes are no input; as part of one they come further.
		requireExecution(t, slices.Concat([]byte(`{"messages":[{"role":"user","content":"x"}],`), text, []byte(`}`)))
		requireExecution(t, slices.Concat([]byte(`{"messages":[{`), text, []byte(`}]}`)))
	})
}

func requireExecution(t *testing.T, text []byte) {
	in, err := DecodeExecution(text)
	if err != nil {
		require.Nil(t, in)
		requireSound(t, err)
		return
	}
	require.NotEmpty(t, in.Messages)
	again := in.AppendJSON(nil)
	require.True(t, utf8.Valid(again))
	require.NotContains(t, string(again), "\n")
	got, err := DecodeExecution(again)
	require.NoError(t, err, "%s", again)
	require.Equal(t, in, got)
}
