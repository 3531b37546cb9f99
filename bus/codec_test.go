package bus

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/projection"
	"inlaygraph/wire"
)

func frame(t testing.TB, line string) *wire.Frame {
	t.Helper()
	f, err := wire.DecodeFrame([]byte(line))
	require.NoError(t, err)
	return f
}

// everything is a record with an input and an effect of every sort.
func everything(t testing.TB) *Record {
	t.Helper()
	head, err := wire.DecodeHead([]byte(`{"type":"conversation","conversation_id":"c","agent_id":"a","agent_version":3,"status":"running","last_offset":4,
		"working_set":{"bindings":{"x":{"value":{"n":1.50},"status":"final"}}}}`))
	require.NoError(t, err)
	page, _, err := wire.DecodePage([]byte(`{"rows":[{"type":"user","seq":1,"id":"u","content":"a\nb"},{"type":"assistant","seq":2,"id":"v","node_id":"n","content":"x"}],"has_earlier":true}`))
	require.NoError(t, err)
	plan, err := wire.DecodePlan([]byte(`{"agent_id":"a","agent_version":3,"nodes":[{"path":["n"],"kind":"llm","name":"n"}]}`))
	require.NoError(t, err)
	index, err := wire.NewPlanIndex(plan)
	require.NoError(t, err)
	failure := "it \"broke\"\n"
	return &Record{
		Kind: Begin, By: "me", Window: 20_000, Limits: projection.Limits{RowBytes: 1, WindowBytes: 2, StateBytes: 3},
		Inputs: []projection.Input{
			head, page, projection.Plan{Index: index}, projection.Skipped{Offset: 4},
			frame(t, `{"type":"message.delta","offset":5,"node_id":"n","activation":"v1","content":"h\u00e9\ud83d\ude00","at":"2026-01-02T03:04:05.678+02:00"}`),
			page.Rows[1],
		},
		Effects: []Effect{
			{Delivery: &Delivery{projection.ToolDelivery{ToolCallID: "t", Status: projection.ToolFailed, Error: &failure}, "me", "abc"}},
			{Latch: &Latch{projection.Latch{Kind: projection.LatchCancel, On: true}, "me", true, projection.ChatStreaming}},
		},
	}
}

// A record is read as it was spelled: spelled again, it is the same text, and a plan that is known is the same plan.
func TestRecordRoundTrip(t *testing.T) {
	r := everything(t)
	text, err := r.encode()
	require.NoError(t, err)
	var d decoder
	got, err := d.decode(text)
	require.NoError(t, err)
	assert.Equal(t, r.Kind, got.Kind)
	assert.Equal(t, r.Window, got.Window)
	assert.Equal(t, r.Limits, got.Limits)
	assert.Equal(t, r.Effects, got.Effects)
	require.Len(t, got.Inputs, len(r.Inputs))
	again, err := got.encode()
	require.NoError(t, err)
	assert.Equal(t, string(text), string(again))
	twice, err := d.decode(text)
	require.NoError(t, err)
	assert.Same(t, got.Inputs[2].(projection.Plan).Index, twice.Inputs[2].(projection.Plan).Index)
}

// What upstream did not tell can't be appended.
func TestEncodeRefuses(t *testing.T) {
	_, err := (&Record{Kind: Told, By: "me", Inputs: []projection.Input{projection.Trim{Keep: 1}}}).encode()
	assert.Error(t, err)
}

// FuzzDecode (promise 6): whatever stands in a message, it is read as a record that is spelled the same when it is read
// again, or refused.
func FuzzDecode(f *testing.F) {
	text, err := everything(f).encode()
	require.NoError(f, err)
	f.Add(text)
	f.Add([]byte{})
	f.Add([]byte("{}\n"))
	for _, line := range []string{"", "f", "f{}", "x1", "s", "s9223372036854775808", "p{\"rows\":[{}],\"has_earlier\":false}", "d{}", "l{\"kind\":3}", "a{}"} {
		f.Add([]byte(`{"kind":"told","by":"b"}` + "\n" + line + "\n"))
	}
	f.Add([]byte(strings.TrimSuffix(string(text), "\n")))
	f.Fuzz(func(t *testing.T, text []byte) {
		var d decoder
		r, err := d.decode(text)
		if err != nil {
			return
		}
		once, err := r.encode()
		require.NoError(t, err)
		r, err = d.decode(once)
		require.NoError(t, err)
		twice, err := r.encode()
		require.NoError(t, err)
		assert.True(t, bytes.Equal(once, twice))
	})
}
