package tests

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Every test that docs/threat-model.md names is there.
func TestTheThreatModelNamesTests(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/threat-model.md")
	require.NoError(t, err)
	known := "\n"
	require.NoError(t, filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		known += string(text)
		return err
	}))
	named := regexp.MustCompile("`((?:Test|Fuzz)\\w*)(…?)`").FindAllStringSubmatch(string(page), -1)
	assert.Greater(t, len(named), 40)
	for _, name := range named {
		end := "("
		if name[2] != "" {
			end = "" // a family
		}
		assert.Contains(t, known, "\nfunc "+name[1]+end, name[0])
	}
}
