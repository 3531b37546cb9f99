package planfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func plan(agent string, version string) string {
	return `{"agent_id": "` + agent + `", "agent_version": ` + version + `}`
}

// write writes files into a folder of their own, the text after the name.
func write(t *testing.T, files map[string]string) func(name string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	return func(name string) string { return filepath.Join(dir, name) }
}

// Promise 4.
func TestLoad(t *testing.T) {
	at := write(t, map[string]string{
		"plans/b.json": plan("b", "2"), "plans/a.json": "\ufeff" + plan("a", "1") + "\r\n", "plans/notes.txt": "no plan",
		"plans/deeper.json/c.json": plan("c", "1"), "plan.of.d": plan("d", "0"), "empty/x.txt": "",
	})
	all, err := Load(at("plans"), at("plan.of.d"))
	require.NoError(t, err)
	var agents []string
	for _, p := range all {
		agents = append(agents, p.AgentID)
	}
	assert.Equal(t, []string{"a", "b", "d"}, agents)

	all, err = Load()
	require.NoError(t, err)
	assert.Empty(t, all)
	_, err = Load(at("nothing"))
	assert.ErrorIs(t, err, os.ErrNotExist)
	_, err = Load(at("empty"))
	assert.EqualError(t, err, at("empty")+": no *.json file in it")
}

// Promises 1, 2 and 3.
func TestWhatIsWrongIsTold(t *testing.T) {
	at := write(t, map[string]string{
		"1.json": "\ufeff{\n\"agent_id\": \"a\",\n\"agent_version\" 1}", "2.json": "", "3.json": "[]\n", "4.json": plan("a", `"1"`),
		"5.json":  strings.TrimSuffix(plan("a", "1"), "}") + `, "edges": [{"from": "x", "to": "y"}]}`,
		"6.json":  plan("a", "1") + "\n" + plan("a", "2"),
		"7.json":  plan("a", "1"),
		"8.json":  plan("a", "1"),
		"9.json":  plan("a", "2"),
		"10.json": "{\"agent_id\": \"a\"\n\n",
	})
	_, err := Load(at("."), at("nothing"), at("9.json"))
	require.Error(t, err)
	assert.Equal(t, []string{
		at("1.json") + ":3: malformed_json",
		at("10.json") + ":2: malformed_json",
		at("2.json") + ":1: malformed_json",
		at("3.json") + ": malformed_json",
		at("4.json") + ": wrong_type at agent_version",
		at("5.json") + `: invalid_plan at edges[0].from: "x" is no node of the plan`,
		at("6.json") + ":2: malformed_json",
		at("7.json") + " and " + at("8.json") + ` are both plans of version 1 of "a"`,
		"stat " + at("nothing") + ": no such file or directory",
		at("9.json") + " and " + at("9.json") + ` are both plans of version 2 of "a"`,
	}, strings.Split(err.Error(), "\n"))
}

func TestAFileHasALimit(t *testing.T) {
	at := write(t, map[string]string{"x.json": ""})
	require.NoError(t, os.Truncate(at("x.json"), maxBytes+1)) // sparse
	_, err := Load(at("x.json"))
	assert.EqualError(t, err, at("x.json")+": more than 67108864 bytes")
}
