package tests

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"inlaygraph/wire"
)

// tenancy is an upstream (docs/wire.md, "Endpoints") of several tenants: it knows whose token it is asked with, keeps
// conversations that only some users of one tenant may see, runs their agent, and notes who asked for what.
type tenancy struct {
	http *httptest.Server

	mu        sync.Mutex
	users     map[string]user // by token
	kept      map[place]*kept
	asked     []asking
	instead   map[string]instead // of its own answers, by method and path
	unhurried bool               // what a run says after its start, the test says
	held      chan struct{}      // what is asked for begins once it is closed; nil: at once
}

// user is whose token it is; "" of tenant "" where none came.
type user struct{ name, tenant string }

// place is where a conversation is: ids are unique within a tenant.
type place struct{ tenant, id string }

// asking is a request that came.
type asking struct {
	user
	request string // method and path
	body    string
}

// instead is an answer that a test gives.
type instead struct {
	status int
	body   string
	header http.Header
	hangs  bool // nothing is answered for as long as somebody waits
}

// secretly is what upstream says to itself in every refusal.
const secretly = "said by upstream alone"

func newTenancy(t *testing.T) *tenancy {
	t.Helper()
	p := &tenancy{users: map[string]user{}, kept: map[place]*kept{}, instead: map[string]instead{}}
	mux := http.NewServeMux()
	for pattern, serve := range map[string]func(http.ResponseWriter, *http.Request, user){
		"GET /v1/conversations":                                        p.serveList,
		"POST /v1/agents/{agent_id}/execute":                           p.serveExecute,
		"GET /v1/agents/{agent_id}/versions/{version}":                 servePlan,
		"GET /v1/billing/{object}":                                     serveBilling,
		"POST /v1/billing/{object}":                                    serveBilling,
		"GET /v1/conversations/{id}":                                   p.of((*kept).serveHead),
		"GET /v1/conversations/{id}/rows":                              p.of((*kept).serveRows),
		"GET /v1/conversations/{id}/stream":                            p.of((*kept).serveAttach),
		"GET /v1/conversations/{id}/tables/{table}/{row_id}/backlinks": p.of((*kept).serveBacklinks),
		"POST /v1/conversations/{id}/retry":                            p.of((*kept).serveRetry),
		"POST /v1/conversations/{id}/cancel":                           p.of((*kept).serveCancel),
	} {
		mux.HandleFunc(pattern, p.known(serve))
	}
	p.http = httptest.NewServer(mux)
	t.Cleanup(func() {
		p.http.CloseClientConnections()
		p.http.Close()
	})
	return p
}

// known notes a request and finds out whose it is.
func (p *tenancy) known(serve func(http.ResponseWriter, *http.Request, user)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			refuse(w, http.StatusBadRequest)
			return
		}
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		request := r.Method + " " + r.URL.Path
		p.mu.Lock()
		who, ok := p.users[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]
		p.asked = append(p.asked, asking{who, request, string(body)})
		said, other := p.instead[request]
		p.mu.Unlock()
		switch {
		case other && said.hangs:
			<-r.Context().Done()
		case other:
			maps.Copy(w.Header(), said.header)
			w.WriteHeader(said.status)
			io.WriteString(w, said.body)
		case !ok:
			refuse(w, http.StatusUnauthorized)
		default:
			serve(w, r, who)
		}
	}
}

