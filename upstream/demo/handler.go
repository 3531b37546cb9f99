package demo

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"inlaygraph/wire"
)

// The sizes of an answer of rows and of conversations.
const (
	defaultLimit = 500
	maxLimit     = 1000
)

// writeTimeout is how long a client may leave an answer, or one burst of a stream, unread.
const writeTimeout = 10 * time.Second

// Handler answers the endpoints of docs/wire.md that read a conversation or a plan.
func (d *Demo) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/conversations", d.list)
	mux.HandleFunc("GET /v1/conversations/{id}", d.with(serveHead))
	mux.HandleFunc("GET /v1/conversations/{id}/rows", d.with(serveRows))
	mux.HandleFunc("GET /v1/conversations/{id}/stream", d.with(d.serveStream))
	mux.HandleFunc("GET /v1/agents/{agent_id}/versions/{version}", d.servePlan)
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		refuse(w, http.StatusNotFound, "not_found", "there is nothing here")
	})
	return mux
}

type answer func(w http.ResponseWriter, r *http.Request, c *conversation)

// with finds the conversation that the path names.
func (d *Demo) with(next answer) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		c := d.byID[r.PathValue("id")]
		if c == nil {
			refuse(w, http.StatusNotFound, "not_found", "no such conversation")
			return
		}
		c.asked(d.opts.Clock.Now())
		next(w, r, c)
	}
}

func serveHead(w http.ResponseWriter, _ *http.Request, c *conversation) {
	reply(w, c.head().AppendJSON(nil))
}

func (d *Demo) servePlan(w http.ResponseWriter, r *http.Request) {
	plan := d.plans[planKey{r.PathValue("agent_id"), r.PathValue("version")}]
	if plan == nil {
		refuse(w, http.StatusNotFound, "not_found", "no such agent or version")
		return
	}
	reply(w, plan.AppendJSON(nil))
}

func serveRows(w http.ResponseWriter, r *http.Request, c *conversation) {
	before, err1 := cursor(r, "before_seq", 0)
	after, err2 := cursor(r, "after_seq", -1)
	limit, err3 := cursor(r, "limit", defaultLimit)
	if errors.Join(err1, err2, err3) != nil {
		refuse(w, http.StatusBadRequest, "bad_request", "a cursor or limit is no whole number from 1")
		return
	}
	page := c.page(before, after, int(min(limit, maxLimit)))
	reply(w, page.AppendJSON(nil))
}

// list answers the conversations, in the order of the scenarios, without their working sets.
func (d *Demo) list(w http.ResponseWriter, r *http.Request) {
	limit, err1 := cursor(r, "limit", defaultLimit)
	offset, err2 := cursor(r, "offset", 0)
	if errors.Join(err1, err2) != nil {
		refuse(w, http.StatusBadRequest, "bad_request", "limit or offset is no whole number")
		return
	}
	agent, status := r.FormValue("agent_id"), r.FormValue("status")
	var heads []*wire.Head
	for _, c := range d.conversations {
		h := c.head()
		h.WorkingSet = nil
		if (agent == "" || h.AgentID == agent) && (status == "" || h.Status.String() == status) {
			heads = append(heads, h)
		}
	}
	from := min(offset, int64(len(heads)))
	to := min(from+min(limit, maxLimit), int64(len(heads)))
	body := []byte(`{"conversations":[`)
	for i, h := range heads[from:to] {
		if i > 0 {
			body = append(body, ',')
		}
		body = h.AppendJSON(body)
	}
	body = append(body, `],"has_more":`...)
	body = strconv.AppendBool(body, to < int64(len(heads)))
	reply(w, append(body, '}'))
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

func refuse(w http.ResponseWriter, status int, code, message string) {
	body, err := json.Marshal(map[string]any{"error": map[string]string{"code": code, "message": message}})
	if err != nil {
		panic(err) // two strings always encode
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(body) // as above
}

// deadline gives the client until writeTimeout from now to take what is written next.
func deadline(w http.ResponseWriter) {
	// A writer that has no deadlines, such as a test's recorder, can't be stalled either.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeTimeout))
}
