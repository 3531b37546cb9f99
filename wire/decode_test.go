package wire

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func requireFrame(t testing.TB, line string) *Frame {
	t.Helper()
	frame, err := DecodeFrame([]byte(line))
	require.NoError(t, err, line)
	return frame
}

func TestDecodeTellsTheKindsApart(t *testing.T) {
	assert.Equal(t,
		&Frame{Type: MessageDelta, Offset: 17, Body: Body{Spine: Spine{NodeID: "writer"}, Content: "hi", HasContent: true}},
		requireTaken(t, []byte(`{"offset":17,"content":"hi","node_id":"writer","type":"message.delta"}`)))
	assert.Equal(t,
		&Row{Type: RowAssistant, Body: Body{Seq: 4, Content: "", HasContent: true}},
		requireTaken(t, []byte(`{"type":"assistant","content":"","seq":4}`)))
	assert.Equal(t,
		&Head{ConversationID: "c", AgentID: "a", Status: AwaitingClientTool},
		requireTaken(t, []byte(`{"status":"awaiting_client_tool","agent_version":0,"agent_id":"a","conversation_id":"c","type":"conversation"}`)))
}

func TestOneKindOnly(t *testing.T) {
	texts := map[string]string{
		"frame": `{"type":"run.end","status":"failed","offset":3}`,
		"row":   `{"type":"user","seq":1,"content":"hi","offset":3}`,
		"head":  `{"type":"conversation","conversation_id":"c","agent_id":"a","agent_version":1,"status":"running","offset":3}`,
	}
	decoders := map[string]func([]byte) (Record, error){
		"frame": func(b []byte) (Record, error) { return DecodeFrame(b) },
		"row":   func(b []byte) (Record, error) { return DecodeRow(b) },
		"head":  func(b []byte) (Record, error) { return DecodeHead(b) },
	}
	for wanted, decode := range decoders {
		for name, text := range texts {
			record, err := decode([]byte(text))
			if name == wanted {
				require.NoError(t, err)
				require.NotNil(t, record)
				continue
			}
			var rejected *Rejection
			require.ErrorAs(t, err, &rejected)
			assert.Equal(t, ReasonUnknownType, rejected.Reason)
			// Where only frames are taken everything uses up its offset; elsewhere rows and heads have none.
			assert.Equal(t, wanted == "frame", rejected.Offset == 3, "%s as %s", name, wanted)
		}
	}
}

