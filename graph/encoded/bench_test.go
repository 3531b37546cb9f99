package encoded_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlaygraph/graph/encoded"
	"inlaygraph/projection"
	"inlaygraph/wire"
)

// streaming are the timelines of so many rows, 400 bytes each, while the last one is being written.
func streaming(b *testing.B, rows int) (timelines [][]projection.Row) {
	state := projection.New("c1")
	for i := range rows - 1 {
		sp := wire.Spine{NodeID: fmt.Sprint("n", i%10), SubgraphPath: []string{"research"}, Activation: fmt.Sprint("a", i)}
		state.Apply(&wire.Frame{Type: wire.MessageEnd, Body: wire.Body{
			Spine: sp, ID: fmt.Sprint("m", i), HasContent: true, Content: strings.Repeat("the otters are fine. ", 10),
		}})
	}
	sp := wire.Spine{NodeID: "n", Activation: "a"}
	for range 64 {
		c := state.Apply(&wire.Frame{Type: wire.MessageDelta, Body: wire.Body{Spine: sp, ID: "last", HasContent: true, Content: "word "}})
		require.Equal(b, projection.Applied, c.Outcome, c.Reason)
		timelines = append(timelines, state.Snapshot().Timeline())
	}
	require.Len(b, timelines[0], rows)
	return timelines
}

const timeline = `subscription { timeline(conversationId: "c1") {
	__typename id seq path at ... on UserRow { content } ... on AssistantRow { content reasoning complete }
} }`

// BenchmarkRows is one message of a subscription to a list of which one row changed: as the executor makes it, as it is
// made anew without a cache, and with one.
func BenchmarkRows(b *testing.B) {
	for _, rows := range []int{50, 500} {
		timelines := streaming(b, rows)
		for _, arm := range []struct {
			name  string
			cache *encoded.Cache
		}{{"plain", nil}, {"anew", encoded.NewCache(0)}, {"kept", encoded.NewCache(encoded.DefaultBytes)}} {
			b.Run(fmt.Sprintf("rows=%d/%s", rows, arm.name), func(b *testing.B) {
				s := serve(arm.cache)
				next, err := s.start(b.Context(), timeline, nil)
				require.NoError(b, err)
				i, size := 0, 0
				b.ReportAllocs()
				for b.Loop() {
					s.timelines <- timelines[i%len(timelines)]
					size = len(next().Data)
					i++
				}
				b.ReportMetric(float64(size), "bytes/msg")
			})
		}
	}
}
