package inspector

import (
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"

func handler(t *testing.T, options Options) http.Handler {
	t.Helper()
	h, err := New(options)
	require.NoError(t, err)
	return h
}

func get(h http.Handler, path string, header ...string) *http.Response {
	r := httptest.NewRequest(http.MethodGet, path, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

func body(t *testing.T, r *http.Response) string {
	t.Helper()
	text, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	return string(text)
}

func page(t *testing.T, r *http.Response) string {
	t.Helper()
	require.Equal(t, http.StatusOK, r.StatusCode)
	require.Equal(t, "text/html; charset=utf-8", r.Header.Get("Content-Type"))
	return body(t, r)
}

var referred = regexp.MustCompile(`(?:src|href)="([^"]+)"`)

// Promise 1: both documents refer to files that are served, and to nothing of another host.
func TestPagesAreWhole(t *testing.T) {
	h := handler(t, Options{Page: true, Playground: true, Landing: "text"})
	for _, path := range []string{"/", "/graphiql"} {
		html := page(t, get(h, path, "Accept", browser))
		require.NotContains(t, html, "<style", path)
		require.NotRegexp(t, `<script(?:\s[^>]*)?>[^<]`, html, path+" has a script of its own")
		found := 0
		for _, ref := range referred.FindAllStringSubmatch(html, -1) {
			if strings.HasPrefix(ref[1], "data:") {
				continue
			}
			name, relative := strings.CutPrefix(ref[1], "./")
			require.True(t, relative, "%s refers to %s", path, ref[1])
			asset := get(h, "/"+name)
			require.Equal(t, http.StatusOK, asset.StatusCode, name)
			require.NotEmpty(t, body(t, asset))
			found++
		}
		require.GreaterOrEqual(t, found, 2, "%s without a script and a style", path)
	}
}

// Promise 1: no stylesheet loads anything, and every document says what may run.
func TestNothingComesFromElsewhere(t *testing.T) {
	require.NoError(t, fs.WalkDir(dist, "dist", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(name, ".css") {
			return err
		}
		css, err := dist.ReadFile(name)
		require.NotRegexp(t, `@import|url\(\s*['"]?(?:https?:)?//`, string(css), name)
		return err
	}))
	h := handler(t, Options{Page: true, Playground: true})
	for _, path := range []string{"/", "/graphiql"} {
		header := get(h, path, "Accept", browser).Header
		policy := header.Get("Content-Security-Policy")
		for _, want := range []string{"default-src 'none'", "script-src 'self';", "connect-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"} {
			require.Contains(t, policy, want, path)
		}
		require.NotContains(t, policy, "unsafe-eval")
		require.NotRegexp(t, `script-src[^;]*unsafe`, policy)
		require.Equal(t, "nosniff", header.Get("X-Content-Type-Options"))
		require.Equal(t, "DENY", header.Get("X-Frame-Options"))
		require.Equal(t, "no-referrer", header.Get("Referrer-Policy"))
	}
	require.Contains(t, get(h, "/", "Accept", browser).Header.Get("Content-Security-Policy"), "require-trusted-types-for 'script'")
}

// Promise 2.
func TestCaching(t *testing.T) {
	h := handler(t, Options{Page: true})
	index := get(h, "/", "Accept", browser)
	require.Equal(t, "no-cache", index.Header.Get("Cache-Control"))
	tag := index.Header.Get("ETag")
	require.NotEmpty(t, tag)
	require.Equal(t, http.StatusNotModified, get(h, "/", "Accept", browser, "If-None-Match", tag).StatusCode)
	require.Equal(t, "no-cache", get(h, "/icon.svg").Header.Get("Cache-Control"))

	script := referred.FindAllString(page(t, index), -1)
	require.NotEmpty(t, script)
	for _, ref := range referred.FindAllStringSubmatch(page(t, get(h, "/", "Accept", browser)), -1) {
		asset := get(h, strings.TrimPrefix(ref[1], "."))
		require.Equal(t, http.StatusOK, asset.StatusCode)
		require.Equal(t, "nosniff", asset.Header.Get("X-Content-Type-Options"))
		if strings.Contains(ref[1], "/assets/") {
			require.Equal(t, "public, max-age=31536000, immutable", asset.Header.Get("Cache-Control"))
		}
	}
}

func TestCompressed(t *testing.T) {
	h := handler(t, Options{Page: true})
	plain := page(t, get(h, "/", "Accept", browser))
	for accept, zipped := range map[string]bool{"gzip, deflate, br": true, "br;q=1.0, gzip;q=0.8": true, "gzip;q=0": false, "identity": false, "": false} {
		r := get(h, "/", "Accept", browser, "Accept-Encoding", accept)
		require.Contains(t, r.Header.Values("Vary"), "Accept-Encoding")
		text := body(t, r)
		if zipped {
			require.Equal(t, "gzip", r.Header.Get("Content-Encoding"), accept)
			unzip, err := gzip.NewReader(bytes.NewReader([]byte(text)))
			require.NoError(t, err)
			all, err := io.ReadAll(unzip)
			require.NoError(t, err)
			text = string(all)
		} else {
			require.Empty(t, r.Header.Get("Content-Encoding"), accept)
		}
		require.Equal(t, plain, text)
	}
}

// Promises 4 and 5.
func TestWhatIsOn(t *testing.T) {
	cases := map[string]struct {
		options          Options
		page, playground bool
	}{
		"all":      {Options{Page: true, Playground: true, Landing: "hello"}, true, true},
		"the page": {Options{Page: true, Landing: "hello"}, true, false},
		"nothing":  {Options{Landing: "hello"}, false, false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			h := handler(t, c.options)
			for _, accept := range []string{"", "*/*", "application/json"} {
				r := get(h, "/", "Accept", accept)
				require.Equal(t, http.StatusOK, r.StatusCode)
				require.Equal(t, "text/plain; charset=utf-8", r.Header.Get("Content-Type"))
				require.Equal(t, "hello", body(t, r))
			}
			if c.page {
				require.Contains(t, page(t, get(h, "/", "Accept", browser)), `id="root"`)
				require.Equal(t, http.StatusOK, get(h, "/THIRD_PARTY.txt").StatusCode)
			} else {
				require.Equal(t, "hello", body(t, get(h, "/", "Accept", browser)))
				require.Equal(t, http.StatusNotFound, get(h, "/icon.svg").StatusCode)
			}
			want := http.StatusNotFound
			if c.playground {
				want = http.StatusOK
			}
			require.Equal(t, want, get(h, "/graphiql", "Accept", browser).StatusCode)
			for _, nothing := range []string{"/assets/", "/assets/none.js", "/index.html", "/graphiql/", "/x", "/assets/../index.html"} {
				require.NotEqual(t, http.StatusOK, get(h, nothing, "Accept", browser).StatusCode, nothing)
			}
		})
	}
}

// Promise 1, as licences see it: what is bundled is named with its licence.
func TestThirdParty(t *testing.T) {
	for folder, packages := range map[string][]string{
		"dist/page/THIRD_PARTY.txt":              {"react ", "react-dom ", "@xyflow/react ", "@dagrejs/dagre ", "graphql-ws "},
		"dist/graphiql/THIRD_PARTY_graphiql.txt": {"react ", "graphiql ", "graphql ", "codemirror "},
	} {
		text, err := dist.ReadFile(folder)
		require.NoError(t, err)
		for _, name := range packages {
			require.Regexp(t, `(?m)^`+regexp.QuoteMeta(name)+`\d`, string(text), folder)
		}
	}
}
