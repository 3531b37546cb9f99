package graph_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/graph"
)

var update = flag.Bool("update", false, "write the expected results of testdata/operations anew")

// Each operation of testdata/operations on the recorded agent gives exactly the text beside it: a query one response
// after the last input (.json), a subscription one message a line (.ndjson).
func TestOperations(t *testing.T) {
	names, err := filepath.Glob("testdata/operations/*.graphql")
	require.NoError(t, err)
	require.NotEmpty(t, names)
	for _, name := range names {
		operation, err := os.ReadFile(name)
		require.NoError(t, err)
		base := strings.TrimSuffix(name, ".graphql")
		t.Run(filepath.Base(base), func(t *testing.T) {
			if strings.HasPrefix(string(operation), "subscription") {
				golden(t, base+".ndjson", messages(t, string(operation)))
				return
			}
			s, live := serveLive(t)
			for _, in := range inputs(t) {
				apply(t, live, in)
			}
			golden(t, base+".json", s.query(string(operation), nil))
		})
	}
}

// messages follows a subscription in step with the inputs: whatever wakes it makes one message, and nothing else does.
func messages(t *testing.T, operation string) string {
	s, live := serveLive(t)
	next := s.subscribe(operation, nil)
	lines := []string{next()}
	for _, in := range inputs(t) {
		if apply(t, live, in) {
			lines = append(lines, next())
		}
	}
	return strings.Join(lines, "\n") + "\n"
}

// golden compares got with what a file holds. A .json file is indented for its reader; its tokens count.
func golden(t *testing.T, name, got string) {
	t.Helper()
	single := filepath.Ext(name) == ".json"
	if *update {
		text := []byte(got)
		if single {
			var indented bytes.Buffer
			require.NoError(t, json.Indent(&indented, text, "", "  "))
			text = append(indented.Bytes(), '\n')
		}
		require.NoError(t, os.WriteFile(name, text, 0o644))
	}
	want, err := os.ReadFile(name)
	require.NoError(t, err)
	if single {
		var compact bytes.Buffer
		require.NoError(t, json.Compact(&compact, want))
		want = compact.Bytes()
	}
	assert.Equal(t, string(want), got)
}

// Every field of the roots and of Conversation has an operation; rowPage, which needs an upstream, has tests of its own.
func TestEveryFieldHasAnOperation(t *testing.T) {
	names, err := filepath.Glob("testdata/operations/*.graphql")
	require.NoError(t, err)
	var all strings.Builder
	for _, name := range names {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		all.Write(text)
	}
	schema := load(t, "schema", graph.SDL)
	for _, typ := range []string{"Query", "Subscription", "Conversation", "ChatSnapshot", "RunSnapshot"} {
		for _, field := range fieldsOf(schema.Types[typ]) {
			if field.Name != "rowPage" {
				assert.Regexp(t, `\b`+field.Name+`\b`, all.String())
			}
		}
	}
}
