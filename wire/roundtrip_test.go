package wire

import (
	"bytes"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Generators of records as decoding makes them: everything that the page lets a type carry, nothing else.

var (
	anyText = rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "🦉\u0301", "\u2028\"\\\x00\ufffd", "</script>&"}))
	anyName = rapid.OneOf(rapid.StringMatching(`[a-z]{1,8}`), anyText)
	someID  = anyName.Filter(func(s string) bool { return s != "" })
	path    = rapid.Map(rapid.SliceOfN(anyName, 0, 3), func(p []string) []string {
		if len(p) == 0 {
			return nil
		}
		return p
	})
	// From the year 0 to the year 9999.
	instants = rapid.Custom(func(t *rapid.T) time.Time {
		seconds := rapid.Int64Range(-62167219200, 253402300799).Draw(t, "seconds")
		return time.Unix(seconds, rapid.Int64Range(0, 999_999_999).Draw(t, "nanos")).UTC()
	})
	counts = rapid.Int64Range(0, maxInteger)
	order  = rapid.Int64Range(1, maxInteger)
)

func maybe[T any](t *rapid.T, of *rapid.Generator[T], label string) (value T, there bool) {
	if there = rapid.Bool().Draw(t, "has "+label); there {
		value = of.Draw(t, label)
	}
	return value, there
}

func either[T any](t *rapid.T, of *rapid.Generator[T], label string) T {
	value, _ := maybe(t, of, label)
	return value
}

func oneOf[E ~uint8](set words[E]) *rapid.Generator[E] {
	return rapid.Map(rapid.IntRange(1, len(set)), func(i int) E { return E(i) })
}

// jsonValues spells values as a platform may: numbers beyond float64, escapes of every kind, deep nests.
func jsonValues(depth int) *rapid.Generator[JSON] {
	scalars := rapid.OneOf(
		rapid.SampledFrom([]string{"null", "true", "false", "-0", "1.0", "1e400", "0.1000", "123456789012345678901234567890",
			`"\u0041\/\ud83e\udd89"`, `"\ufffd"`, `"\\ud83e"`, `""`}),
		rapid.Map(rapid.Int64(), func(n int64) string { return strconv.FormatInt(n, 10) }),
		rapid.Map(anyText, func(s string) string { return string(appendString(nil, s)) }),
	)
	return rapid.Custom(func(t *rapid.T) JSON {
		shape := 0
		if depth > 0 {
			shape = rapid.IntRange(0, 2).Draw(t, "shape")
		}
		switch shape {
		case 1:
			items := rapid.SliceOfN(jsonValues(depth-1), 0, 3).Draw(t, "items")
			return "[" + joined(items) + "]"
		case 2:
			members := rapid.SliceOfN(jsonValues(depth-1), 0, 3).Draw(t, "members")
			for i, value := range members {
				members[i] = JSON(appendString(nil, anyName.Draw(t, "name"))) + ":" + value
			}
			return "{" + joined(members) + "}"
		}
		return JSON(scalars.Draw(t, "scalar"))
	})
}

func joined(list []JSON) JSON {
	texts := make([]string, len(list))
	for i, text := range list {
		texts[i] = string(text)
	}
	return JSON(strings.Join(texts, ","))
}

var notNull = jsonValues(2).Filter(func(v JSON) bool { return v != "null" })

func publicErrors() *rapid.Generator[*PublicError] {
	return rapid.Custom(func(t *rapid.T) *PublicError {
		return &PublicError{Kind: oneOf(errorKindWords).Draw(t, "kind"), Message: anyText.Draw(t, "message")}
	})
}

// drawBody fills the members that the shape has.
func drawBody(t *rapid.T, b *Body, sh *shape, isEdge bool) {
	for m := member(0); m < memberCount; m++ {
		if sh.required.has(m) || sh.optional.has(m) && rapid.Bool().Draw(t, memberNames[m]) {
			drawMember(t, b, sh, m)
		}
	}
	if b.NodeID == "" && !isEdge {
		b.SubgraphPath = nil
	}
}

