package gen_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"inlaygraph/tests/gen"
	"inlaygraph/tests/model"
	"inlaygraph/wire"
)

// Promise 4: the weird orders do happen, and the model folds them without panicking.
func TestChaosReachesEveryOutcome(t *testing.T) {
	seen := map[string]int{}
	for range 4 {
		rapid.Check(t, func(t *rapid.T) {
			m := model.New()
			for _, rec := range gen.Chaos(t) {
				out := m.Apply(rec)
				seen[out.Result.String()+" "+out.Reason]++
				if out.Gap {
					seen["gap"]++
				}
				if out.OtherAgent {
					seen["other agent"]++
				}
				if _, ok := rec.(*wire.Page); ok {
					seen["page"]++
				}
			}
			m.View()
		})
	}
	for _, outcome := range []string{
		"applied ", "duplicate offset", "duplicate tool", "duplicate user", "duplicate edge", "rejected other_kind", "rejected other_name",
		"rejected other_call", "rejected complete_row", "rejected second_end", "rejected not_text", "rejected other_conversation",
		"gap", "other agent", "page",
	} {
		require.Positive(t, seen[outcome], "%s never happened: %v", outcome, seen)
	}
	t.Log(seen)
}
