package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"inlaygraph/graph"
)

// FuzzConfig: whatever a configuration file holds, it is taken, or refused with a message and the code of bad usage; nothing
// panics, and no file makes a command do anything else.
func FuzzConfig(f *testing.F) {
	for _, text := range []string{
		`{}`, `{"listen":"127.0.0.1:0","max-depth":7,"allow-origin":["https://a.example"],"introspection":true}`, `{"upstream-header":{"a":"b"}}`,
		`{"max-depth":-1}`, `{"max-depth":1e400}`, `{"demo-speed":"x"}`, `{"jwt-secret":"s"}`, `{"nothing":1}`, `{"log-level":"loud"}`, `{"plan":[1,{}]}`,
		`[]`, `null`, `{} {}`, `{"config":"x"}`, "\ufeff{}", `{"listen":null}`, `{"listen":"` + strings.Repeat("x", 5000) + `"}`, "{\"listen\":\"\xff\"}",
	} {
		f.Add([]byte(text))
	}
	name := filepath.Join(f.TempDir(), "config.json")
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
		var out, errs bytes.Buffer
		switch code := run(t.Context(), []string{"schema", "--config", name}, streams{&out, &errs}); code {
		case exitOK:
			if out.String() != graph.SDL {
				t.Fatalf("printed %q", out.String())
			}
		case exitUsage:
			if out.Len() > 0 || !strings.HasPrefix(errs.String(), "inlaygraph: ") {
				t.Fatalf("refused with %q and %q", out.String(), errs.String())
			}
		default:
			t.Fatalf("code %d", code)
		}
	})
}
