package resolvers

import (
	"context"
	"reflect"
	"slices"

	"github.com/99designs/gqlgen/graphql"

	"inlaygraph/feed"
	"inlaygraph/projection"
)

// chatParts is the slice that each field of ChatSnapshot reads, but for chatFeed. A field that is in neither fails a test.
var chatParts = map[string]projection.SliceKind{
	"status":           projection.SliceStatus,
	"conversation":     projection.SliceConversation,
	"transcript":       projection.SliceTranscript,
	"pendingTools":     projection.SlicePendingTools,
	"toolStates":       projection.SliceToolStates,
	"bindings":         projection.SliceBindings,
	"subagentBindings": projection.SliceSubagentBindings,
	"tables":           projection.SliceTables,
	"error":            projection.SliceError,
	"retryable":        projection.SliceRetryable,
	"hasEarlier":       projection.SliceHasEarlier,
	"capabilities":     projection.SliceCapabilities,
	"canRetry":         projection.SliceCanRetry,
}

// chatFeed is the field of ChatSnapshot that reads no slice, but the feed of its argument pin.
const chatFeed = "feed"

// chatReads answers what the document's selection on chat reads: slices, and pins of feeds, each once. Fragments, @skip and
// @include are taken into account. A selection of nothing but __typename follows the status.
func chatReads(ctx context.Context) (parts []projection.Slice, pins []*feed.Pin, err error) {
	for _, field := range graphql.CollectFieldsCtx(ctx, []string{"ChatSnapshot"}) {
		if field.Name == chatFeed {
			pin, err := pinOf(ctx, field.Field)
			if err != nil {
				return nil, nil, err
			}
			if !slices.ContainsFunc(pins, func(p *feed.Pin) bool { return reflect.DeepEqual(p, pin) }) {
				pins = append(pins, pin)
			}
			continue
		}
		part := projection.Slice{Kind: chatParts[field.Name]}
		if part.Kind != 0 && !slices.Contains(parts, part) {
			parts = append(parts, part)
		}
	}
	if parts == nil && pins == nil {
		parts = slice(projection.SliceStatus)
	}
	return parts, pins, nil
}
