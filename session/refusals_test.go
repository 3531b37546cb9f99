package session

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/coded"
)

// Every reason in this package's own text has a class of its own for the figures, but the two that say nothing.
func TestEveryReasonHasAClass(t *testing.T) {
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	written := regexp.MustCompile(`(?:reason|badToken|Sprintf)\("([^"]+)"|\{jwt\.Err\w+, "([^"]+)"`)
	found := 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") || file == "options.go" || file == "session.go" || file == "refusals.go" {
			continue
		}
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, m := range written.FindAllStringSubmatch(string(text), -1) {
			why := m[1] + m[2]
			found++
			if strings.HasPrefix(why, "its ") && !strings.Contains(why[4:], " ") {
				continue // a reason in parts: its claims are looked at below
			}
			assert.NotEqual(t, RefusedOther, reason(why).class(), "%s: %q", file, why)
			assert.Contains(t, RefusalReasons(), reason(why).class())
		}
	}
	assert.Greater(t, found, 20)
	for _, claim := range []string{"exp", "nbf", "iat"} {
		assert.Equal(t, RefusedClaims, reason("its "+claim+" is not a time").class())
	}
	assert.Equal(t, RefusedOther, reason("it cannot be verified").class())
}

// What is counted is one of a few words, whatever came.
func TestRefusalsAreCounted(t *testing.T) {
	g := &Gate{}
	for _, err := range []error{
		badToken("it has expired"), badToken("it has expired"), coded.New(coded.Unauthenticated, messageNoToken),
		coded.New(coded.UpstreamUnavailable, messageNoKeys), coded.New(coded.Unauthenticated, messageOtherUser), errors.New("x"),
	} {
		g.refusals.count(err)
	}
	assert.Equal(t, map[string]int64{RefusedExpired: 2, RefusedMissing: 1, RefusedNoKeys: 1, RefusedOtherUser: 1, RefusedOther: 1}, g.Refusals())
	for class := range g.Refusals() {
		assert.True(t, slices.Contains(RefusalReasons(), class))
	}
}
