package tests

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the expected outputs of testdata/query anew")

// Each operation of testdata/query on the recording that its first line names prints exactly the .out beside it.
func TestQueryPrints(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("testdata/query/*.graphql")
	require.NoError(t, err)
	require.NotEmpty(t, names)
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			operation, err := os.ReadFile(name)
			require.NoError(t, err)
			first, _, _ := strings.Cut(string(operation), "\n")
			recording, named := strings.CutPrefix(first, "# ")
			require.True(t, named, "the first line names the recording")

			r := run(t, nil, "query", "--recording", filepath.Join("testdata", recording), "@"+name)
			assert.Equal(t, 0, r.code, r.stderr)
			golden := strings.TrimSuffix(name, ".graphql") + ".out"
			if *update {
				require.NoError(t, os.WriteFile(golden, []byte(r.stdout), 0o644))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			assert.Equal(t, string(want), r.stdout)
		})
	}
}

// A subscription prints the slice of the empty conversation, then a line for every input that changed it: no two in a
// row are equal, and the last is what a query reads.
func TestQueryPrintsEveryChange(t *testing.T) {
	t.Parallel()
	empty := filepath.Join(t.TempDir(), "empty.ndjson")
	require.NoError(t, os.WriteFile(empty, nil, 0o600))
	const recording = "testdata/desk.ndjson"
	for _, f := range deskSubscriptions {
		t.Run(f.name(), func(t *testing.T) {
			t.Parallel()
			printed := run(t, nil, "query", "--recording", recording, f.operation("desk"))
			require.Equal(t, 0, printed.code, printed.stderr)
			first, _, _ := strings.Cut(printed.stdout, "\n")
			if f.field != "rowChanges" { // whose messages say a cursor of their own
				assert.Equal(t, strings.TrimSuffix(run(t, nil, "query", "--recording", empty, f.operation("desk")).stdout, "\n"), first)
			}
			s := newStream()
			for line := range strings.Lines(printed.stdout) {
				s.add([]byte(line))
			}
			o := f.observe(t, s)
			query := run(t, nil, "query", "--recording", recording, f.query("desk"))
			o.Final = f.pick(t, parse(t, query.stdout).Data)
			assert.NoError(t, Validate(o))
		})
	}
}

// Variables reach the operation.
func TestQueryVariables(t *testing.T) {
	t.Parallel()
	r := run(t, nil, "query", "--recording", "testdata/desk.ndjson", "--variables", `{"id": "desk", "call": "call1"}`,
		`query Call($id: ID!, $call: ID!) { conversation(id: $id) { toolCall(toolCallId: $call) { result { output } } } }`)
	assert.Equal(t, result{0, `{"data":{"conversation":{"toolCall":{"result":{"output":"3 found"}}}}}` + "\n", ""}, r)
}