// Promise 2: what a rejection tells.
func TestRejectionTells(t *testing.T) {
	long := strings.Repeat("ü", 100)
	for _, c := range []struct {
		name, text string
		want       Rejection
	}{
		{"nothing", ``, Rejection{Reason: ReasonMalformed}},
		{"no JSON", `data: {"offset":3}`, Rejection{Reason: ReasonMalformed}},
		{"no object", `[{"type":"run.end","offset":3}]`, Rejection{Reason: ReasonMalformed}},
		{"a string", `"run.end"`, Rejection{Reason: ReasonMalformed}},
		{"null", `null`, Rejection{Reason: ReasonMalformed}},
		{"broken off in a string", `{"type":"message.delta","offset":9,"content":"and th`,
			Rejection{Reason: ReasonMalformed, Type: "message.delta", Offset: 9}},
		{"broken off before the offset", `{"type":"message.delta","off`, Rejection{Reason: ReasonMalformed, Type: "message.delta"}},
		{"broken off after a number", `{"offset":12`, Rejection{Reason: ReasonMalformed}},
		{"broken value", `{"offset":12,"type":"run.end","status":nope}`, Rejection{Reason: ReasonMalformed, Type: "run.end", Offset: 12}},
		{"broken name", `{"offset":12,status:"failed"}`, Rejection{Reason: ReasonMalformed, Offset: 12}},
		{"no colon", `{"offset":12,"type"}`, Rejection{Reason: ReasonMalformed, Offset: 12}},
		{"comma at the end", `{"offset":12,}`, Rejection{Reason: ReasonMalformed, Offset: 12}},
		{"bad escape", `{"offset":12,"type":"run.end","status":"\x"}`, Rejection{Reason: ReasonMalformed, Type: "run.end", Offset: 12}},
		{"raw control character", "{\"offset\":12,\"title\":\"a\x01b\"}", Rejection{Reason: ReasonMalformed, Offset: 12}},
		{"leading zero", `{"type":"run.end","offset":012}`, Rejection{Reason: ReasonMalformed, Type: "run.end"}},
		{"two records", `{"type":"run.end","offset":12,"status":"failed"}{"offset":13}`,
			Rejection{Reason: ReasonMalformed, Type: "run.end", Offset: 12}},
		{"trailing word", `{"type":"run.end","offset":12,"status":"failed"} ok`,
			Rejection{Reason: ReasonMalformed, Type: "run.end", Offset: 12}},
		{"NUL at the end", "{\"type\":\"run.end\",\"offset\":12,\"status\":\"failed\"}\x00",
			Rejection{Reason: ReasonMalformed, Type: "run.end", Offset: 12}},
		{"a broken row", `{"type":"user","offset":12,"seq":}`, Rejection{Reason: ReasonMalformed, Type: "user"}},
		{"no type", `{"offset":3}`, Rejection{Reason: ReasonMissing, Member: "type", Offset: 3}},
		{"null type", `{"offset":3,"type":null}`, Rejection{Reason: ReasonMissing, Member: "type", Offset: 3}},
		{"type no string", `{"offset":3,"type":4}`, Rejection{Reason: ReasonWrongType, Member: "type", Offset: 3}},
		{"unknown type", `{"offset":3,"type":"node.retry"}`,
			Rejection{Reason: ReasonUnknownType, Member: "type", Type: "node.retry", Offset: 3}},
		{"type in capitals", `{"offset":3,"type":"Run.End"}`,
			Rejection{Reason: ReasonUnknownType, Member: "type", Type: "Run.End", Offset: 3}},
		{"empty type", `{"offset":3,"type":""}`, Rejection{Reason: ReasonUnknownType, Member: "type", Offset: 3}},
		{"long type, control characters", `{"offset":3,"type":"a\n\u001b` + long + `"}`,
			Rejection{Reason: ReasonUnknownType, Member: "type", Type: "a??" + strings.Repeat("ü", 30), Offset: 3}},
		{"offset no integer", `{"type":"run.end","status":"failed","offset":3.0}`,
			Rejection{Reason: ReasonWrongType, Member: "offset", Type: "run.end"}},
		{"offset a string", `{"type":"run.end","status":"failed","offset":"3"}`,
			Rejection{Reason: ReasonWrongType, Member: "offset", Type: "run.end"}},
		{"offset zero", `{"type":"run.end","status":"failed","offset":0}`,
			Rejection{Reason: ReasonOutOfRange, Member: "offset", Type: "run.end"}},
		{"offset beyond", `{"type":"run.end","status":"failed","offset":9007199254740992}`,
			Rejection{Reason: ReasonOutOfRange, Member: "offset", Type: "run.end"}},
		{"unknown type with a bad offset", `{"type":"x.y","offset":-1}`,
			Rejection{Reason: ReasonUnknownType, Member: "type", Type: "x.y"}},
		{"path of something else", `{"type":"message.delta","offset":3,"node_id":"n","subgraph_path":["a",null,"b"]}`,
			Rejection{Reason: ReasonWrongType, Member: "subgraph_path[1]", Type: "message.delta", Offset: 3}},
		{"bad path though it would be dropped", `{"type":"message.delta","offset":3,"subgraph_path":[1]}`,
			Rejection{Reason: ReasonWrongType, Member: "subgraph_path[0]", Type: "message.delta", Offset: 3}},
		{"empty node id", `{"type":"node.start","offset":3,"kind":"llm","node_id":""}`,
			Rejection{Reason: ReasonMissing, Member: "node_id", Type: "node.start", Offset: 3}},
		{"error without a kind", `{"type":"run.end","offset":3,"status":"failed","error":{"message":"m"}}`,
			Rejection{Reason: ReasonMissing, Member: "error.kind", Type: "run.end", Offset: 3}},
		{"error without a message", `{"type":"run.end","offset":3,"status":"failed","error":{"kind":"llm","message":null}}`,
			Rejection{Reason: ReasonMissing, Member: "error.message", Type: "run.end", Offset: 3}},
		{"error kind no word", `{"type":"run.end","offset":3,"status":"failed","error":{"kind":4,"message":"m"}}`,
			Rejection{Reason: ReasonWrongType, Member: "error.kind", Type: "run.end", Offset: 3}},
		{"error message no text", `{"type":"node.end","offset":3,"node_id":"n","status":"failed","error":{"kind":"llm","message":[]}}`,
			Rejection{Reason: ReasonWrongType, Member: "error.message", Type: "node.end", Offset: 3}},
		{"usage with a fraction", `{"type":"node.end","offset":3,"node_id":"n","status":"failed","usage":{"completion_tokens":1.5}}`,
			Rejection{Reason: ReasonWrongType, Member: "usage.completion_tokens", Type: "node.end", Offset: 3}},
		{"usage below zero", `{"type":"node.end","offset":3,"node_id":"n","status":"failed","usage":{"reasoning_tokens":-1}}`,
			Rejection{Reason: ReasonOutOfRange, Member: "usage.reasoning_tokens", Type: "node.end", Offset: 3}},
		{"usage beyond", `{"type":"node-end","seq":3,"node_id":"n","status":"failed","usage":{"prompt_tokens":9007199254740992}}`,
			Rejection{Reason: ReasonOutOfRange, Member: "usage.prompt_tokens", Type: "node-end"}},
		{"iteration far beyond", `{"type":"message.delta","offset":3,"iteration":99999999999999999999}`,
			Rejection{Reason: ReasonOutOfRange, Member: "iteration", Type: "message.delta", Offset: 3}},
	} {
		t.Run(c.name, func(t *testing.T) { requireRejected(t, []byte(c.text), c.want) })
	}
}

