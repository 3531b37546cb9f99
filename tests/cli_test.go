package tests

import (
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// lines are the lines of a recording of testdata, from 1.
func lines(t *testing.T, name string) []string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	require.NoError(t, err)
	return append([]string{""}, strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")...)
}

func text(lines ...string) string { return strings.Join(lines, "\n") + "\n" }

func noise(bytes int) string {
	source := rand.NewChaCha8([32]byte{1})
	out := make([]byte, bytes)
	for i := range out {
		out[i] = byte(source.Uint64())
	}
	return string(out)
}

const (
	timelineOf = `{ conversation(id: "desk") { timeline { type } } }`
	userAlone  = `{"data":{"conversation":{"timeline":[{"type":"user"}]}}}` + "\n"
	nothing    = `{"data":{"conversation":{"timeline":[]}}}` + "\n"
)

// What check and query make of files, good and bad, and how they leave (docs/cli.md).
func TestFiles(t *testing.T) {
	t.Parallel()
	desk := lines(t, "desk.ndjson")
	two := text(desk[1], desk[2])
	const counts = "2 lines: 2 folded, 0 skipped or rejected, 0 duplicates, 0 lost in gaps\n"
	for name, tc := range map[string]struct {
		file      string
		checkCode int
		checkSays []string
		queryCode int
		querySays string // exactly, on standard output
	}{
		"good":            {two, 0, []string{counts}, 0, userAlone},
		"no line's end":   {strings.TrimSuffix(two, "\n"), 0, []string{counts}, 0, userAlone},
		"BOM and CRLF":    {"\ufeff" + strings.ReplaceAll(two, "\n", "\r\n"), 0, []string{counts}, 0, userAlone},
		"blank lines":     {"\n" + desk[1] + "\n\n\n" + desk[2] + "\n\n", 0, []string{counts}, 0, userAlone},
		"empty":           {"", 0, []string{"0 lines: 0 folded"}, 0, nothing},
		"truncated":       {two + desk[3][:40], 1, []string{"line 3: rejected: malformed_json", "3 lines: 2 folded, 1 skipped or rejected"}, 0, userAlone},
		"unknown type":    {two + `{"type":"node.dream","offset":3}` + "\n", 1, []string{"line 3: skipped: unknown_type"}, 0, userAlone},
		"wrong type":      {two + `{"type":"message.delta","offset":3,"content":7}` + "\n", 1, []string{"line 3: rejected: wrong_type", "content"}, 0, userAlone},
		"member missing":  {two + `{"type":"tool.call","offset":3}` + "\n", 1, []string{"line 3: rejected: missing_member"}, 0, userAlone},
		"twice":           {two + desk[2] + "\n", 0, []string{"line 3: dropped", "1 duplicates"}, 0, userAlone},
		"a gap":           {two + strings.Replace(desk[3], `"offset":3`, `"offset":7`, 1) + "\n", 0, []string{"line 3: gap: 4 frames", "4 lost in gaps"}, 0, userAlone},
		"another's run":   {two + strings.ReplaceAll(strings.Replace(desk[1], `"offset":1`, `"offset":3`, 1), "desk", "other") + "\n", 1, []string{"line 3: rejected"}, 0, userAlone},
		"a huge line":     {two + `{"type":"message.delta","offset":3,"content":"` + strings.Repeat("x", 3<<20) + `"}` + "\n" + desk[4] + "\n", 1, []string{"line 3: rejected: too_large", "4 lines: 3 folded"}, 0, userAlone},
		"binary":          {noise(4000), 1, []string{"line 1: rejected", " 0 folded"}, 2, ""},
		"zeros":           {strings.Repeat("\x00", 4000), 1, []string{"line 1: rejected"}, 2, ""},
		"a web page":      {"<!doctype html>\n<html>\n</html>\n", 1, []string{"3 lines: 0 folded, 3 skipped or rejected"}, 2, ""},
		"one JSON array":  {"[" + desk[1] + "," + desk[2] + "]\n", 1, []string{"line 1: rejected"}, 2, ""},
		"an indented one": {"{\n  \"type\": \"run.start\"\n}\n", 1, []string{"3 lines: 0 folded"}, 2, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "recording.ndjson")
			require.NoError(t, os.WriteFile(path, []byte(tc.file), 0o600))

			check := run(t, nil, "check", "--recording", path)
			assert.Equal(t, tc.checkCode, check.code, "%s%s", check.stdout, check.stderr)
			for _, want := range tc.checkSays {
				assert.Contains(t, check.stdout, want)
			}
			assert.Empty(t, check.stderr)

			query := run(t, nil, "query", "--recording", path, timelineOf)
			assert.Equal(t, tc.queryCode, query.code, "%s%s", query.stdout, query.stderr)
			assert.Equal(t, tc.querySays, query.stdout)
			if tc.queryCode == 2 {
				assert.Contains(t, query.stderr, "is no recording: line 1: malformed_json")
			} else {
				assert.Empty(t, query.stderr)
			}
		})
	}
}

