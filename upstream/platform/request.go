package platform

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"inlaygraph/upstream"
)

// call is one request.
type call struct {
	op, auth string
	method   string   // "": GET
	path     []string // below /v1; ids of a client among them
	query    url.Values
	body     []byte // JSON; nil: none
	after    int64  // of a stream: from the frame after this one
}

// request makes the request of a call.
func (c *Client) request(ctx context.Context, k call) (*http.Request, error) {
	target := c.base + "/v1"
	for _, segment := range k.path {
		// Escaping leaves dots alone, and a dot segment would name another place.
		if segment == "" || segment == "." || segment == ".." {
			return nil, &upstream.Error{Op: k.op, Kind: upstream.NotFound, Detail: errors.New("an id that nothing has")}
		}
		target += "/" + url.PathEscape(segment)
	}
	if len(k.query) > 0 {
		target += "?" + k.query.Encode()
	}
	var body io.Reader
	if k.body != nil {
		body = bytes.NewReader(k.body)
	}
	req, err := http.NewRequestWithContext(ctx, k.method, target, body)
	if err != nil {
		return nil, &upstream.Error{Op: k.op, Kind: upstream.Unavailable, Detail: err}
	}
	for name, values := range c.opts.Header {
		req.Header[http.CanonicalHeaderKey(name)] = values
	}
	// With such a key package http would send a POST again after it may have acted.
	req.Header.Del("Idempotency-Key")
	req.Header.Del("X-Idempotency-Key")
	if k.auth != "" {
		req.Header.Set("Authorization", "Bearer "+k.auth)
	}
	if k.body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return req, nil
}

// send does a call whose answer is no stream, and returns the answer if it is a success: 200 to a GET, any 2xx to
// a POST. The caller closes its body. timed bounds the call, ctx is the caller's own.
func (c *Client) send(timed, ctx context.Context, k call) (*http.Response, error) {
	req, err := c.request(timed, k)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json")
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, failed(ctx, k.op, err)
	}
	success := resp.StatusCode == http.StatusOK || k.method == http.MethodPost && resp.StatusCode/100 == 2
	if !success {
		defer resp.Body.Close()
		return nil, refused(k, resp)
	}
	return resp, nil
}

// read does a call whose answer is JSON, and returns its bytes as they came.
func (c *Client) read(ctx context.Context, k call) ([]byte, error) {
	body, _, err := c.receive(ctx, k)
	return body, err
}

// object does a call whose answer is one JSON object that is not looked into, and returns the object's bytes.
func (c *Client) object(ctx context.Context, k call) ([]byte, error) {
	body, status, err := c.receive(ctx, k)
	if err != nil {
		return nil, err
	}
	body = bytes.TrimSpace(bytes.TrimPrefix(body, []byte("\ufeff")))
	if !json.Valid(body) || body[0] != '{' {
		return nil, nonsense(k.op, status, errors.New("the answer is no JSON object"))
	}
	return body, nil
}

func (c *Client) receive(ctx context.Context, k call) (body []byte, status int, err error) {
	timed, cancel := context.WithTimeout(ctx, c.opts.ReadTimeout)
	defer cancel()
	resp, err := c.send(timed, ctx, k)
	if err != nil {
		return nil, 0, err
	}
	defer resp.Body.Close()
	body, err = io.ReadAll(io.LimitReader(resp.Body, c.opts.MaxAnswer+1))
	if err != nil {
		return nil, 0, failed(ctx, k.op, err)
	}
	if int64(len(body)) > c.opts.MaxAnswer {
		return nil, 0, nonsense(k.op, resp.StatusCode, fmt.Errorf("an answer of more than %d bytes", c.opts.MaxAnswer))
	}
	return body, resp.StatusCode, nil
}
