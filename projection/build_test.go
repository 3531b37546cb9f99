package projection_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlaygraph/projection"
	"inlaygraph/wire"
)

// Inputs in short, one line each:
//
//	message.delta id=m1 node_id=n content=Hi      a frame, persisted row or head: expand tells how
//	page has_earlier=true                         a page of the log; its rows are the lines after it that
//	+ user seq=1 content=Hi                       begin with a plus
//	skip 7                                        a frame that could not be read
//	delivery t1 FAILED reason                     how a delivery is going
//	latch send on
//	trim 3                                        the window's oldest rows go until three are left
func inputs(t testing.TB, lines string) (ins []projection.Input) {
	t.Helper()
	for line := range strings.Lines(lines) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		switch words[0] {
		case "+":
			page := ins[len(ins)-1].(*wire.Page)
			page.Rows = append(page.Rows, decoded(t, words[1:]).(*wire.Row))
		case "page":
			ins = append(ins, &wire.Page{HasEarlier: words[1] == "has_earlier=true"})
		case "skip":
			n, err := strconv.ParseInt(words[1], 10, 64)
			require.NoError(t, err)
			ins = append(ins, projection.Skipped{Offset: n})
		case "delivery":
			d := projection.ToolDelivery{ToolCallID: words[1], Status: deliveryWords[words[2]]}
			if len(words) > 3 {
				d.Error = &words[3]
			}
			ins = append(ins, projection.Delivery{ToolDelivery: d})
		case "trim":
			n, err := strconv.Atoi(words[1])
			require.NoError(t, err)
			ins = append(ins, projection.Trim{Keep: n})
		case "latch":
			kinds := map[string]projection.LatchKind{"send": projection.LatchSend, "retry": projection.LatchRetry, "cancel": projection.LatchCancel}
			ins = append(ins, projection.Latch{Kind: kinds[words[1]], On: words[2] == "on"})
		default:
			ins = append(ins, decoded(t, words))
		}
	}
	return ins
}

var deliveryWords = map[string]projection.ToolCallStatus{
	"PENDING": projection.ToolPending, "SUBMITTING": projection.ToolSubmitting, "SUBMITTED": projection.ToolSubmitted,
	"FAILED": projection.ToolFailed, "CANCELLED": projection.ToolCancelled,
}

func decoded(t testing.TB, words []string) wire.Record {
	t.Helper()
	rec, err := wire.Decode([]byte(expand(words)))
	require.NoError(t, err, "%s", expand(words))
	return rec
}

// expand makes `message.delta id=m1 node_id=n content=Hi` a JSON object. A word that is no JSON is a string.
func expand(words []string) string {
	members := []string{fmt.Sprintf(`"type":%q`, words[0])}
	for _, w := range words[1:] {
		name, value, _ := strings.Cut(w, "=")
		if !json.Valid([]byte(value)) {
			value = fmt.Sprintf("%q", value)
		}
		members = append(members, fmt.Sprintf(`%q:%s`, name, value))
	}
	return "{" + strings.Join(members, ",") + "}"
}

// fold applies the inputs and answers with the last change.
func fold(t testing.TB, lines string) (*projection.State, projection.Change) {
	t.Helper()
	s := projection.New("")
	var last projection.Change
	for _, in := range inputs(t, lines) {
		last = s.Apply(in)
	}
	return s, last
}

// read is the snapshot after the inputs.
func read(t testing.TB, lines string) *projection.Snapshot {
	t.Helper()
	s, _ := fold(t, lines)
	return s.Snapshot()
}

// told is a list of rows, one short line each: kind, id, what it says, and whether more is expected.
func told(rows []projection.Row) []string {
	out := []string{}
	for _, row := range rows {
		m := rowOf(row)
		words := []string{m.Type, "-"}
		if m.ID != nil {
			words[1] = *m.ID
		}
		done := map[bool]string{true: "done", false: "open"}[m.Complete]
		switch m.Type {
		case "user":
			words = append(words, *m.Content)
		case "assistant":
			text := *m.Content
			if m.Reasoning != nil {
				text += "~" + *m.Reasoning
			}
			words = append(words, text, done)
		case "output":
			words = append(words, m.Name, string(m.Value), strings.ToLower(m.Status), done)
		default:
			words = append(words, m.ToolCallID)
		}
		out = append(out, strings.Join(words, " "))
	}
	return out
}

// short spells a change's outcome and reason.
func short(c projection.Change) string {
	is := map[projection.Outcome]string{projection.Applied: "applied", projection.Duplicate: "duplicate", projection.Rejected: "rejected"}
	return strings.TrimSpace(is[c.Outcome] + " " + c.Reason)
}
