package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// The playground and introspection are on in the demo, else when they are asked for, each for itself.
func TestSafeDefaults(t *testing.T) {
	for _, tc := range []struct {
		upstream                                      string
		askedPage, askedSchema, wantPage, wantsSchema bool
	}{
		{"", false, false, true, true},
		{"http://127.0.0.1:1", false, false, false, false},
		{"http://127.0.0.1:1", true, false, true, false},
		{"http://127.0.0.1:1", false, true, false, true},
	} {
		c := &serveCommand{Upstream: tc.upstream, Introspection: tc.askedSchema, protectionFlags: protectionFlags{Playground: tc.askedPage}}
		assert.Equal(t, tc.wantPage, c.playground())
		assert.Equal(t, tc.wantsSchema, c.introspection())
		assert.Equal(t, !tc.wantsSchema, c.transportOptions(nil, nil).DisableIntrospection)
	}
}
