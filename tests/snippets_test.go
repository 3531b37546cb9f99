package tests

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// snippet is a code block of a page that says which file it is from, and which of the file's marked regions; the whole
// file when it names none.
var snippet = regexp.MustCompile("(?s)(<!-- (clients/[^ #]+)(?:#(\\S+))? -->\n```\\w+\n)(.*?)(```\n)")

// The snippets of docs/clients.md are those of the examples, which run. With -update they are taken from there anew.
func TestSnippets(t *testing.T) {
	page := filepath.Join("..", "docs", "clients.md")
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	from := map[string]int{}
	fresh := snippet.ReplaceAllStringFunc(string(text), func(block string) string {
		parts := snippet.FindStringSubmatch(block)
		from[strings.Split(parts[2], "/")[1]]++
		return parts[1] + region(t, parts[2], parts[3]) + parts[5]
	})
	for _, client := range []string{"graphql-ws", "apollo", "urql", "relay", "genqlient"} {
		assert.Positive(t, from[client], "no snippet of %s", client)
	}
	if *update {
		require.NoError(t, os.WriteFile(page, []byte(fresh), 0o644))
		return
	}
	assert.Equal(t, fresh, string(text), "run go test ./tests -run Snippets -update")
}

// region is what stands between the markers of a name, or the whole file without a name, without the margin that its lines
// share.
func region(t *testing.T, file, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(file)))
	require.NoError(t, err)
	if name == "" {
		return string(text)
	}
	var lines []string
	found, within := 0, false
	for line := range strings.Lines(string(text)) {
		_, mark, marked := strings.Cut(strings.TrimSpace(line), "#region ")
		switch {
		case marked:
			within = mark == name
			if within {
				found++
			}
		case strings.HasSuffix(strings.TrimSpace(line), "#endregion"):
			within = false
		case within:
			lines = append(lines, line)
		}
	}
	require.Equal(t, 1, found, "regions %s of %s", name, file)
	margin := len(text)
	for _, line := range lines {
		if words := strings.TrimLeft(line, " \t"); strings.TrimSpace(words) != "" {
			margin = min(margin, len(line)-len(words))
		}
	}
	for i, line := range lines {
		lines[i] = line[min(margin, len(line)-1):]
	}
	return strings.TrimLeft(strings.Join(lines, ""), "\n")
}
