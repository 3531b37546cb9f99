package demo

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// The sizes of an answer of rows and of conversations.
const (
	defaultLimit = 500
	maxLimit     = 1000
)

// writeTimeout is how long a client may leave an answer, or one burst of a stream, unread.
const writeTimeout = 10 * time.Second

// Handler answers the endpoints of docs/wire.md, and the hosted pages that checkouts lead to.
func (d *Demo) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/agents/{agent_id}/execute", d.known(d.execute))
	mux.HandleFunc("POST /v1/conversations/{id}/retry", d.with(d.retry))
	mux.HandleFunc("POST /v1/conversations/{id}/cancel", d.with(d.cancel))
	mux.HandleFunc("GET /v1/conversations", d.known(d.list))
	mux.HandleFunc("GET /v1/conversations/{id}", d.with(serveHead))
	mux.HandleFunc("GET /v1/conversations/{id}/rows", d.with(serveRows))
	mux.HandleFunc("GET /v1/conversations/{id}/stream", d.with(d.serveStream))
	mux.HandleFunc("GET /v1/conversations/{id}/tables/{table}/{row_id}/backlinks", d.with(serveBacklinks))
	mux.HandleFunc("GET /v1/agents/{agent_id}/versions/{version}", d.known(d.servePlan))
	mux.HandleFunc("GET /v1/billing/balance", d.known(d.serveBalance))
	mux.HandleFunc("GET /v1/billing/usage", d.known(d.serveUsage))
	mux.HandleFunc("GET /v1/billing/plans", d.known(d.servePlans))
	mux.HandleFunc("GET /v1/billing/invoices", d.known(d.serveInvoices))
	mux.HandleFunc("GET /v1/billing/grants", d.known(d.serveGrants))
	mux.HandleFunc("POST /v1/billing/topup", d.known(d.topup))
	mux.HandleFunc("POST /v1/billing/subscribe", d.known(d.subscribe))
	mux.HandleFunc("GET "+checkoutPath+"{id}", d.showCheckout)
	mux.HandleFunc("POST "+checkoutPath+"{id}", d.payCheckout)
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { unknown("there is nothing here").answer(w) })
	return mux
}

// known finds out who asks. Without Options.Identify everybody is the user "".
func (d *Demo) known(next func(w http.ResponseWriter, r *http.Request, user string)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		user := ""
		if d.stage.Identify != nil {
			scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
			if !strings.EqualFold(scheme, "Bearer") {
				token = ""
			}
			var err error
			if user, err = d.stage.Identify(token); err != nil {
				w.Header().Set("WWW-Authenticate", "Bearer")
				(&refusal{http.StatusUnauthorized, "unauthenticated", "the session is not accepted"}).answer(w)
				return
			}
		}
		next(w, r, user)
	}
}

var noConversation = unknown("no such conversation")

// with finds the conversation that the path names, if whoever asks may see it.
func (d *Demo) with(next func(w http.ResponseWriter, r *http.Request, user string, c *conversation)) http.HandlerFunc {
	return d.known(func(w http.ResponseWriter, r *http.Request, user string) {
		c := d.find(r.PathValue("id"), user)
		if c == nil {
			noConversation.answer(w)
			return
		}
		c.asked()
		next(w, r, user, c)
	})
}

func serveHead(w http.ResponseWriter, _ *http.Request, _ string, c *conversation) {
	reply(w, c.head().AppendJSON(nil))
}

func (d *Demo) servePlan(w http.ResponseWriter, r *http.Request, _ string) {
	plan := d.plans[planKey{r.PathValue("agent_id"), r.PathValue("version")}]
	if plan == nil {
		unknown("no such agent or version").answer(w)
		return
	}
	reply(w, plan.AppendJSON(nil))
}

func serveRows(w http.ResponseWriter, r *http.Request, _ string, c *conversation) {
	before, err1 := cursor(r, "before_seq", 0)
	after, err2 := cursor(r, "after_seq", -1)
	limit, err3 := cursor(r, "limit", defaultLimit)
	if errors.Join(err1, err2, err3) != nil {
		invalid("a cursor or limit is no whole number from 1").answer(w)
		return
	}
	page := c.page(before, after, int(min(limit, maxLimit)))
	reply(w, page.AppendJSON(nil))
}

var errCursor = errors.New("demo: no whole number")

// cursor reads a whole number from 1 of the query, an offset or after_seq from 0; absent it is the given one.
func cursor(r *http.Request, name string, absent int64) (int64, error) {
	value := r.FormValue(name)
	switch {
	case value == "":
		return absent, nil
	case value == "0" && (name == "offset" || name == "after_seq"):
		return 0, nil
	}
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil || n < 1 {
		return 0, errCursor
	}
	return n, nil
}

func reply(w http.ResponseWriter, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	deadline(w)
	w.Write(body) // a client that went away needs no answer
}

func replyJSON(w http.ResponseWriter, answer any) { reply(w, encoded(answer)) }

// encoded spells values of our own, which always encode.
func encoded(value any) []byte {
	body, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return body
}

func (no *refusal) answer(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	if no.status == http.StatusTooManyRequests || no.status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "5")
	}
	w.WriteHeader(no.status)
	w.Write(encoded(map[string]any{"error": map[string]string{"code": no.code, "message": no.message}})) // as above
}

// deadline gives the client until writeTimeout from now to take what is written next.
func deadline(w http.ResponseWriter) {
	// A writer that has no deadlines, such as a test's recorder, can't be stalled either.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeTimeout))
}
