package billing

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the goldens anew")

// Whole answers, and what they read as: testdata/NAME.json and NAME.golden; _least are those that say as little as they may.
func TestGoldens(t *testing.T) {
	for _, a := range answers {
		names, err := filepath.Glob("testdata/" + a.name + "*.json")
		require.NoError(t, err)
		for _, name := range names {
			t.Run(filepath.Base(name), func(t *testing.T) {
				text, err := os.ReadFile(name)
				require.NoError(t, err)
				value, err := a.read(t, text)
				require.NoError(t, err)
				var got bytes.Buffer
				enc := json.NewEncoder(&got)
				enc.SetEscapeHTML(false)
				enc.SetIndent("", "  ")
				require.NoError(t, enc.Encode(value))
				golden := strings.TrimSuffix(name, ".json") + ".golden"
				if *update {
					require.NoError(t, os.WriteFile(golden, got.Bytes(), 0o644))
				}
				want, err := os.ReadFile(golden)
				require.NoError(t, err)
				assert.Equal(t, string(want), got.String())
			})
		}
	}
}

// The samples say everything, so that what is tried on each member is tried on all of them.
func TestTheSamplesSayEverything(t *testing.T) {
	var visit func(typ string, v reflect.Value)
	seen := map[string]bool{}
	all := tables(t)
	visit = func(typ string, v reflect.Value) {
		seen[typ] = true
		for _, r := range all[typ] {
			field := fieldOf(t, v, r.field)
			switch {
			case r.list:
				if assert.NotZero(t, field.Len(), "%s.%s", typ, r.field); all[r.kind] != nil {
					visit(r.kind, field.Index(0))
				}
			case !r.required:
				assert.False(t, field.IsNil(), "%s.%s", typ, r.field)
			}
		}
	}
	for _, a := range answers {
		value, err := a.read(t, a.sample(t))
		require.NoError(t, err)
		v := reflect.ValueOf(value).Elem()
		if a.list != "" {
			v = v.Index(0)
		}
		visit(a.typ, v)
	}
	assert.Len(t, seen, len(all))
}

// The current plan is that of the catalogue.
func TestCurrent(t *testing.T) {
	pro, other := "pro", "other"
	plans := []Plan{{ID: "free"}, {ID: "pro", Name: "first"}, {ID: "pro", Name: "second"}}
	assert.Same(t, &plans[1], (&Plans{CurrentPlanID: &pro, Plans: plans}).Current())
	assert.Nil(t, (&Plans{CurrentPlanID: &other, Plans: plans}).Current(), "no longer on offer")
	assert.Nil(t, (&Plans{Plans: plans}).Current(), "no subscription")
	assert.Nil(t, (&Plans{CurrentPlanID: &pro}).Current())
}