func refuse(w http.ResponseWriter, status int) {
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"error":{"code":"refused","message":"%s"}}`, secretly)
}

// of finds the conversation of a path: 404 where the tenant has none, 403 where this user may not see it, 410 where it
// was there once.
func (p *tenancy) of(serve func(*kept, http.ResponseWriter, *http.Request, user)) func(http.ResponseWriter, *http.Request, user) {
	return func(w http.ResponseWriter, r *http.Request, who user) {
		p.mu.Lock()
		c := p.kept[place{who.tenant, r.PathValue("id")}]
		p.mu.Unlock()
		switch {
		case c == nil:
			refuse(w, http.StatusNotFound)
		case c.gone:
			refuse(w, http.StatusGone)
		case !slices.Contains(c.users, who.name):
			refuse(w, http.StatusForbidden)
		default:
			serve(c, w, r, who)
		}
	}
}

// enrol makes a user, whose token is good until then, and answers the token. A user may have several.
func (p *tenancy) enrol(t *testing.T, name, tenant string, until time.Time) string {
	t.Helper()
	p.mu.Lock()
	number := len(p.users)
	p.mu.Unlock()
	text := token(t, "HS256", []byte(jwtSecret), jwt.MapClaims{"sub": name, "tenant": tenant, "exp": until.Unix(), "jti": number})
	p.mu.Lock()
	defer p.mu.Unlock()
	p.users[text] = user{name, tenant}
	return text
}

// open lets whoever has no token in, as a user.
func (p *tenancy) open(name, tenant string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.users[""] = user{name, tenant}
}

// add takes on a conversation that some users of a tenant may see.
func (p *tenancy) add(tenant, id string, users ...string) *kept {
	c := &kept{tenancy: p, place: place{tenant, id}, users: users, news: make(chan struct{})}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.kept[c.place] = c
	return c
}

// admits tells whether a user may see the conversation of an id in the user's tenant.
func (p *tenancy) admits(who user, id string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.kept[place{who.tenant, id}]
	return c != nil && !c.gone && slices.Contains(c.users, who.name)
}

// answer gives an answer in the place of the tenancy's own; status 0: its own again.
func (p *tenancy) answer(request string, status int, body string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.instead[request] = (instead{status: status, body: body}); status == 0 {
		delete(p.instead, request)
	}
}

// do gives an answer that is more than a status and a body.
func (p *tenancy) do(request string, said instead) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.instead[request] = said
}

// since are the requests after the first n, and how many there are by now.
func (p *tenancy) since(n int) ([]asking, int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.asked[n:]), len(p.asked)
}

// hold keeps upstream from beginning anything until the function that it answers is called.
func (p *tenancy) hold() (release func()) {
	held := make(chan struct{})
	p.mu.Lock()
	defer p.mu.Unlock()
	p.unhurried, p.held = true, held
	return func() { close(held) }
}

// count is how many requests of a method and path came.
func (p *tenancy) count(request string) (n int) {
	all, _ := p.since(0)
	for _, a := range all {
		if a.request == request {
			n++
		}
	}
	return n
}

// front starts a server in front of the tenancy that takes its tokens.
func (p *tenancy) front(t *testing.T, args ...string) *server {
	t.Helper()
	return serve(t, append([]string{"--upstream", p.http.URL, "--jwt-secret", jwtSecret, "--jwt-leeway-seconds", "0", "--idle-poll-seconds", "1"}, args...)...)
}

func (p *tenancy) serveList(w http.ResponseWriter, _ *http.Request, who user) {
	p.mu.Lock()
	var heads []string
	for _, c := range p.kept {
		if c.tenant == who.tenant && !c.gone && slices.Contains(c.users, who.name) {
			heads = append(heads, string(c.head().AppendJSON(nil)))
		}
	}
	p.mu.Unlock()
	slices.Sort(heads)
	fmt.Fprintf(w, `{"conversations":[%s],"has_more":false}`, strings.Join(heads, ","))
}

func (p *tenancy) serveExecute(w http.ResponseWriter, r *http.Request, who user) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		refuse(w, http.StatusBadRequest)
		return
	}
	in, err := wire.DecodeExecution(body)
	if err != nil {
		refuse(w, http.StatusBadRequest)
		return
	}
	serve := func(c *kept, w http.ResponseWriter, r *http.Request, _ user) { c.serveRun(w, r, in.Messages) }
	if in.ConversationID != "" {
		r.SetPathValue("id", in.ConversationID)
		p.of(serve)(w, r, who)
		return
	}
	p.mu.Lock()
	id := fmt.Sprintf("new-%d", len(p.kept))
	p.mu.Unlock()
	serve(p.add(who.tenant, id, who.name), w, r, who)
}

func servePlan(w http.ResponseWriter, r *http.Request, who user) {
	var version int
	if json.Unmarshal([]byte(r.PathValue("version")), &version) != nil {
		refuse(w, http.StatusNotFound)
		return
	}
	fmt.Fprintf(w, `{"agent_id":%q,"agent_version":%d,"name":%q,"nodes":[{"path":["helper"],"kind":"llm"}],"edges":[]}`,
		r.PathValue("agent_id"), version, "plan of "+who.tenant)
}

// serveBilling answers with what is the user's own.
func serveBilling(w http.ResponseWriter, r *http.Request, who user) {
	own := canary(who)
	switch r.PathValue("object") {
	case "balance":
		fmt.Fprintf(w, `{"available_micro_usd":-5,"overage":%q}`, own)
	case "usage":
		fmt.Fprintf(w, `{"used_micro_usd":7,"lines":[{"key":%q,"used_micro_usd":7}]}`, own)
	case "plans":
		fmt.Fprintf(w, `{"current_plan_id":"p1","status":%q,"plans":[{"id":"p1","name":"Small","price_micro_usd":0,"features":[]}]}`, own)
	case "invoices":
		fmt.Fprintf(w, `{"invoices":[{"id":"i1","status":%q,"total_micro_usd":9007199254740991}]}`, own)
	case "grants":
		fmt.Fprintf(w, `{"grants":[{"id":"g1","source":%q,"amount_micro_usd":1}]}`, own)
	case "topup", "subscribe":
		fmt.Fprintf(w, `{"url":"https://pay.example/%s"}`, strings.ReplaceAll(own, " ", "-"))
	default:
		refuse(w, http.StatusNotFound)
	}
}

// canary is a word that is in a user's own answers alone.
func canary(who user) string { return "canary of " + who.name + " of " + who.tenant }
