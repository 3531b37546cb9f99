package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Introspection is on in the demo, else when it is asked for.
func TestSafeDefaults(t *testing.T) {
	for _, tc := range []struct {
		upstream    string
		asked, want bool
	}{
		{"", false, true}, {"", true, true}, {"http://127.0.0.1:1", false, false}, {"http://127.0.0.1:1", true, true},
	} {
		c := &serveCommand{Upstream: tc.upstream, Introspection: tc.asked}
		assert.Equal(t, tc.want, c.introspection())
	}
}
