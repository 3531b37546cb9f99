package langgraph

import (
	"context"
	"errors"
	"net/http"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"inlaygraph/upstream"
	"inlaygraph/upstream/internal/exchange"
	"inlaygraph/wire"
)

// The sizes of a list.
const (
	defaultList = 50
	maxList     = 500
	pageOfList  = 100
	maxListed   = 20_000 // threads that are looked through for one answer
)

// threadStatus are the server's words for ours, where one can be asked for by the other. A thread that rests is idle
// however its latest run ended, if it did not fail.
var threadStatus = map[wire.Status]string{
	wire.Running: "busy", wire.Failed: "error", wire.Paused: "", wire.AwaitingClientTool: "interrupted",
}

// searchRequest is the body of POST /threads/search.
type searchRequest struct {
	Metadata  map[string]string `json:"metadata,omitzero"`
	IDs       []string          `json:"ids,omitzero"`
	Status    string            `json:"status,omitzero"`
	Limit     int               `json:"limit"`
	Offset    int               `json:"offset"`
	SortBy    string            `json:"sort_by"`
	SortOrder string            `json:"sort_order"`
	Select    []string          `json:"select"`
}

// List implements upstream.History: the threads of the caller, those where something happened last first. A thread in
// which nothing was run is none.
func (c *Client) List(ctx context.Context, auth string, q upstream.ListQuery) (*wire.SummaryPage, error) {
	const op = "list"
	owner, err := c.ownerOf(op, auth)
	if err != nil {
		return nil, err
	}
	page := &wire.SummaryPage{Items: []*wire.Summary{}}
	status, known := threadStatus[q.Status]
	if q.Status != 0 && !known {
		return page, nil // no thread is listed so
	}
	search := searchRequest{
		Status: status, Limit: pageOfList, SortBy: "updated_at", SortOrder: "desc", Metadata: map[string]string{},
		Select: []string{"thread_id", "created_at", "updated_at", "metadata", "status", "interrupts"},
	}
	if !c.opts.OpenThreads {
		search.Metadata[ownerKey] = owner
	}
	if q.AgentID != "" {
		a, err := c.assistant(ctx, op, q.AgentID)
		switch {
		case errors.Is(err, upstream.NotFound):
			return page, nil
		case err != nil:
			return nil, err
		}
		search.Metadata["assistant_id"] = a.id
	}
	limit := q.Limit
	if limit <= 0 {
		limit = defaultList
	}
	limit = min(limit, maxList)
	found, more, err := c.search(ctx, op, search, q.Offset, limit, func(t *threadRecord) bool {
		return c.mayUse(t, owner) && t.assistant != "" && (q.Status == 0 || listedStatus(t) == q.Status)
	})
	if err != nil {
		return nil, err
	}
	page.HasMore = more
	titles, err := c.titles(ctx, op, found)
	if err != nil {
		return nil, err
	}
	for _, t := range found {
		page.Items = append(page.Items, c.summary(ctx, op, t, titles[t.id]))
	}
	return page, ctx.Err()
}

// search finds the threads that are wanted, after passing over some. Which they are the server can't tell alone: its
// filters let threads through that have no metadata, and it lists those in which nothing was run.
func (c *Client) search(
	ctx context.Context, op string, r searchRequest, skip, limit int, wanted func(*threadRecord) bool,
) (found []*threadRecord, more bool, err error) {
	for ; r.Offset < maxListed; r.Offset += r.Limit {
		list, err := c.searchPage(ctx, op, r)
		if err != nil {
			return nil, false, err
		}
		for _, v := range list {
			t, ok := readThread(v)
			switch {
			case !ok || !wanted(t):
			case skip > 0:
				skip--
			case len(found) == limit:
				return found, true, nil
			default:
				found = append(found, t)
			}
		}
		if len(list) < r.Limit {
			break
		}
	}
	return found, false, nil
}

// titles are the first words of the users of threads, of those whose state the list tells.
func (c *Client) titles(ctx context.Context, op string, threads []*threadRecord) (map[string]string, error) {
	titles := map[string]string{}
	const portion = 25 // a thread's values are all that it holds
	for len(threads) > 0 {
		n := min(portion, len(threads))
		r := searchRequest{Limit: n, SortBy: "updated_at", SortOrder: "desc", Select: []string{"thread_id", "values"}}
		for _, t := range threads[:n] {
			r.IDs = append(r.IDs, t.id)
		}
		threads = threads[n:]
		list, err := c.searchPage(ctx, op, r)
		if err != nil {
			return nil, err
		}
		for _, v := range list {
			o, _ := asObject(v)
			for _, m := range messagesIn(o["values"]) {
				if m.role == roleHuman {
					titles[o.text("thread_id")] = clipped(m.text())
					break
				}
			}
		}
	}
	return titles, nil
}

func (c *Client) searchPage(ctx context.Context, op string, r searchRequest) ([]jsontext.Value, error) {
	body, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	answer, err := c.http.Read(ctx, exchange.Call{
		Op: op, Method: http.MethodPost, Path: []string{"threads", "search"}, Body: body,
	})
	if err != nil {
		return nil, err
	}
	list, ok := asArray(sound(answer))
	if !ok {
		return nil, errUnlike(op, errors.New("the answer is no list of threads"))
	}
	return list, nil
}

// summary is a thread as it is listed. What is not known of its assistant is absent.
func (c *Client) summary(ctx context.Context, op string, t *threadRecord, title string) *wire.Summary {
	s := &wire.Summary{
		ConversationID: t.id, AgentID: agentID(t.assistant, t.graph), Title: title, Status: listedStatus(t),
		CreatedAt: t.createdAt, UpdatedAt: t.updatedAt,
	}
	if a, err := c.assistant(ctx, op, t.assistant); err == nil {
		s.AgentVersion = &a.version
	}
	return s
}

// listedStatus is how a thread stands as far as the list tells: of one whose run was cancelled it does not.
func listedStatus(t *threadRecord) wire.Status {
	switch t.status {
	case "busy":
		return wire.Running
	case "error":
		return wire.Failed
	case "interrupted":
		if t.asks {
			return wire.AwaitingClientTool
		}
		return wire.Paused
	case "idle":
		return wire.Paused
	}
	return 0
}
