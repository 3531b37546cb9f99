package langgraph

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"inlaygraph/upstream"
	"inlaygraph/upstream/internal/exchange"
)

// threadRecord is a thread as the server lists it.
type threadRecord struct {
	id, owner            string
	assistant, graph     string // "": nothing was run in it yet
	status               string // idle, busy, interrupted or error
	createdAt, updatedAt time.Time
	asks                 bool // interrupts wait
}

// readThread reads a thread; false when it is none.
func readThread(v jsontext.Value) (*threadRecord, bool) {
	o, ok := asObject(v)
	if !ok || o.text("thread_id") == "" {
		return nil, false
	}
	about := o.object("metadata")
	t := &threadRecord{
		id: o.text("thread_id"), owner: about.text(ownerKey), assistant: about.text("assistant_id"),
		graph: about.text("graph_id"), status: o.text("status"),
		createdAt: instant(o.text("created_at")), updatedAt: instant(o.text("updated_at")),
	}
	for _, waits := range o.object("interrupts") {
		t.asks = t.asks || len(interruptsIn(waits)) > 0
	}
	return t, true
}

// runAt is a run of a thread, and whether it can be joined from its start without taking anything from others.
type runAt struct {
	RunRecord
	joinable bool
}

func (r *runAt) inFlight() bool { return r.Status == "pending" || r.Status == "running" }

// readRun reads a run; false when it is none. What others started may tell less than we need: it can be joined only
// where it streams our modes, from the graphs inside too, and keeps what it streamed.
func readRun(v jsontext.Value) (runAt, bool) {
	record, err := ParseRun(v)
	if err != nil {
		return runAt{}, false
	}
	o, _ := asObject(v)
	kwargs := o.object("kwargs")
	var modes []string
	for _, mode := range kwargs.array("stream_mode") {
		modes = append(modes, asText(mode))
	}
	joinable := kwargs.truth("resumable") && kwargs.truth("subgraphs")
	for _, mode := range streamModes {
		joinable = joinable && slices.Contains(modes, mode)
	}
	return runAt{record, joinable}, true
}

// look is a thread as it stands at one moment.
type look struct {
	threadRecord
	op    string
	runs  []runAt // oldest first
	state *State  // nil while it was not asked for
	point string  // the newest checkpoint's id
}

// thread reads a thread that the owner of auth may use. An id that can't be one is not asked for.
func (c *Client) thread(ctx context.Context, op, auth, id string) (*threadRecord, error) {
	owner, err := c.ownerOf(op, auth)
	if err != nil {
		return nil, err
	}
	if !isUUID(id) {
		return nil, refusal(op, upstream.NotFound, "an id that no thread has")
	}
	body, err := c.http.Read(ctx, exchange.Call{Op: op, Path: []string{"threads", id}})
	if err != nil {
		return nil, err
	}
	t, ok := readThread(sound(body))
	switch {
	case !ok || t.id != id:
		return nil, errUnlike(op, errors.New("the answer is no such thread"))
	case !c.mayUse(t, owner):
		return nil, refusal(op, upstream.NotFound, "the thread of another user, or of none")
	case t.assistant == "":
		return nil, refusal(op, upstream.NotFound, "nothing was run in the thread")
	}
	return t, nil
}

// look reads a thread and its runs.
func (c *Client) look(ctx context.Context, op, auth, id string) (*look, error) {
	t, err := c.thread(ctx, op, auth, id)
	if err != nil {
		return nil, err
	}
	l := &look{threadRecord: *t, op: op}
	if l.runs, err = c.runs(ctx, op, id); err != nil {
		return nil, err
	}
	return l, nil
}

// pageOfRuns is how many runs one answer is asked for.
const pageOfRuns = 100