func TestRejectionIsReadable(t *testing.T) {
	_, err := DecodeFrame([]byte(`{"type":"run.end","status":"failed","error":{"kind":"llm"}}`))
	assert.EqualError(t, err, "missing_member at error.message in run.end")
	assert.EqualError(t, &Rejection{Reason: ReasonTooLarge}, "too_large")
}

// Promise 3: the closed sets, member by member.
func TestClosedSets(t *testing.T) {
	sets := map[string]string{
		"output.set": "building final", "table.row": "building final", "output": "building final",
		"node.end": "completed failed cancelled", "node-end": "completed failed cancelled",
		"run.pause": "paused awaiting_client_tool", "run.end": "completed failed cancelled",
		headType: "running completed failed cancelled paused awaiting_client_tool",
	}
	words := strings.Fields("building final running completed failed cancelled paused awaiting_client_tool Final canceled done")
	for _, name := range allTypes() {
		allowed, has := sets[name]
		full := sample(t, name)
		require.Equal(t, has, full["status"] != "", "%s has a status: give its set", name)
		if !has {
			continue
		}
		for _, word := range append(words, "") {
			line := spell(with(full, "status", `"`+word+`"`))
			if word != "" && strings.Contains(" "+allowed+" ", " "+word+" ") {
				requireTaken(t, line)
				continue
			}
			requireRejected(t, line, Rejection{Reason: ReasonUnknownValue, Member: "status", Type: name, Offset: usedUp(name)})
		}
	}
}

// Promise 4.
func TestAbsentIsAbsent(t *testing.T) {
	for _, m := range []string{"id", "activation", "message_id", "node_id"} {
		for _, name := range allTypes() {
			full := sample(t, name)
			required, _ := pageOf(name)
			if full[m] == "" || strings.Contains(strings.Join(required, " "), m) {
				continue
			}
			assert.Equal(t, requireTaken(t, spell(with(full, m, ""))), requireTaken(t, spell(with(full, m, `""`))), "%s of %s", m, name)
		}
	}

	frame := requireFrame(t, `{"type":"message.delta","content":"","activation":"a","subgraph_path":["s"]}`)
	assert.Nil(t, frame.SubgraphPath, "no node: the path says nothing")
	assert.Equal(t, "a", frame.Activation)
	assert.True(t, frame.HasContent)
	assert.False(t, frame.HasReasoning)

	frame = requireFrame(t, `{"type":"edge.fired","from":"a","to":"b","subgraph_path":["s"],"from_port":""}`)
	assert.Equal(t, []string{"s"}, frame.SubgraphPath, "an edge stands in its path without a node")
	assert.True(t, frame.HasFromPort, "an empty port is a port")
	frame = requireFrame(t, `{"type":"edge.fired","from":"a","to":"b","subgraph_path":[]}`)
	assert.Nil(t, frame.SubgraphPath)
	assert.False(t, frame.HasFromPort)
	row := requireTaken(t, []byte(`{"type":"edge","seq":1,"from":"a","to":"b","subgraph_path":["s"]}`)).(*Row)
	assert.Equal(t, []string{"s"}, row.SubgraphPath)

	frame = requireFrame(t, `{"type":"table.row","table":"","row_id":"","key":"","value":null,"status":"final","links":null}`)
	assert.Equal(t, Body{Value: "null", ValueStatus: Final, HasKey: true}, frame.Body)

	frame = requireFrame(t, `{"type":"user.message","content":"hi","node_id":4,"activation":4,"iteration":0,"subgraph_path":4}`)
	assert.Equal(t, Spine{}, frame.Spine, "the user's turn has no node")

	frame = requireFrame(t, `{"type":"node.end","node_id":"n","status":"completed","usage":{"prompt_tokens":null},"error":null}`)
	assert.Equal(t, &Usage{}, frame.Usage)
	assert.Nil(t, frame.Error)
	assert.Equal(t, &Usage{}, requireFrame(t, `{"type":"node.end","node_id":"n","status":"completed","usage":{}}`).Usage)
}

