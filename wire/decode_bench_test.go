package wire

// Which JSON decoder: every alternative decodes the same mix of frames, four fifths of them deltas, into
// the same *Frame (TestAlternativesAgree). Run:
//
//	go test ./wire -run '^$' -bench Decode -count 12 -benchtime 100ms

import (
	stdjson "encoding/json"
	"fmt"
	"testing"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"
)

// benchFrames is a run as streams are: mostly short deltas of one of two open turns, one of them inside
// a subgraph, with ids as long as UUIDs and times to the millisecond.
func benchFrames() [][]byte {
	words := []string{"The", " answer", " is", " \\\"forty-two\\\"", ",\\n", " naturally", " – says", " 🦉", "."}
	at := time.Date(2026, 2, 6, 12, 0, 0, 0, time.UTC)
	var frames [][]byte
	add := func(kind, rest string) {
		at = at.Add(7 * time.Millisecond)
		frames = append(frames, fmt.Appendf(nil, `{"type":%q,"offset":%d,%s,"at":%q}`,
			kind, len(frames)+1, rest, at.Format("2006-01-02T15:04:05.000Z07:00")))
	}
	const (
		outer = `"node_id":"writer","activation":"719152b2-5238-5e8d-b26a-4dac4d86a273"`
		inner = `"node_id":"researcher","subgraph_path":["research_a","deep"],"activation":"622d9766-38cc-527e-b559-b9674a1ef0f9"`
		turnA = `"id":"0d768be6-5c92-46e4-8441-e7e3cd34d2c1",`
		turnB = `"id":"fe0a0764-ed41-4c0e-9f7d-3f2b8d0a6c55",`
	)
	add("run.start", `"run_id":"run-1","conversation_id":"c-1","agent_id":"researcher","agent_version":7`)
	add("user.message", `"id":"u1","seq":1,"content":"What is the answer?"`)
	add("node.start", `"kind":"llm","message_id":"m1",`+outer)
	add("node.start", `"kind":"llm","message_id":"m2",`+inner)
	for i := range 40 {
		word := words[i%len(words)]
		add("message.delta", turnA+`"content":"`+word+`",`+outer)
		member := "content"
		if i%4 == 0 {
			member = "reasoning"
		}
		add("message.delta", turnB+`"`+member+`":"`+word+`",`+inner)
	}
	add("tool.call", `"id":"t1","seq":2,"tool_call_id":"call_1","tool_name":"search","input":"{\"query\":\"answer\"}","requires_client_response":false,`+outer)
	add("tool.result", `"id":"t2","seq":3,"tool_call_id":"call_1","output":"forty-two, says the first page",`+outer)
	for range 4 {
		add("output.delta", `"id":"o1","name":"report","format":"markdown","delta":"## The answer",`+inner)
	}
	add("output.set", `"id":"o1","seq":4,"name":"report","format":"markdown","status":"final","complete":true,"value":{"title":"The answer","points":[1,2.50,"three"],"nested":{"deep":true}},`+inner)
	add("table.row", `"table":"leads","row_id":"r1","key":"k1","status":"final","value":{"name":"Ada","score":0.93},"links":["r2"],`+inner)
	add("message.end", turnA+`"seq":5,"content":"The answer is forty-two, naturally.",`+outer)
	add("message.end", turnB+`"seq":6,`+inner)
	add("edge.fired", `"from":"writer","from_port":"out","to":"judge","seq":7`)
	add("node.end", `"status":"completed","usage":{"prompt_tokens":812,"completion_tokens":95,"reasoning_tokens":12},"seq":8,`+outer)
	add("node.end", `"status":"failed","error":{"kind":"llm","message":"the model is busy"},"seq":9,`+inner)
	add("run.end", `"status":"completed"`)
	return frames
}

