package exchange

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/upstream"
)

// What upstream sends in place of HTTP is in no error, and so in no log (docs/service.md, "Safe defaults").
func TestAnswersThatAreNotHTTPAreNotRepeated(t *testing.T) {
	const ok = "HTTP/1.1 200 OK\r\n"
	for name, answer := range map[string]string{
		"text":               "a private text\r\n\r\n",
		"version":            "private/1.1 200 OK\r\n\r\n",
		"status":             "HTTP/1.1 private OK\r\n\r\n",
		"header":             ok + "a private text\r\n\r\n",
		"name of a header":   ok + "a private: text\r\n\r\n",
		"continued header":   ok + " a private text\r\n\r\n",
		"length":             ok + "Content-Length: private\r\n\r\n",
		"lengths":            ok + "Content-Length: 7\r\nContent-Length: private\r\n\r\nprivate",
		"encoding":           ok + "Transfer-Encoding: private\r\n\r\n",
		"chunk":              ok + "Transfer-Encoding: chunked\r\n\r\nprivate\r\n",
		"trailer":            ok + "Transfer-Encoding: chunked\r\nTrailer: A\r\n\r\n2\r\n{}\r\n0\r\na private text\r\n\r\n",
		"refusal breaks off": "HTTP/1.1 500 Oh\r\nTransfer-Encoding: chunked\r\n\r\nprivate\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			require.NoError(t, err)
			defer l.Close()
			served := make(chan struct{})
			go func() {
				defer close(served)
				c, err := l.Accept()
				if err != nil {
					return
				}
				defer c.Close()
				if r, err := http.ReadRequest(bufio.NewReader(c)); err == nil {
					r.Body.Close()
					fmt.Fprint(c, answer)
				}
			}()
			c, err := New(Options{BaseURL: "http://" + l.Addr().String(), Refuse: func(_ Call, _ int, _ []byte, _ func(string) string) (upstream.Kind, error) {
				return upstream.Unavailable, nil
			}})
			require.NoError(t, err)
			defer c.Close()
			_, err = c.Object(t.Context(), Call{Op: "head", Path: []string{"v1"}})
			require.ErrorIs(t, err, upstream.Unavailable)
			wrong := err.(*upstream.Error)
			require.NotNil(t, wrong.Detail)
			assert.NotContains(t, wrong.LogValue().String(), "private")
			<-served
		})
	}
}
