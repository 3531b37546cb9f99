package tests

import (
	"bufio"
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What upstream says beyond an answer is noticed by net/http's client, which quotes it in Go's own log. Here that is a line
// like any other, without the quotation.
func TestNoContentInWhatLibrariesLog(t *testing.T) {
	t.Parallel()
	upstream, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { upstream.Close() })
	go func() {
		for {
			c, err := upstream.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				in := bufio.NewReader(c)
				for {
					line, err := in.ReadString('\n')
					if err != nil {
						return
					}
					if strings.TrimSpace(line) == "" { // the request's end: an answer without a body, and what is none
						fmt.Fprintf(c, "HTTP/1.1 204 No Content\r\n\r\n{\"message\":\"%s\"}", saidByUpstream)
					}
				}
			}()
		}
	}()
	s := start(t, nil, "serve", "--listen", "127.0.0.1:0", "--insecure", "--upstream", "http://"+upstream.Addr().String())
	eventually(t, patience, func() string {
		s.ask(t, "", `{ conversations { hasMore } }`)
		if log := s.stderr.String(); !strings.Contains(log, `"msg":"library"`) {
			return "nothing of a library in the log: " + log
		}
		return ""
	})
	assert.Equal(t, 0, s.stop(t))
	assert.NotContains(t, s.stderr.String(), saidByUpstream)
	for _, line := range strings.Split(strings.TrimSpace(s.stderr.String()), "\n")[1:] {
		assert.True(t, strings.HasPrefix(line, "{"), "%s", line)
	}
}