func benchmarkDecode(b *testing.B, decode func([]byte) (*Frame, error)) {
	frames := benchFrames()
	size := 0
	for _, frame := range frames {
		size += len(frame)
	}
	b.SetBytes(int64(size / len(frames)))
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		if _, err := decode(frames[i]); err != nil {
			b.Fatal(err)
		}
		if i++; i == len(frames) {
			i = 0
		}
	}
}

func BenchmarkDecodeFrame(b *testing.B)            { benchmarkDecode(b, DecodeFrame) }
func BenchmarkDecodeCheckedText(b *testing.B)      { benchmarkDecode(b, decodeByCheckedText) }
func BenchmarkDecodeGoJSONExperiment(b *testing.B) { benchmarkDecode(b, decodeByJSONv2) }
func BenchmarkDecodeEncodingJSON(b *testing.B)     { benchmarkDecode(b, decodeByStdlib) }

func BenchmarkAppendJSON(b *testing.B) {
	var frames []*Frame
	for _, text := range benchFrames() {
		frame, err := DecodeFrame(text)
		require.NoError(b, err)
		frames = append(frames, frame)
	}
	b.ReportAllocs()
	var buf []byte
	i := 0
	for b.Loop() {
		buf = frames[i].AppendJSON(buf[:0])
		if i++; i == len(frames) {
			i = 0
		}
	}
}

func TestAlternativesAgree(t *testing.T) {
	for _, text := range benchFrames() {
		want, err := DecodeFrame(text)
		require.NoError(t, err, "%s", text)
		for name, decode := range map[string]func([]byte) (*Frame, error){
			"checked text": decodeByCheckedText, "jsonv2": decodeByJSONv2, "encoding/json": decodeByStdlib,
		} {
			got, err := decode(text)
			require.NoError(t, err, "%s of %s", name, text)
			require.Equal(t, want, got, "%s of %s", name, text)
		}
	}
}

// decodeByCheckedText checks the text in one call first and then walks it with a cursor.
func decodeByCheckedText(text []byte) (*Frame, error) {
	s := states.Get().(*state)
	defer s.release()
	s.source, s.seen = text, 0
	if !jsontext.Value(text).IsValid(lenient) {
		return nil, &Rejection{Reason: ReasonMalformed}
	}
	c := inside(text)
	for name := c.next(); name != nil; name = c.next() {
		value := c.next()
		if m, known := memberOf(s.unquote(name)); known {
			s.found(m, c.at-len(value), c.at)
		}
	}
	s.readOffset()
	record, rejected := s.record(takeFrame)
	if rejected != nil {
		return nil, rejected
	}
	return record.(*Frame), nil
}

func decodeByJSONv2(text []byte) (*Frame, error) {
	var p plainFrame
	if err := jsonv2.Unmarshal(text, &p, lenient); err != nil {
		return nil, err
	}
	return p.frame(), nil
}

func decodeByStdlib(text []byte) (*Frame, error) {
	var p plainFrame
	if err := stdjson.Unmarshal(text, &p); err != nil {
		return nil, err
	}
	return p.frame(), nil
}