// Promise 5.
func TestContentOutlivesUnknownWords(t *testing.T) {
	frame := requireFrame(t, `{"type":"output.delta","name":"n","delta":"d","format":"hologram"}`)
	assert.Equal(t, Body{Name: "n", Delta: "d"}, frame.Body)
	frame = requireFrame(t, `{"type":"run.end","status":"failed","error":{"kind":"cosmic","message":"m"}}`)
	assert.Equal(t, &PublicError{Kind: ErrorInternal, Message: "m"}, frame.Error)
}

// Promise 7.
func TestLimits(t *testing.T) {
	frame := func(n int) []byte {
		const empty = `{"type":"message.delta","content":""}`
		return []byte(strings.Replace(empty, `""`, `"`+strings.Repeat("x", n-len(empty))+`"`, 1))
	}
	small := Decoder{MaxRecord: 100}
	_, err := small.Frame(frame(100))
	require.NoError(t, err)
	_, err = small.Decode(append([]byte("\ufeff"), append(frame(100), "\r\n"...)...))
	require.NoError(t, err, "what stands around a record does not count")
	_, err = small.Frame(frame(101))
	require.Equal(t, &Rejection{Reason: ReasonTooLarge}, err)
	_, err = small.Frame(bytes.Repeat([]byte("{"), 101))
	require.Equal(t, &Rejection{Reason: ReasonTooLarge}, err, "checked before anything is parsed")
	_, err = DecodeFrame(frame(DefaultMaxRecord))
	require.NoError(t, err)
	_, err = DecodeFrame(frame(DefaultMaxRecord + 1))
	require.Equal(t, &Rejection{Reason: ReasonTooLarge}, err)

	nested := func(levels int) []byte {
		return []byte(`{"offset":8,"type":"output.set","name":"n","status":"final","complete":true,"value":` +
			strings.Repeat(`[`, levels) + strings.Repeat(`]`, levels) + `}`)
	}
	require.Len(t, requireTaken(t, nested(9_999)).(*Frame).Value, 2*9_999)
	requireRejected(t, nested(10_000), Rejection{Reason: ReasonMalformed, Type: "output.set", Offset: 8})
	requireRejected(t, nested(400_000), Rejection{Reason: ReasonMalformed, Type: "output.set", Offset: 8})
	requireRejected(t, bytes.Repeat([]byte(`{"a":`), 100_000), Rejection{Reason: ReasonMalformed})
}

func TestTimes(t *testing.T) {
	for text, want := range map[string]time.Time{
		`2026-02-06T12:00:00Z`:                time.Date(2026, 2, 6, 12, 0, 0, 0, time.UTC),
		`2026-02-06t12:00:00z`:                time.Date(2026, 2, 6, 12, 0, 0, 0, time.UTC),
		`2026-02-06T12:00:00.5+05:30`:         time.Date(2026, 2, 6, 6, 30, 0, 500_000_000, time.UTC),
		`2026-02-06T12:00:00.123456789-00:00`: time.Date(2026, 2, 6, 12, 0, 0, 123_456_789, time.UTC),
		`2026-02-06T12:00:00.1234567899Z`:     time.Date(2026, 2, 6, 12, 0, 0, 123_456_789, time.UTC),
		`2026-02-06T12:00:00.000+23:59`:       time.Date(2026, 2, 5, 12, 1, 0, 0, time.UTC),
		`\u0032026-02-06T12:00:00Z`:           time.Date(2026, 2, 6, 12, 0, 0, 0, time.UTC),
		`0000-01-01T00:00:00Z`:                time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC),
	} {
		got := requireFrame(t, `{"type":"message.delta","at":"`+text+`"}`).At
		assert.True(t, got == want, "%s: %s", text, got) // the same value, not only the same instant
	}
}

// Promise 9: the bytes may be reused, and many goroutines decode at once.
func TestNothingRefersToTheBytes(t *testing.T) {
	lines := benchFrames()
	lines = append(lines, []byte(`{"type":"conversation","conversation_id":"c","agent_id":"a","agent_version":1,"status":"running","working_set":{"bindings":{"b":{"value":{"x":"y"},"status":"final"}},"tables":{"t":[{"row_id":"r","value":"v","status":"final"}]}}}`))
	var want []Record
	for _, line := range lines {
		want = append(want, requireTaken(t, line))
	}
	var wait sync.WaitGroup
	for worker := range 4 {
		wait.Go(func() {
			order := rand.New(rand.NewPCG(1, uint64(worker))).Perm(len(lines))
			var buffer []byte
			got := make([]Record, len(lines))
			for _, i := range order {
				buffer = append(buffer[:0], lines[i]...)
				record, err := Decode(buffer)
				if assert.NoError(t, err) {
					got[i] = record
				}
				for j := range buffer {
					buffer[j] = 'x'
				}
			}
			assert.Equal(t, want, got)
		})
	}
	wait.Wait()
}
