package transport

import (
	"os"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The table of close codes in docs/service.md is closeReasons, with what clients are to make of each. That each code is sent,
// and when, is shown by TestCloseCodes, TestCloseSubprotocol, TestInit, TestExpiry, TestDrain and TestPanics.
func TestCloseTable(t *testing.T) {
	page, err := os.ReadFile("../docs/service.md")
	require.NoError(t, err)
	told := map[int]string{}
	for _, row := range regexp.MustCompile(`(?m)^\| (\d{4}) \| (retry|terminal) \|`).FindAllStringSubmatch(string(page), -1) {
		code, err := strconv.Atoi(row[1])
		require.NoError(t, err)
		told[code] = row[2]
	}
	known := map[int]string{}
	for _, r := range closeReasons {
		known[r.code] = "terminal"
		if r.retry {
			known[r.code] = "retry"
		}
	}
	assert.Equal(t, known, told)
	assert.Len(t, told, 12)
}
