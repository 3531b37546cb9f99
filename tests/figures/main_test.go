package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What passed is a line, what failed is told whole, and figures come last.
func TestReport(t *testing.T) {
	var out strings.Builder
	failed, err := report(strings.NewReader(`{"Action":"output","Package":"a","Test":"TestX","Output":"=== RUN   TestX\n"}
{"Action":"output","Package":"a","Test":"TestX","Output":"    it is fine\n"}
{"Action":"pass","Package":"a","Test":"TestX"}
{"Action":"pass","Package":"a","Test":"FuzzY/seed#0"}
{"Action":"pass","Package":"a","Test":"FuzzY"}
{"Action":"output","Package":"a","Output":"figures: a: 7\n"}
{"Action":"output","Package":"a","Output":"PASS\n"}
{"Action":"output","Package":"a","Output":"ok  \ta\t0.1s\n"}
{"Action":"pass","Package":"a"}
go: downloading x
`), &out)
	require.NoError(t, err)
	assert.False(t, failed)
	assert.Equal(t, "ok  \ta\t0.1s\ngo: downloading x\nfigures: a: 7\nfigures: tests: packages 1, tests passed 3, failed 0, skipped 0, fuzz seeds run 1\n", out.String())

	out.Reset()
	failed, err = report(strings.NewReader(`{"Action":"build-output","ImportPath":"b","Output":"b.go:1: no\n"}
{"Action":"output","Package":"b","Test":"TestX","Output":"    it is not fine\n"}
{"Action":"fail","Package":"b","Test":"TestX"}
{"Action":"skip","Package":"b","Test":"TestY"}
{"Action":"output","Package":"b","Output":"FAIL\tb\t0.1s\n"}
{"Action":"fail","Package":"b"}
`), &out)
	require.NoError(t, err)
	assert.True(t, failed)
	assert.Equal(t, "b.go:1: no\n    it is not fine\nFAIL\tb\t0.1s\nfigures: tests: packages 0, tests passed 0, failed 1, skipped 1, fuzz seeds run 0\n", out.String())
}
