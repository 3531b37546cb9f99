package encoded_test

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"inlaygraph/conversation"
	"inlaygraph/graph/encoded"
	"inlaygraph/projection"
	"inlaygraph/tests/gen"
	"inlaygraph/wire"
)

// Promises 1, 2 and 3: whatever is asked of whatever conversation, data and errors are the executor's. Each operation is
// executed several times, so that its rows are written anew, then kept, then found; the cache is small, and one for all.
func TestAnswersAreTheExecutors(t *testing.T) {
	cache := encoded.NewCache(1 << 20)
	plain, fast := serve(nil), serve(cache)
	asked := 0
	rapid.Check(t, func(rt *rapid.T) {
		live := conversation.NewLive("c1")
		plan, records := spiced(rt)
		index, err := wire.NewPlanIndex(plan)
		require.NoError(rt, err)
		schemas, _ := projection.NewSchemas(index)
		live.Apply(projection.Plan{Index: index, Schemas: schemas})
		for _, record := range records {
			live.Apply(record.(projection.Input))
		}
		plain.conversation = live.Conversation()
		fast.conversation = plain.conversation

		for range 4 {
			d := newDocument(rt)
			text := d.text("query", d.lists())
			want, wantErrors := plain.ask(t, text, d.variables)
			for range 3 {
				got, gotErrors := fast.ask(t, text, d.variables)
				require.Equal(rt, want, got, "%s\n%v", text, d.variables)
				require.Equal(rt, spelled(rt, wantErrors), spelled(rt, gotErrors), "%s\n%v", text, d.variables)
			}
			asked++
		}
	})
	stats := cache.Stats()
	require.Positive(t, asked)
	require.Greater(t, stats.Lists, uint64(5*asked), "the lists are not written here")
	require.NotZero(t, stats.Hits)
}

// Promises 1 and 2, of the messages of one subscription while its conversation goes on.
func TestMessagesAreTheExecutors(t *testing.T) {
	cache := encoded.NewCache(1 << 20)
	rapid.Check(t, func(rt *rapid.T) {
		plain, fast := serve(nil), serve(cache)
		d := newDocument(rt)
		text := d.text("subscription", `{ timeline(conversationId: "c1")`+d.selection("Row", 0)+" }")
		nextPlain, err := plain.start(t.Context(), text, d.variables)
		require.NoError(rt, err, text)
		nextFast, err := fast.start(t.Context(), text, d.variables)
		require.NoError(rt, err, text)
		state := projection.New("")
		_, records := spiced(rt)
		for _, record := range records {
			state.Apply(record.(projection.Input))
			rows := state.Snapshot().Timeline()
			plain.timelines <- rows
			fast.timelines <- rows
			want, got := nextPlain(), nextFast()
			require.Equal(rt, string(want.Data), string(got.Data), "%s\n%v", text, d.variables)
			require.Equal(rt, spelled(rt, want.Errors), spelled(rt, got.Errors), "%s\n%v", text, d.variables)
		}
		close(plain.timelines)
		close(fast.timelines)
		require.Nil(rt, nextPlain())
		require.Nil(rt, nextFast())
	})
	require.NotZero(t, cache.Stats().Hits)
}

// lists select everything of a conversation that is written here.
func (d *document) lists() string {
	text := `{ conversation(id: "c1") {`
	for i, field := range []struct{ text, on string }{
		{"timeline", "Row"}, {"nodes", "NodeView"}, {`outputsNamed(name: "out")`, "OutputRow"}, {`node(path: ["n"])`, "NodeView"},
		{`assistantsInActivation(path: ["n"], activation: "x")`, "AssistantRow"}, {`rowsAt(path: [], subtree: true)`, "Row"},
	} {
		if d.chance("list", 50) {
			text += fmt.Sprintf(" l%d: ", i) + field.text + d.directives() + d.selection(field.on, 0)
		}
	}
	return text + " id chat { transcript" + d.selection("Row", 0) + " } } }"
}

func spelled(t require.TestingT, v any) string {
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return string(b)
}

// spiced is a conversation with texts, numbers and words as they come at worst, decoding or not: broken UTF-8, numbers out
// of range, enum values without a name.
func spiced(t *rapid.T) (*wire.Plan, []wire.Record) {
	plan, records := gen.ChaosWithPlan(t)
	worst := rapid.IntRange(0, 3).Draw(t, "out of range") == 0
	for _, record := range records {
		switch record := record.(type) {
		case *wire.Frame:
			spice(t, &record.Body, worst)
		case *wire.Row:
			spice(t, &record.Body, worst)
		case *wire.Page:
			for _, row := range record.Rows {
				spice(t, &row.Body, worst)
			}
		}
	}
	return plan, records
}

var texts = rapid.OneOf(
	rapid.String(),
	rapid.SampledFrom([]string{
		"", "plain", "tab\tcr\rlf\nquote\"slash\\/", "\x00\x01\x1f\x7f", "<b>&amp;</b>", "\u2028\u2029\ufeff", "é😀🦦", "\xff\xc3(", "a\xed\xa0\x80b",
		"long enough for several words of eight bytes: \"quoted\", and on and on", "12345678", "1234567\n", "\n2345678\\",
	}),
	rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 40), func(b []byte) string { return string(b) }),
)

func spice(t *rapid.T, b *wire.Body, worst bool) {
	text := texts.Draw(t, "text")
	switch rapid.IntRange(0, 3).Draw(t, "spice") {
	case 1:
		for _, s := range []*string{&b.Content, &b.Reasoning, &b.Delta, &b.Output, &b.Input} {
			if *s != "" {
				*s = text
			}
		}
	case 2:
		for _, s := range []*string{&b.ToolName, &b.FromPort, &b.ID} {
			if *s != "" {
				*s += text
			}
		}
		if b.Error != nil {
			b.Error.Message = text
		}
	case 3:
		if b.Value != "" {
			b.Value = wire.JSON(rapid.SampledFrom([]string{
				`{"n":12345678901234567890.10,"<":[1E+2,"\u2028",null]}`, `"\ud83d\ude00\n<"`, `"<script>"`, `[]`, `0`, `"é"`,
			}).Draw(t, "value"))
		}
		if !b.At.IsZero() {
			b.At = b.At.Add(time.Duration(rapid.IntRange(0, 999_999_999).Draw(t, "fraction")))
		}
	}
	if !worst {
		return
	}
	switch rapid.IntRange(0, 5).Draw(t, "worst") {
	case 0:
		b.Format = 77
	case 1:
		if b.Usage != nil {
			b.Usage.PromptTokens = math.MaxInt64 / 64
		}
	case 2:
		if b.Error != nil {
			b.Error.Kind = 77
		}
	case 3:
		b.At = time.Date(12026, 1, 1, 0, 0, 0, 0, time.UTC)
	case 4:
		if b.Seq != 0 {
			b.Seq = math.MaxInt64 / 64
		}
	}
}
