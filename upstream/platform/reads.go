package platform

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"inlaygraph/upstream"
	"inlaygraph/upstream/internal/exchange"
	"inlaygraph/wire"
)

// Head implements upstream.Source.
func (c *Client) Head(ctx context.Context, auth, id string) (*wire.Head, error) {
	body, err := c.http.Read(ctx, at("head", auth, "conversations", id))
	if err != nil {
		return nil, err
	}
	// A head is as long as its working set; the answer's own limit holds.
	head, err := wire.Decoder{MaxRecord: int(c.http.MaxAnswer())}.Head(body)
	if err != nil {
		return nil, exchange.Nonsense("head", http.StatusOK, err)
	}
	if head.ConversationID != id {
		return nil, exchange.Nonsense("head", http.StatusOK, errors.New("the head of another conversation"))
	}
	return head, nil
}

// Rows implements upstream.Source.
func (c *Client) Rows(ctx context.Context, auth, id string, q upstream.RowsQuery) (*wire.Page, []*wire.Rejection, error) {
	query := bounds(map[string]int64{"before_seq": q.BeforeSeq, "after_seq": q.AfterSeq, "limit": int64(q.Limit)})
	if q.FromStart && q.AfterSeq == 0 {
		query.Set("after_seq", "0")
	}
	k := at("rows", auth, "conversations", id, "rows")
	k.Query = query
	body, err := c.http.Read(ctx, k)
	if err != nil {
		return nil, nil, err
	}
	page, rejected, err := c.decoder().Page(body)
	if err != nil {
		return nil, nil, exchange.Nonsense("rows", http.StatusOK, err)
	}
	return page, rejected, nil
}

// Plan implements upstream.PlanSource.
func (c *Client) Plan(ctx context.Context, auth, agentID string, version int) (*wire.Plan, error) {
	const op = "plan"
	if version < 0 {
		return nil, &upstream.Error{Op: op, Kind: upstream.NotFound, Detail: errors.New("a version that no agent has")}
	}
	body, err := c.http.Read(ctx, at(op, auth, "agents", agentID, "versions", strconv.Itoa(version)))
	if err != nil {
		return nil, err
	}
	plan, err := wire.DecodePlan(body)
	if err != nil {
		return nil, exchange.Nonsense(op, http.StatusOK, err)
	}
	if plan.AgentID != agentID || plan.AgentVersion != version {
		return nil, exchange.Nonsense(op, http.StatusOK, errors.New("the plan of another agent or version"))
	}
	return plan, nil
}

// List implements upstream.History.
func (c *Client) List(ctx context.Context, auth string, q upstream.ListQuery) (*wire.SummaryPage, error) {
	const op = "list"
	query := bounds(map[string]int64{"limit": int64(q.Limit), "offset": int64(q.Offset)})
	for name, word := range map[string]string{"agent_id": q.AgentID, "status": q.Status.String()} {
		if word != "" {
			query.Set(name, word)
		}
	}
	k := at(op, auth, "conversations")
	k.Query = query
	body, err := c.http.Read(ctx, k)
	if err != nil {
		return nil, err
	}
	page, _, err := wire.DecodeSummaries(body)
	if err != nil {
		return nil, exchange.Nonsense(op, http.StatusOK, err)
	}
	return page, nil
}

// Backlinks implements upstream.History.
func (c *Client) Backlinks(ctx context.Context, auth, id, table, rowID string) (json.RawMessage, error) {
	const op = "backlinks"
	body, err := c.http.Read(ctx, at(op, auth, "conversations", id, "tables", table, rowID, "backlinks"))
	if err != nil {
		return nil, err
	}
	links, err := wire.DecodeBacklinks(body)
	if err != nil {
		return nil, exchange.Nonsense(op, http.StatusOK, err)
	}
	return json.RawMessage(links), nil
}

// Get reads one JSON object below /v1, and returns its bytes. The segments of the path are escaped; the error
// names them joined by slashes.
func (c *Client) Get(ctx context.Context, auth string, query url.Values, path ...string) ([]byte, error) {
	k := at(strings.Join(path, "/"), auth, path...)
	k.Query = query
	return c.http.Object(ctx, k)
}

// bounds are the numbers of a query; what is 0 is left to upstream.
func bounds(numbers map[string]int64) url.Values {
	query := url.Values{}
	for name, n := range numbers {
		if n > 0 {
			query.Set(name, strconv.FormatInt(n, 10))
		}
	}
	return query
}
