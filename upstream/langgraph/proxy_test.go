package langgraph_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// proxy stands before a server and changes what it answers.
type proxy struct {
	*httptest.Server
	target  string
	handle  func(w http.ResponseWriter, r *http.Request, answer []byte, status int) bool // false: as it is
	running func() bool                                                                  // while it is true, runs are told to go on
}

func (p *proxy) start(t *testing.T) {
	t.Helper()
	transport := &http.Transport{}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		req, err := http.NewRequestWithContext(r.Context(), r.Method, p.target+r.URL.RequestURI(), bytes.NewReader(body))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		req.Header = r.Header.Clone()
		res, err := transport.RoundTrip(req)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		defer res.Body.Close()
		answer, _ := io.ReadAll(res.Body)
		if p.running() && strings.Contains(r.URL.Path, "/runs/") && !isStream(r) {
			answer = bytes.ReplaceAll(answer, []byte(`"status":"success"`), []byte(`"status":"running"`))
		}
		if p.handle(w, r, answer, res.StatusCode) {
			return
		}
		w.WriteHeader(res.StatusCode)
		_, _ = w.Write(answer)
	}))
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		p.CloseClientConnections()
		p.Close()
	})
	require.NotEmpty(t, p.URL)
}