func drawMember(t *rapid.T, b *Body, sh *shape, m member) {
	name := memberNames[m]
	switch m {
	case memberID:
		b.ID = someID.Draw(t, name)
	case memberSeq:
		b.Seq = order.Draw(t, name)
	case memberNodeID:
		b.NodeID = someID.Draw(t, name)
	case memberSubgraphPath:
		b.SubgraphPath = path.Draw(t, name)
	case memberActivation:
		b.Activation = someID.Draw(t, name)
	case memberIteration:
		b.Iteration = rapid.IntRange(1, math.MaxInt32).Draw(t, name)
	case memberAt:
		b.At = instants.Draw(t, name)
	case memberRunID:
		b.RunID = anyName.Draw(t, name)
	case memberConversationID:
		b.ConversationID = anyName.Draw(t, name)
	case memberAgentID:
		b.AgentID = anyName.Draw(t, name)
	case memberAgentVersion:
		b.AgentVersion = rapid.IntRange(0, math.MaxInt32).Draw(t, name)
	case memberKind:
		b.Kind = anyName.Draw(t, name)
	case memberMessageID:
		b.MessageID = someID.Draw(t, name)
	case memberContent:
		b.Content, b.HasContent = anyText.Draw(t, name), true
	case memberReasoning:
		b.Reasoning, b.HasReasoning = anyText.Draw(t, name), true
	case memberName:
		b.Name = anyName.Draw(t, name)
	case memberDelta:
		b.Delta = anyText.Draw(t, name)
	case memberValue:
		b.Value = jsonValues(3).Draw(t, name)
	case memberFormat:
		b.Format = oneOf(formatWords).Draw(t, name)
	case memberStatus:
		if sh.statuses == 0 {
			b.ValueStatus = oneOf(bindingStatusWords).Draw(t, name)
			return
		}
		b.Status = oneOf(statusWords).Filter(func(s Status) bool { return sh.statuses.has(s) }).Draw(t, name)
	case memberComplete:
		b.Complete = rapid.Bool().Draw(t, name)
	case memberPromoted:
		b.Promoted, b.HasPromoted = rapid.Bool().Draw(t, name), true
	case memberToolCallID:
		b.ToolCallID = anyName.Draw(t, name)
	case memberToolName:
		b.ToolName = anyName.Draw(t, name)
	case memberInput:
		b.Input = anyText.Draw(t, name)
	case memberOutput:
		b.Output = anyText.Draw(t, name)
	case memberRequiresClientResponse:
		b.RequiresClientResponse = rapid.Bool().Draw(t, name)
	case memberTable:
		b.Table = anyName.Draw(t, name)
	case memberRowID:
		b.RowID = anyName.Draw(t, name)
	case memberKey:
		b.Key, b.HasKey = anyText.Draw(t, name), true
	case memberLinks:
		b.Links = notNull.Draw(t, name)
	case memberFrom:
		b.From = anyName.Draw(t, name)
	case memberFromPort:
		b.FromPort, b.HasFromPort = anyName.Draw(t, name), true
	case memberTo:
		b.To = anyName.Draw(t, name)
	case memberError:
		b.Error = publicErrors().Draw(t, name)
	case memberUsage:
		b.Usage = &Usage{counts.Draw(t, "prompt"), counts.Draw(t, "completion"), counts.Draw(t, "reasoning")}
	case memberRetryable:
		b.Retryable = rapid.Bool().Draw(t, name)
	default:
		t.Fatalf("no generator of %s: add one", name)
	}
}

func frames() *rapid.Generator[*Frame] {
	return rapid.Custom(func(t *rapid.T) *Frame {
		f := &Frame{Type: oneOf(frameTypeWords).Draw(t, "type"), Offset: either(t, order, "offset")}
		drawBody(t, &f.Body, &frameShapes[f.Type], f.Type == EdgeFired)
		return f
	})
}

func rows() *rapid.Generator[*Row] {
	return rapid.Custom(func(t *rapid.T) *Row {
		r := &Row{Type: oneOf(rowTypeWords).Draw(t, "type")}
		drawBody(t, &r.Body, &rowShapes[r.Type], r.Type == RowEdge)
		return r
	})
}

func heads() *rapid.Generator[*Head] {
	return rapid.Custom(func(t *rapid.T) *Head {
		h := &Head{
			ConversationID: anyName.Draw(t, "conversation_id"), AgentID: anyName.Draw(t, "agent_id"),
			AgentVersion: rapid.IntRange(0, math.MaxInt32).Draw(t, "agent_version"),
			Status:       oneOf(statusWords).Draw(t, "status"),
			Error:        either(t, publicErrors(), "error"), Title: anyText.Draw(t, "title"),
			CreatedAt: either(t, instants, "created_at"), UpdatedAt: either(t, instants, "updated_at"),
		}
		h.Retryable, h.HasRetryable = maybe(t, rapid.Bool(), "retryable")
		h.HasEarlier, h.SaysEarlier = maybe(t, rapid.Bool(), "has_earlier")
		h.LastOffset, h.HasLastOffset = maybe(t, counts, "last_offset")
		if rapid.Bool().Draw(t, "has working_set") {
			h.WorkingSet = drawWorkingSet(t)
		}
		return h
	})
}

