package platform

import (
	"context"
	"strings"

	"inlaygraph/upstream"
	"inlaygraph/wire"
)

// Execute implements upstream.Driver.
func (c *Client) Execute(ctx context.Context, auth, agentID string, in *wire.ExecutionInput) (upstream.Stream, error) {
	return c.open(ctx, post("execute", auth, in.AppendJSON(nil), "agents", agentID, "execute"))
}

// Retry implements upstream.Driver.
func (c *Client) Retry(ctx context.Context, auth, id string) (upstream.Stream, error) {
	return c.open(ctx, post("retry", auth, nil, "conversations", id, "retry"))
}

// Cancel implements upstream.Driver. Any success will do: the answer says nothing but that.
func (c *Client) Cancel(ctx context.Context, auth, id string) error {
	return c.http.Do(ctx, post("cancel", auth, nil, "conversations", id, "cancel"))
}

// Post sends a JSON body below /v1, and returns the bytes of the JSON object that any success answers. The
// segments of the path are escaped; the error names them joined by slashes.
func (c *Client) Post(ctx context.Context, auth string, body []byte, path ...string) ([]byte, error) {
	return c.http.Object(ctx, post(strings.Join(path, "/"), auth, body, path...))
}