// Ways to use the commands wrongly, each refused with 2 and what is wrong; and responses with errors, which are 1.
func TestExitCodes(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	put := func(name, text string) string {
		path := filepath.Join(folder, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	const recording = "--recording=testdata/desk.ndjson"
	for name, tc := range map[string]struct {
		env  []string
		args []string
		code int
		says string // on standard error; with 1, on standard output
	}{
		"help":                  {nil, []string{"--help"}, 0, ""},
		"version":               {nil, []string{"--version"}, 0, ""},
		"help of a command":     {nil, []string{"query", "--help"}, 0, ""},
		"an unknown command":    {nil, []string{"dance"}, 2, "dance"},
		"an unknown flag":       {nil, []string{"serve", "--dance"}, 2, "--dance"},
		"one word too many":     {nil, []string{"schema", "again"}, 2, "again"},
		"no recording":          {nil, []string{"check"}, 2, "--recording"},
		"no file":               {nil, []string{"check", "--recording", "nowhere.ndjson"}, 2, "nowhere.ndjson"},
		"a folder":              {nil, []string{"query", "--recording", "testdata", "{ __typename }"}, 2, "--recording"},
		"no operation":          {nil, []string{"query", recording}, 2, "operation"},
		"no operation file":     {nil, []string{"query", recording, "@nowhere.graphql"}, 2, "OPERATION: open nowhere.graphql"},
		"variables":             {nil, []string{"query", recording, "--variables", "[1]", "{ __typename }"}, 2, "--variables: not a JSON object"},
		"broken variables":      {nil, []string{"query", recording, "--variables", "{", "{ __typename }"}, 2, "--variables: not a JSON object"},
		"bad syntax":            {nil, []string{"query", recording, "{"}, 1, "GRAPHQL_PARSE_FAILED"},
		"an unknown field":      {nil, []string{"query", recording, "{ nothing }"}, 1, "GRAPHQL_VALIDATION_FAILED"},
		"a mutation":            {nil, []string{"query", recording, "mutation { x }"}, 2, "mutations need a server"},
		"another conversation":  {nil, []string{"query", recording, `{ conversation(id: "trip") { id } }`}, 1, "NOT_FOUND"},
		"the log":               {nil, []string{"query", recording, `{ conversation(id: "desk") { rowPage { hasEarlier } } }`}, 1, "UPSTREAM_UNAVAILABLE"},
		"a number":              {nil, []string{"serve", "--max-tokens", "many"}, 2, "--max-tokens"},
		"a negative number":     {nil, []string{"serve", "--max-tokens=-1"}, 2, "--max-tokens"},
		"nothing":               {nil, []string{"serve", "--drain-seconds=0"}, 2, "--drain-seconds"},
		"too many seconds":      {nil, []string{"serve", "--idle-poll-seconds=99999999999"}, 2, "--idle-poll-seconds"},
		"no pace":               {nil, []string{"serve", "--demo-speed=NaN"}, 2, "--demo-speed"},
		"an address":            {nil, []string{"serve", "--listen", "nowhere"}, 2, "--listen"},
		"a level":               {nil, []string{"serve", "--log-level", "loud"}, 2, "--log-level"},
		"an origin":             {nil, []string{"serve", "--allow-origin", "nowhere"}, 2, "--allow-origin"},
		"a header":              {nil, []string{"serve", "--upstream-header", "nothing"}, 2, "--upstream-header"},
		"an upstream":           {nil, []string{"serve", "--insecure", "--upstream", "ftp://127.0.0.1"}, 2, "--upstream"},
		"upstream not insecure": {nil, []string{"serve", "--upstream", "http://127.0.0.1:1"}, 2, "--insecure"},
		"no such folder":        {nil, []string{"serve", "--demo-recordings", "nowhere"}, 2, "--demo-recordings"},
		"an empty folder":       {nil, []string{"serve", "--demo-recordings", folder}, 2, "--demo-recordings"},
		"by environment":        {[]string{"INLAY_MAX_TOKENS=many"}, []string{"serve"}, 2, "INLAY_MAX_TOKENS"},
		"no config":             {nil, []string{"--config", "nowhere.json"}, 2, "nowhere.json"},
		"config that is none":   {nil, []string{"--config", put("a.json", "listen: 1")}, 2, "--config"},
		"config of two":         {nil, []string{"--config", put("b.json", "{}{}")}, 2, "--config"},
		"config with a word":    {nil, []string{"--config", put("c.json", `{"max-tokens": "many"}`)}, 2, "--max-tokens"},
		"config with a part":    {nil, []string{"--config", put("d.json", `{"max-tokens": 1.5}`)}, 2, "--max-tokens"},
		"config with a slip":    {nil, []string{"--config", put("e.json", `{"max_tokens": 10}`)}, 2, "max_tokens"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := run(t, tc.env, tc.args...)
			assert.Equal(t, tc.code, r.code, "%s%s", r.stdout, r.stderr)
			switch tc.code {
			case 1:
				assert.Contains(t, r.stdout, tc.says)
				assert.Equal(t, 1, strings.Count(r.stdout, "\n"), "one response, on one line")
			case 2:
				assert.Contains(t, r.stderr, tc.says)
				assert.Empty(t, r.stdout)
			}
			assert.NotContains(t, r.stderr, "goroutine ")
		})
	}
}

// Every flag has a line in --help that names its variable.
func TestHelp(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"serve", "--help"}, {"query", "--help"}, {"check", "--help"}, {"schema", "--help"}} {
		help := run(t, nil, args...).stdout
		flags := regexp.MustCompile(`(?m)^ {6}--([a-z-]+)`).FindAllStringSubmatch(help, -1)
		assert.NotEmpty(t, flags, args)
		for _, flag := range flags {
			if flag[1] == "version" { // asks, and sets nothing
				continue
			}
			assert.Contains(t, help, "$INLAY_"+strings.ToUpper(strings.ReplaceAll(flag[1], "-", "_"))+")")
		}
	}
}

