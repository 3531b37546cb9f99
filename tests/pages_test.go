package tests

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What people look at is on in the demo and where a flag says so (docs/inspector.md).
func TestPages(t *testing.T) {
	const somewhere = "http://127.0.0.1:9" // nobody is asked
	cases := []struct {
		name             string
		args             []string
		page, playground bool
	}{
		{"demo", nil, true, true},
		{"upstream", []string{"--upstream", somewhere, "--insecure"}, false, false},
		{"inspector", []string{"--upstream", somewhere, "--insecure", "--inspector"}, true, false},
		{"playground", []string{"--upstream", somewhere, "--insecure", "--playground"}, true, true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := serve(t, c.args...)
			get := func(path, accept string) (int, string, string) {
				r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, strings.TrimSuffix(s.url, "/graphql")+path, http.NoBody)
				require.NoError(t, err)
				r.Header.Set("Accept", accept)
				response, err := http.DefaultClient.Do(r)
				require.NoError(t, err)
				defer func() { require.NoError(t, response.Body.Close()) }()
				body, err := io.ReadAll(response.Body)
				require.NoError(t, err)
				return response.StatusCode, response.Header.Get("Content-Type"), string(body)
			}
			code, kind, body := get("/", "*/*")
			require.Equal(t, http.StatusOK, code)
			require.Equal(t, "text/plain; charset=utf-8", kind)
			require.Contains(t, body, "/graphql")

			_, kind, body = get("/", "text/html,*/*;q=0.8")
			require.Equal(t, c.page, strings.HasPrefix(kind, "text/html"), kind)
			require.Equal(t, c.page, strings.Contains(body, `<div id="root">`))
			code, _, _ = get("/graphiql", "text/html")
			require.Equal(t, c.playground, code == http.StatusOK, code)
			code, _, _ = get("/nothing", "text/html")
			require.Equal(t, http.StatusNotFound, code)

			code, kind, body = get("/possible-types.json", "*/*")
			require.Equal(t, http.StatusOK, code)
			require.Equal(t, "application/json", kind)
			require.Contains(t, body, `"SubagentView":["OpenSubagentView","BlackBoxSubagentView"]`)
		})
	}
}