func drawWorkingSet(t *rapid.T) *WorkingSet {
	set := new(WorkingSet)
	binding := func(name string) WorkingBinding {
		return WorkingBinding{Name: name, Value: jsonValues(2).Draw(t, "value"),
			Status: oneOf(bindingStatusWords).Draw(t, "status"), Format: either(t, oneOf(formatWords), "format")}
	}
	for _, name := range drawNames(t) {
		set.Bindings = append(set.Bindings, binding(name))
	}
	for range rapid.IntRange(0, 2).Draw(t, "subagents") {
		b := binding(anyName.Draw(t, "name"))
		b.Path = path.Draw(t, "path")
		set.SubagentBindings = append(set.SubagentBindings, b)
	}
	for _, name := range drawNames(t) {
		table := WorkingTable{Name: name}
		for range rapid.IntRange(0, 2).Draw(t, "rows") {
			row := WorkingRow{RowID: anyName.Draw(t, "row_id"), Value: jsonValues(2).Draw(t, "value"),
				Status: oneOf(bindingStatusWords).Draw(t, "status"), Links: either(t, notNull, "links")}
			row.Key, row.HasKey = maybe(t, anyText, "key")
			table.Rows = append(table.Rows, row)
		}
		set.Tables = append(set.Tables, table)
	}
	return set
}

func drawNames(t *rapid.T) []string {
	names := rapid.SliceOfNDistinct(anyName, 0, 3, rapid.ID[string]).Draw(t, "names")
	slices.Sort(names)
	return names
}

// jsonAppender is every record and the page.
type jsonAppender interface{ AppendJSON(dst []byte) []byte }

// Promise 10, over every type; with it promise 3's other half: nothing that the page allows is refused.
func TestRoundTrip(t *testing.T) {
	check := func(t *rapid.T, record Record) {
		text := record.(jsonAppender).AppendJSON([]byte("kept"))
		require.True(t, bytes.HasPrefix(text, []byte("kept")))
		text = text[len("kept"):]
		require.NotContains(t, string(text), "\n")
		got, err := Decode(text)
		require.NoError(t, err, "%s", text)
		require.Equal(t, record, got, "%s", text)
	}
	t.Run("frames", rapid.MakeCheck(func(t *rapid.T) { check(t, frames().Draw(t, "frame")) }))
	t.Run("rows", rapid.MakeCheck(func(t *rapid.T) { check(t, rows().Draw(t, "row")) }))
	t.Run("heads", rapid.MakeCheck(func(t *rapid.T) { check(t, heads().Draw(t, "head")) }))
	t.Run("pages", rapid.MakeCheck(func(t *rapid.T) {
		page := &Page{Rows: rapid.SliceOfN(rows(), 0, 3).Draw(t, "rows"), HasEarlier: rapid.Bool().Draw(t, "has_earlier")}
		if len(page.Rows) == 0 {
			page.Rows = nil
		}
		text := page.AppendJSON(nil)
		got, refused, err := DecodePage(text)
		require.NoError(t, err, "%s", text)
		require.Empty(t, refused, "%s", text)
		require.Equal(t, page, got, "%s", text)
	}))
	t.Run("recordings", rapid.MakeCheck(func(t *rapid.T) {
		records := rapid.SliceOfN(rapid.OneOf(
			rapid.Map(frames(), func(f *Frame) Record { return f }),
			rapid.Map(rows(), func(r *Row) Record { return r }),
			rapid.Map(heads(), func(h *Head) Record { return h }),
		), 0, 5).Draw(t, "records")
		var buffer bytes.Buffer
		writer := NewWriter(&buffer)
		for _, record := range records {
			require.NoError(t, writer.Write(record))
		}
		reader := NewReader(&buffer, 0)
		for i, want := range records {
			line, err := reader.Next()
			require.NoError(t, err)
			require.Equal(t, Line{Number: i + 1, Record: want}, line)
		}
		_, err := reader.Next()
		require.Equal(t, io.EOF, err)
	}))
}
