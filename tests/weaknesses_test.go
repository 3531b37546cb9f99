package tests

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// weakness is one of the weaknesses that GraphQL Cop looks for in a server, looked for in our own way, and more closely
// where that tells more. found answers what shows it, "" when nothing does.
type weakness struct {
	name, severity string
	found          func(t *testing.T, s *server) string
}

// data is an answer's data, "" where it has none.
func (a answer) data() string {
	var r struct{ Data map[string]json.RawMessage }
	if json.Unmarshal([]byte(a.body), &r) != nil || r.Data == nil {
		return ""
	}
	return short(a.body)
}

// asks posts a document.
func asks(t *testing.T, s *server, query string) answer {
	t.Helper()
	return s.post(t, mediaJSON, request{Query: query})
}

// unless answers text where there is evidence.
func unless(clean bool, text string) string {
	if clean {
		return ""
	}
	return short(text)
}

// sentAs posts a body as a content type that pages may send without being asked about it.
func sentAs(t *testing.T, s *server, contentType, text string) answer {
	t.Helper()
	r := s.newPost(t, "*/*", request{})
	r.Body, r.ContentLength = body(text), int64(len(text))
	r.Header.Del("Content-Type")
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	return send(t, r)
}

// weaknesses are the 13 checks of GraphQL Cop, and last one that its sources have beside them.
var weaknesses = []weakness{
	{"alias overloading", "HIGH", func(t *testing.T, s *server) string {
		return asks(t, s, "{"+many(101, "alias#:__typename ")+"}").data()
	}},
	{"array batching", "HIGH", func(t *testing.T, s *server) string {
		got := sentAs(t, s, mediaJSON, "["+strings.Repeat(`{"query":"{__typename}"},`, 9)+`{"query":"{__typename}"}]`)
		return unless(got.status == http.StatusBadRequest && !strings.Contains(got.body, "__typename"), got.body)
	}},
	{"circular introspection", "HIGH", func(t *testing.T, s *server) string {
		return asks(t, s, "{__schema{types{"+strings.Repeat("fields{type{", 4)+"name"+strings.Repeat("}}", 4)+"}}}").data()
	}},
	{"directive overloading", "HIGH", func(t *testing.T, s *server) string {
		// What each directive costs: an error for each is an answer that grows with the question.
		one, ten := asks(t, s, "{__typename@aa}"), asks(t, s, "{__typename"+strings.Repeat("@aa", 10)+"}")
		many := asks(t, s, "{__typename"+strings.Repeat("@aa", 1000)+"}")
		before, after := len(parse(t, ten.body).Errors), len(parse(t, many.body).Errors)
		switch {
		case len(parse(t, one.body).Errors) != 1:
			return one.body
		case before >= 10 && after > 1, after > before:
			return fmt.Sprintf("%d errors for 10 directives, %d for 1,000", before, after)
		}
		return asks(t, s, "{__typename"+strings.Repeat("@skip(if:false)", 51)+"}").data()
	}},
	{"field duplication", "HIGH", func(t *testing.T, s *server) string {
		return asks(t, s, "{"+strings.Repeat("__typename ", 500)+"}").data()
	}},
	{"field suggestions", "LOW", func(t *testing.T, s *server) string {
		for _, query := range []string{"{__schema{directive}}", "{conversatio{id}}", "{conversation(ids:1){id}}", "query($x:SendInputt){__typename}", "{billing{}}"} {
			if got := asks(t, s, query); strings.Contains(got.body, "Did you mean") {
				return short(got.body)
			}
		}
		return ""
	}},
	{"mutation by GET", "MEDIUM", func(t *testing.T, s *server) string {
		for _, query := range []string{"mutation{__typename}", `mutation{send(input:{agentId:"concierge",content:"x"}){fresh}}`, "query A{__typename}mutation B{__typename}"} {
			r := s.newGet(t, "*/*", request{Query: query})
			if strings.HasPrefix(query, "query") {
				r.URL.RawQuery += "&operationName=B"
			}
			if got := send(t, r); got.status != http.StatusMethodNotAllowed {
				return short(got.body)
			}
		}
		return ""
	}},
	{"query by GET", "MEDIUM", func(t *testing.T, s *server) string {
		return send(t, s.newGet(t, "*/*", request{Query: "{__typename}"})).data()
	}},
	{"an IDE", "LOW", func(t *testing.T, s *server) string {
		at, err := url.Parse(s.url)
		require.NoError(t, err)
		for _, path := range []string{"/", "/graphiql", "/playground", "/console", "/graphql", "/altair", "/voyager"} {
			at.Path = path
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, at.String(), nil)
			require.NoError(t, err)
			r.Header.Set("Accept", "text/html,*/*;q=0.1")
			page := send(t, r)
			if !strings.Contains(page.header.Get("Content-Type"), "html") {
				continue
			}
			got := strings.ToLower(page.body)
			for _, word := range []string{"graphiql", "playground", "<script"} {
				if strings.Contains(got, word) {
					return path + " has " + word
				}
			}
		}
		return ""
	}},
	{"introspection", "HIGH", func(t *testing.T, s *server) string {
		return asks(t, s, "{__schema{types{name fields{name}}}}").data() + asks(t, s, `{__type(name:"Query"){name}}`).data()
	}},
	{"POST of a form", "MEDIUM", func(t *testing.T, s *server) string {
		for kind, text := range map[string]string{
			"application/x-www-form-urlencoded": url.Values{"query": {"{__typename}"}}.Encode(),
			"text/plain":                        `{"query":"{__typename}"}`,
			"multipart/form-data; boundary=x":   "--x\r\nContent-Disposition: form-data; name=\"query\"\r\n\r\n{__typename}\r\n--x--\r\n",
			"":                                  `{"query":"{__typename}"}`,
		} {
			if got := sentAs(t, s, kind, text); got.status != http.StatusUnsupportedMediaType {
				return kind + ": " + short(got.body)
			}
		}
		return ""
	}},
	{"trace mode", "INFO", func(t *testing.T, s *server) string {
		for _, query := range []string{"{__typename}", "{nothing}", `{conversation(id:"nobody"){id}}`} {
			got := asks(t, s, query)
			for _, word := range []string{`"tracing"`, `"stacktrace"`, `"trace"`, `"debug"`, "goroutine ", ".go:"} {
				if strings.Contains(strings.ToLower(got.body), word) {
					return short(got.body)
				}
			}
		}
		return ""
	}},
	{"unhandled errors", "INFO", func(t *testing.T, s *server) string {
		for _, query := range []string{"qwerty cop{abc}", "{", "{conversation(id:{}){id}}", "\x00", "{conversation(id:\"\\u0000\"){id}}"} {
			got := asks(t, s, query)
			for _, e := range parse(t, got.body).Errors {
				if e.Extensions.Code == "" || e.Extensions.Code == "INTERNAL" || strings.Contains(got.body, "exception") {
					return short(got.body)
				}
			}
			if got.status >= 500 {
				return short(got.body)
			}
		}
		return ""
	}},
	{"circular fragment", "HIGH", func(t *testing.T, s *server) string {
		return asks(t, s, "{__schema{...A}}fragment A on __Schema{__typename ...B}fragment B on __Schema{...A}").data()
	}},
}