// The schema that is printed is the one that is served, and the project's own file.
func TestSchema(t *testing.T) {
	t.Parallel()
	printed := run(t, nil, "schema")
	assert.Equal(t, 0, printed.code)
	file, err := os.ReadFile("../graph/schema.graphqls")
	require.NoError(t, err)
	assert.Equal(t, string(file), printed.stdout)

	s := serve(t, "--demo-speed", "8")
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, strings.TrimSuffix(s.url, "graphql")+"schema.graphql", http.NoBody)
	require.NoError(t, err)
	assert.Equal(t, printed.stdout, send(t, r).body)
}

// Flags come from the command line, the environment and --config, in this order.
func TestConfiguration(t *testing.T) {
	t.Parallel()
	const (
		small = `{ __typename }`                                // 3 tokens
		large = `{ a: __typename b: __typename c: __typename }` // 11
	)
	config := filepath.Join(t.TempDir(), "config.json")
	require.NoError(t, os.WriteFile(config, []byte(`{"listen": "127.0.0.1:0", "max-tokens": 5, "demo-speed": 8, "allow-origin": ["https://app.example.com", "https://b.example.com"]}`), 0o600))
	for name, tc := range map[string]struct {
		env    []string
		args   []string
		allows string
	}{
		"the file":                         {nil, []string{"--config", config}, small},
		"the file, named by the variable":  {[]string{"INLAY_CONFIG=" + config}, nil, small},
		"the environment before the file":  {[]string{"INLAY_MAX_TOKENS=50"}, []string{"--config", config}, large},
		"the command line before the file": {nil, []string{"serve", "--config", config, "--max-tokens", "50"}, large},
		"the command line before all":      {[]string{"INLAY_MAX_TOKENS=50"}, []string{"serve", "--config", config, "--max-tokens", "5"}, small},
		"the environment alone":            {[]string{"INLAY_LISTEN=127.0.0.1:0", "INLAY_MAX_TOKENS=5", "INLAY_ALLOW_ORIGIN=https://a.example.com,https://b.example.com"}, nil, small},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, tc.env, tc.args...)
			for _, document := range []string{small, large} {
				got := parse(t, s.post(t, mediaResponse, request{Query: document}).body)
				if len(document) <= len(tc.allows) {
					assert.Empty(t, got.Errors, document)
				} else {
					assert.NotEmpty(t, got.Errors, document)
				}
			}
			for origin, status := range map[string]int{"https://b.example.com": http.StatusOK, "https://c.example.com": http.StatusForbidden} {
				r := s.newPost(t, mediaJSON, request{Query: small})
				r.Header.Set("Origin", origin)
				assert.Equal(t, status, send(t, r).status, origin)
			}
			assert.Equal(t, 0, s.stop(t))
		})
	}
}

// A conversation that ended is no reason to end: the server serves until it is told to stop, and says nothing on
// standard output.
func TestServeIsQuiet(t *testing.T) {
	t.Parallel()
	s := serve(t, "--demo-speed", "8")
	res, err := client(t).Get(s.url)
	require.NoError(t, err)
	_, err = io.Copy(io.Discard, res.Body)
	require.NoError(t, err)
	res.Body.Close()
	require.Equal(t, 0, s.stop(t))
	assert.Empty(t, s.stdout.String())
	assert.NotContains(t, s.stderr.String(), `"level"`)
	for _, id := range []string{"demo-chat", "demo-fanout", "demo-subagents", "demo-repeats", "demo-artifacts", "demo-approval", "demo-failure"} {
		assert.Contains(t, s.stderr.String(), id)
	}
}
