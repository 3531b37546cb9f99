package platform

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/upstream"
	"inlaygraph/wire"
)

const headJSON = `{"type":"conversation","conversation_id":"c1","agent_id":"a","agent_version":1,"status":"running","last_offset":4}`

// serve answers every request with h, and makes a client of it.
func serve(t *testing.T, h http.HandlerFunc, o Options) *Client {
	t.Helper()
	server := httptest.NewServer(h)
	o.BaseURL = server.URL + o.BaseURL
	c, err := New(o)
	require.NoError(t, err)
	t.Cleanup(func() {
		c.Close()
		server.CloseClientConnections()
		server.Close()
	})
	return c
}

func say(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, body) }
}

func TestBaseURL(t *testing.T) {
	for url, ok := range map[string]bool{
		"http://127.0.0.1:9": true, "https://platform.example/base/": true,
		"": false, "ftp://x": false, "http://": false, "/path": false, "http://x?q=1": false, "http://x#f": false, "http://[": false,
	} {
		_, err := New(Options{BaseURL: url})
		assert.Equal(t, ok, err == nil, "%q: %v", url, err)
	}
	_, err := New(Options{BaseURL: "ftp://user:secret@x"})
	require.Error(t, err)
	assert.NotContains(t, err.Error(), "secret")
}

// Promise 3 of package upstream, for rows.
func TestRowsThatDoNotDecodeAreTold(t *testing.T) {
	c := serve(t, say(`{"rows":[{"type":"user","seq":1,"content":"hi"},{"type":"user","content":"no seq"},`+
		`{"type":"edge","seq":3,"from":"a","to":"b"}],"has_earlier":true}`), Options{})
	page, rejected, err := c.Rows(t.Context(), "", "c1", upstream.RowsQuery{})
	require.NoError(t, err)
	assert.True(t, page.HasEarlier)
	require.Len(t, page.Rows, 2)
	assert.EqualValues(t, 3, page.Rows[1].Seq)
	require.Len(t, rejected, 1)
	assert.Equal(t, wire.ReasonMissing, rejected[0].Reason)
}

func TestAHeadMayBeLongerThanAFrame(t *testing.T) {
	long := strings.TrimSuffix(headJSON, "}") + `,"title":"` + strings.Repeat("x", 4000) + `"}`
	h, err := serve(t, say(long), Options{MaxFrame: 1000}).Head(t.Context(), "", "c1")
	require.NoError(t, err)
	assert.Len(t, h.Title, 4000)
}

func TestNobodyThere(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := l.Addr().String()
	require.NoError(t, l.Close())
	c, err := New(Options{BaseURL: "http://" + address})
	require.NoError(t, err)
	_, err = c.Head(t.Context(), "", "c1")
	assert.ErrorIs(t, err, upstream.Unavailable)
	assert.NotContains(t, err.Error(), address)
	_, err = c.Stream(t.Context(), "", "c1", 0)
	assert.ErrorIs(t, err, upstream.Unavailable)
}

func TestPlan(t *testing.T) {
	asked := ""
	const body = `{"agent_id":"a/b","agent_version":3,"nodes":[{"path":["x"]}]}`
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked = r.RequestURI + " " + r.Header.Get("Authorization")
		io.WriteString(w, body)
	}, Options{BaseURL: "/base"})
	plan, err := c.Plan(t.Context(), "tok", "a/b", 3)
	require.NoError(t, err)
	assert.Equal(t, "/base/v1/agents/a%2Fb/versions/3 Bearer tok", asked)
	assert.Equal(t, []wire.PlanNode{{Path: []string{"x"}}}, plan.Nodes)

	for _, id := range []string{"", ".", ".."} {
		asked = ""
		_, err = c.Plan(t.Context(), "", id, 3)
		assert.ErrorIs(t, err, upstream.NotFound)
		assert.Empty(t, asked)
	}
	_, err = c.Plan(t.Context(), "", "a/b", -1)
	assert.ErrorIs(t, err, upstream.NotFound)
	assert.Empty(t, asked)

	for want, bad := range map[string]string{
		"the plan of another agent or version": strings.Replace(body, "a/b", "a", 1),
		"plan of another agent or version":     strings.Replace(body, ":3", ":4", 1),
		"missing_member at nodes[0].path":      strings.Replace(body, "path", "route", 1),
		"invalid_plan at nodes[0].path":        strings.Replace(body, `"x"`, ``, 1),
		"malformed_json":                       "<html>",
		"an answer of more than 4096 bytes":    body + strings.Repeat(" ", 4096),
	} {
		plan, err := serve(t, say(bad), Options{MaxAnswer: 4096}).Plan(t.Context(), "", "a/b", 3)
		assert.Nil(t, plan)
		assert.ErrorIs(t, err, upstream.Unavailable, want)
		var e *upstream.Error
		require.ErrorAs(t, err, &e)
		assert.Equal(t, "plan", e.Op)
		assert.Contains(t, e.LogValue().String(), want)
		assert.NotContains(t, e.Error(), want)
	}
}