// exceptions are the weaknesses that are there on purpose, and why.
var exceptions = map[string]string{
	"query by GET": "the GraphQL over HTTP draft has it; nothing that changes state is taken from a GET, foreign origins are refused, answers are not stored",
}

// demoExceptions are those of the demo beside them: whoever tries the server out is to look around in it.
var demoExceptions = map[string]string{
	"introspection":     "on in the demo alone, unless --introspection asks for it",
	"field suggestions": "on with introspection",
	"an IDE":            "in the demo alone, unless --playground asks for it",
}

// The checks of GraphQL Cop, on a server in front of a platform and on the demo. Each is clean, or an exception that is
// named here; one that is no longer needed on the former fails too.
func TestKnownWeaknesses(t *testing.T) {
	t.Parallel()
	_, front := openTenancy(t)
	for name, tc := range map[string]struct {
		s       *server
		allowed []map[string]string
	}{
		"in front of a platform": {front, []map[string]string{exceptions}},
		"the demo":               {serve(t), []map[string]string{exceptions, demoExceptions}},
	} {
		t.Run(name, func(t *testing.T) {
			clean := 0
			for n, w := range weaknesses {
				evidence := w.found(t, tc.s)
				why := ""
				for _, allowed := range tc.allowed {
					why += allowed[w.name]
				}
				switch {
				case evidence == "":
					clean++
					t.Logf("%2d %-6s %-22s clean", n+1, w.severity, w.name)
					assert.Empty(t, exceptions[w.name], "%s is no exception any more", w.name)
				case why != "":
					t.Logf("%2d %-6s %-22s exception: %s", n+1, w.severity, w.name, why)
				default:
					t.Errorf("%2d %-6s %-22s FOUND: %s", n+1, w.severity, w.name, evidence)
				}
			}
			t.Logf("%d of %d clean", clean, len(weaknesses))
		})
	}
	names := map[string]bool{}
	for _, w := range weaknesses {
		names[w.name] = true
	}
	for _, allowed := range []map[string]string{exceptions, demoExceptions} {
		for name := range allowed {
			assert.True(t, names[name], name)
		}
	}
	assert.Len(t, names, 14)
	assert.False(t, slices.ContainsFunc(weaknesses, func(w weakness) bool { return w.found == nil }))
}
