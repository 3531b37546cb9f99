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
	"github.com/vektah/gqlparser/v2/ast"

	"inlaygraph/graph"
)

var update = flag.Bool("update", false, "write the expected results of testdata/operations anew")

// Each operation of a story gives exactly the text beside it: a query one response after the last input (.json), a
// subscription (follow_*) one message a line (.ndjson).
func TestOperations(t *testing.T) {
	for _, story := range stories {
		for _, base := range story.operations(t, "*") {
			operation, err := os.ReadFile(base + ".graphql")
			require.NoError(t, err)
			t.Run(base, func(t *testing.T) {
				if strings.HasPrefix(filepath.Base(base), "follow_") {
					golden(t, base+".ndjson", messages(t, story, string(operation)))
					return
				}
				s, live := story.serve(t)
				for _, in := range story.inputs(t) {
					apply(t, live, in)
				}
				golden(t, base+".json", s.query(string(operation), nil))
			})
		}
	}
}

// Each operation on the platform gives exactly the text beside it, and asks of upstream what stands in the .asked file
// beside it, a line each: once, and with the caller's own token.
func TestPlatformOperations(t *testing.T) {
	for _, base := range onPlatform.operations(t, "*") {
		operation, err := os.ReadFile(base + ".graphql")
		require.NoError(t, err)
		t.Run(base, func(t *testing.T) {
			stands, ok := map[string]standing{"cancel": running, "retry": failed, "submit_tool_result": awaiting, "send_fresh": completed}[filepath.Base(base)]
			if !ok {
				stands = paused
			}
			p := newPlatform(stands)
			s := servePlatform(t, p)
			golden(t, base+".json", s.query(string(operation), nil))
			golden(t, base+".asked", p.wasAsked())
		})
	}
}

// messages follows a subscription in step with the inputs: whatever wakes it makes one message, and nothing else does.
func messages(t *testing.T, story story, operation string) string {
	s, live := story.serve(t)
	next := s.subscribe(operation, nil)
	lines := []string{next()}
	for _, in := range story.inputs(t) {
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

// Every field has an operation, by its name; rowPage, which needs an upstream, and the cursor have tests of their own.
func TestEveryFieldHasAnOperation(t *testing.T) {
	var all strings.Builder
	for _, story := range append([]story{onPlatform}, stories...) {
		for _, base := range story.operations(t, "*") {
			text, err := os.ReadFile(base + ".graphql")
			require.NoError(t, err)
			all.Write(text)
		}
	}
	ours(load(t, "schema", graph.SDL), func(def *ast.Definition) {
		if def.Kind != ast.Object {
			return
		}
		for _, field := range fieldsOf(def) {
			if field.Name != "rowPage" && field.Name != "cursor" {
				assert.Regexp(t, `\b`+field.Name+`\b`, all.String())
			}
		}
	})
}
