package resolvers

import (
	"context"

	"github.com/99designs/gqlgen/graphql"

	"inlaygraph/projection"
)

// chatParts is the slice that each field of ChatSnapshot reads. A field that is not in it fails a test.
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

// chatSlices are the slices that the document's selection on chat reads, each once; fragments, @skip and @include are
// taken into account. A selection of nothing but __typename follows the status.
func chatSlices(ctx context.Context) []projection.Slice {
	var slices []projection.Slice
	seen := map[projection.SliceKind]bool{}
	for _, field := range graphql.CollectFieldsCtx(ctx, []string{"ChatSnapshot"}) {
		if kind := chatParts[field.Name]; kind != 0 && !seen[kind] {
			seen[kind] = true
			slices = append(slices, projection.Slice{Kind: kind})
		}
	}
	if slices == nil {
		return slice(projection.SliceStatus)
	}
	return slices
}