// plainFrame is a frame as a reflecting decoder takes it: pointers tell absent members from empty ones.
type plainFrame struct {
	Type                   string             `json:"type"`
	Offset                 int64              `json:"offset"`
	ID                     string             `json:"id"`
	Seq                    int64              `json:"seq"`
	NodeID                 string             `json:"node_id"`
	SubgraphPath           []string           `json:"subgraph_path"`
	Activation             string             `json:"activation"`
	Iteration              int                `json:"iteration"`
	At                     time.Time          `json:"at"`
	RunID                  *string            `json:"run_id"`
	ConversationID         *string            `json:"conversation_id"`
	AgentID                *string            `json:"agent_id"`
	AgentVersion           *int               `json:"agent_version"`
	Kind                   *string            `json:"kind"`
	MessageID              string             `json:"message_id"`
	Content                *string            `json:"content"`
	Reasoning              *string            `json:"reasoning"`
	Name                   *string            `json:"name"`
	Delta                  *string            `json:"delta"`
	Value                  stdjson.RawMessage `json:"value"`
	Format                 string             `json:"format"`
	Status                 *string            `json:"status"`
	Complete               *bool              `json:"complete"`
	Promoted               *bool              `json:"promoted"`
	ToolCallID             *string            `json:"tool_call_id"`
	ToolName               *string            `json:"tool_name"`
	Input                  *string            `json:"input"`
	Output                 *string            `json:"output"`
	RequiresClientResponse *bool              `json:"requires_client_response"`
	Table                  *string            `json:"table"`
	RowID                  *string            `json:"row_id"`
	Key                    *string            `json:"key"`
	Links                  stdjson.RawMessage `json:"links"`
	From                   *string            `json:"from"`
	FromPort               *string            `json:"from_port"`
	To                     *string            `json:"to"`
	Error                  *struct {
		Kind    string `json:"kind"`
		Message string `json:"message"`
	} `json:"error"`
	Usage *struct {
		PromptTokens     int64 `json:"prompt_tokens"`
		CompletionTokens int64 `json:"completion_tokens"`
		ReasoningTokens  int64 `json:"reasoning_tokens"`
	} `json:"usage"`
	Retryable bool `json:"retryable"`
}

func valueOf[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// frame does the least that would have to follow: no member's place is known by now, so it tells none.
func (p *plainFrame) frame() *Frame {
	f := &Frame{Type: frameTypeWords.value([]byte(p.Type)), Offset: p.Offset}
	b := &f.Body
	b.Spine = Spine{NodeID: p.NodeID, SubgraphPath: p.SubgraphPath, Activation: p.Activation, Iteration: p.Iteration}
	b.At, b.ID, b.Seq = p.At.UTC(), p.ID, p.Seq
	b.RunID, b.ConversationID, b.AgentID, b.AgentVersion = valueOf(p.RunID), valueOf(p.ConversationID), valueOf(p.AgentID), valueOf(p.AgentVersion)
	b.Kind, b.MessageID = valueOf(p.Kind), p.MessageID
	b.Content, b.HasContent = valueOf(p.Content), p.Content != nil
	b.Reasoning, b.HasReasoning = valueOf(p.Reasoning), p.Reasoning != nil
	b.Name, b.Delta = valueOf(p.Name), valueOf(p.Delta)
	b.Value = JSON(appendCompact(nil, p.Value))
	b.Format = formatWords.value([]byte(p.Format))
	if word := []byte(valueOf(p.Status)); frameShapes[f.Type].statuses == 0 {
		b.ValueStatus = bindingStatusWords.value(word)
	} else {
		b.Status = statusWords.value(word)
	}
	b.Complete, b.Promoted, b.HasPromoted = valueOf(p.Complete), valueOf(p.Promoted), p.Promoted != nil
	b.ToolCallID, b.ToolName, b.Input, b.Output = valueOf(p.ToolCallID), valueOf(p.ToolName), valueOf(p.Input), valueOf(p.Output)
	b.RequiresClientResponse = valueOf(p.RequiresClientResponse)
	b.Table, b.RowID, b.Key, b.HasKey = valueOf(p.Table), valueOf(p.RowID), valueOf(p.Key), p.Key != nil
	b.Links = JSON(appendCompact(nil, p.Links))
	b.From, b.FromPort, b.HasFromPort, b.To = valueOf(p.From), valueOf(p.FromPort), p.FromPort != nil, valueOf(p.To)
	if p.Error != nil {
		b.Error = &PublicError{Kind: errorKindWords.value([]byte(p.Error.Kind)), Message: p.Error.Message}
	}
	if p.Usage != nil {
		b.Usage = &Usage{p.Usage.PromptTokens, p.Usage.CompletionTokens, p.Usage.ReasoningTokens}
	}
	b.Retryable = p.Retryable
	if b.NodeID == "" && f.Type != EdgeFired {
		b.SubgraphPath = nil
	}
	return f
}