// runs reads all runs of a thread, oldest first. Servers list them in either order.
func (c *Client) runs(ctx context.Context, op, id string) ([]runAt, error) {
	var all []runAt
	known := map[string]bool{}
	for offset := 0; ; offset += pageOfRuns {
		body, err := c.http.Read(ctx, exchange.Call{Op: op, Path: []string{"threads", id, "runs"}, Query: url.Values{
			"limit": {strconv.Itoa(pageOfRuns)}, "offset": {strconv.Itoa(offset)},
		}})
		if err != nil {
			return nil, err
		}
		list, ok := asArray(sound(body))
		if !ok {
			return nil, errUnlike(op, errors.New("the answer is no list of runs"))
		}
		fresh := false
		for _, v := range list {
			if r, ok := readRun(v); ok && !known[r.RunID] {
				known[r.RunID], fresh = true, true
				all = append(all, r)
			}
		}
		if len(list) < pageOfRuns || !fresh {
			break
		}
	}
	slices.SortStableFunc(all, func(a, b runAt) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.RunID, b.RunID))
	})
	return all, nil
}

// current is the run in flight, nil when there is none: the one that runs, or the first that waits.
func (l *look) current() *runAt {
	var waits *runAt
	for i := range l.runs {
		switch r := &l.runs[i]; {
		case r.Status == "running":
			return r
		case r.inFlight() && waits == nil:
			waits = r
		}
	}
	return waits
}

// last is the newest run, nil when the server keeps none.
func (l *look) last() *runAt {
	if len(l.runs) == 0 {
		return nil
	}
	return &l.runs[len(l.runs)-1]
}

// before is the id of the run before another, "" when there is none.
func (l *look) before(run string) string {
	i := slices.IndexFunc(l.runs, func(r runAt) bool { return r.RunID == run })
	if i <= 0 {
		return ""
	}
	return l.runs[i-1].RunID
}

// records are the runs as the history wants them.
func (l *look) records() []RunRecord {
	records := make([]RunRecord, len(l.runs))
	for i, r := range l.runs {
		records[i] = r.RunRecord
	}
	return records
}

// readState adds the thread's state. Where the server can't make it up, as after steps whose results do not go together,
// its newest checkpoint tells. A thread of which neither can be read can't be opened.
func (c *Client) readState(ctx context.Context, l *look) error {
	body, err := c.http.Read(ctx, exchange.Call{Op: l.op, Path: []string{"threads", l.id, "state"}})
	if err == nil {
		err = l.takeState(body)
	}
	if err = unreadable(err); !errors.Is(err, upstream.NotFound) {
		return err
	}
	answer, again := c.http.Read(ctx, exchange.Call{
		Op: l.op, Method: http.MethodPost, Path: []string{"threads", l.id, "history"}, Body: []byte(`{"limit":1}`),
	})
	if again != nil {
		return unreadable(again)
	}
	if list, _ := asArray(sound(answer)); len(list) > 0 {
		return l.takeState(list[0])
	}
	return err
}

// takeState reads a state, or a checkpoint of a history, which is spelled alike.
func (l *look) takeState(body []byte) (err error) {
	if l.state, err = ParseState(body); err != nil {
		return &upstream.Error{Op: l.op, Kind: upstream.NotFound, Status: http.StatusOK, Detail: err}
	}
	o, _ := asObject(sound(body))
	l.point = o.object("checkpoint").text("checkpoint_id")
	return nil
}

// unreadable makes NotFound of a refusal that says that the server can't make sense of a thread, such as one whose
// graph is no longer there. The server itself is well: it just told of the thread.
func unreadable(err error) error {
	if e, ok := errors.AsType[*upstream.Error](err); ok && e.Kind == upstream.Refused ||
		ok && e.Status == http.StatusInternalServerError {
		return &upstream.Error{Op: e.Op, Kind: upstream.NotFound, Status: e.Status, Detail: e.Detail}
	}
	return err
}

// isUUID tells the spelling of ids that a server takes.
func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		if dash := i == 8 || i == 13 || i == 18 || i == 23; dash != (s[i] == '-') || !dash && !isHex(s[i]) {
			return false
		}
	}
	return true
}
