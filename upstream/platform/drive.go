package platform

import (
	"context"
	"io"
	"net/http"
	"strings"

	"inlaygraph/upstream"
	"inlaygraph/wire"
)

// Execute implements upstream.Driver.
func (c *Client) Execute(ctx context.Context, auth, agentID string, in *wire.ExecutionInput) (upstream.Stream, error) {
	return c.open(ctx, call{
		op: "execute", auth: auth, method: http.MethodPost,
		path: []string{"agents", agentID, "execute"}, body: in.AppendJSON(nil),
	})
}

// Retry implements upstream.Driver.
func (c *Client) Retry(ctx context.Context, auth, id string) (upstream.Stream, error) {
	return c.open(ctx, call{op: "retry", auth: auth, method: http.MethodPost, path: []string{"conversations", id, "retry"}})
}

// Cancel implements upstream.Driver. Any success will do: the answer says nothing but that.
func (c *Client) Cancel(ctx context.Context, auth, id string) error {
	timed, cancel := context.WithTimeout(ctx, c.opts.ReadTimeout)
	defer cancel()
	resp, err := c.send(timed, ctx, call{
		op: "cancel", auth: auth, method: http.MethodPost, path: []string{"conversations", id, "cancel"},
	})
	if err != nil {
		return err
	}
	// A short answer that is read lets the connection be used again; whether it breaks off is no matter.
	io.CopyN(io.Discard, resp.Body, 4<<10)
	return resp.Body.Close()
}

// Post sends a JSON body below /v1, and returns the bytes of the JSON object that any success answers. The
// segments of the path are escaped; the error names them joined by slashes.
func (c *Client) Post(ctx context.Context, auth string, body []byte, path ...string) ([]byte, error) {
	return c.object(ctx, call{op: strings.Join(path, "/"), auth: auth, method: http.MethodPost, path: path, body: body})
}
