package exchange

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/textproto"
	"net/url"
	"strings"
	"time"

	"inlaygraph/upstream"
)

// Call is one request.
type Call struct {
	Op          string // what is asked, for errors
	Auth        string // the caller's token; "": none
	Method      string // "": GET
	Path        []string
	Query       url.Values
	Body        []byte // JSON; nil: none
	LastEventID string // of a stream: from the event after this one; "": not said
}

// request makes the request of a call.
func (c *Client) request(ctx context.Context, k Call) (*http.Request, error) {
	target := c.base
	for _, segment := range k.Path {
		// Escaping leaves dots alone, and a dot segment would name another place.
		if segment == "" || segment == "." || segment == ".." {
			return nil, &upstream.Error{Op: k.Op, Kind: upstream.NotFound, Detail: errors.New("an id that nothing has")}
		}
		target += "/" + url.PathEscape(segment)
	}
	if len(k.Query) > 0 {
		target += "?" + k.Query.Encode()
	}
	var body io.Reader
	if k.Body != nil {
		body = bytes.NewReader(k.Body)
	}
	req, err := http.NewRequestWithContext(ctx, k.Method, target, body)
	if err != nil {
		return nil, &upstream.Error{Op: k.Op, Kind: upstream.Unavailable, Detail: err}
	}
	for name, values := range c.opts.Header {
		req.Header[http.CanonicalHeaderKey(name)] = values
	}
	// With such a key package http would send a POST again after it may have acted.
	req.Header.Del("Idempotency-Key")
	req.Header.Del("X-Idempotency-Key")
	if k.Auth != "" {
		req.Header.Set("Authorization", "Bearer "+k.Auth)
	}
	if k.Body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return req, nil
}

// Send does a call whose answer is no stream, and returns the answer if it is a success: 200 to a GET, any 2xx to
// another method. The caller closes its body. timed bounds the call, ctx is the caller's own.
func (c *Client) Send(timed, ctx context.Context, k Call) (*http.Response, error) {
	req, err := c.request(timed, k)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json")
	resp, err := c.do(req, k.Op)
	if err != nil {
		return nil, failed(ctx, k.Op, err)
	}
	success := resp.StatusCode == http.StatusOK || req.Method != http.MethodGet && resp.StatusCode/100 == 2
	if !success {
		defer resp.Body.Close()
		return nil, c.refused(k, resp)
	}
	return resp, nil
}

// do makes a request, and tells who observes it.
func (c *Client) do(req *http.Request, op string) (*http.Response, error) {
	if c.opts.Observe == nil {
		return c.http.Do(req)
	}
	answered := c.opts.Observe(req.Context(), op, req.Header)
	resp, err := c.http.Do(req)
	status := 0
	if err == nil {
		status = resp.StatusCode
	}
	answered(status)
	return resp, err
}

// Reach does a call to see whether upstream answers at all: with any status but those of a server that is in trouble.
func (c *Client) Reach(ctx context.Context, k Call) error {
	timed, cancel := context.WithTimeout(ctx, c.opts.ReadTimeout)
	defer cancel()
	req, err := c.request(timed, k)
	if err != nil {
		return err
	}
	resp, err := c.do(req, k.Op)
	if err != nil {
		return failed(ctx, k.Op, err)
	}
	defer resp.Body.Close()
	io.CopyN(io.Discard, resp.Body, 4<<10)
	if resp.StatusCode >= http.StatusInternalServerError {
		return &upstream.Error{Op: k.Op, Kind: upstream.Unavailable, Status: resp.StatusCode}
	}
	return nil
}

// Do does a call of whose answer only the success counts.
func (c *Client) Do(ctx context.Context, k Call) error {
	timed, cancel := context.WithTimeout(ctx, c.opts.ReadTimeout)
	defer cancel()
	resp, err := c.Send(timed, ctx, k)
	if err != nil {
		return err
	}
	// A short answer that is read lets the connection be used again; whether it breaks off is no matter.
	io.CopyN(io.Discard, resp.Body, 4<<10)
	return resp.Body.Close()
}

// Read does a call whose answer is JSON, and returns its bytes as they came.
func (c *Client) Read(ctx context.Context, k Call) ([]byte, error) {
	body, _, err := c.receive(ctx, k)
	return body, err
}

// Object does a call whose answer is one JSON object that is not looked into, and returns the object's bytes.
func (c *Client) Object(ctx context.Context, k Call) ([]byte, error) {
	body, status, err := c.receive(ctx, k)
	if err != nil {
		return nil, err
	}
	body = bytes.TrimSpace(bytes.TrimPrefix(body, []byte("\ufeff")))
	if !json.Valid(body) || body[0] != '{' {
		return nil, Nonsense(k.Op, status, errors.New("the answer is no JSON object"))
	}
	return body, nil
}

func (c *Client) receive(ctx context.Context, k Call) (body []byte, status int, err error) {
	timed, cancel := context.WithTimeout(ctx, c.opts.ReadTimeout)
	defer cancel()
	resp, err := c.Send(timed, ctx, k)
	if err != nil {
		return nil, 0, err
	}
	defer resp.Body.Close()
	body, err = io.ReadAll(io.LimitReader(resp.Body, c.opts.MaxAnswer+1))
	if err != nil {
		return nil, 0, failed(ctx, k.Op, err)
	}
	if int64(len(body)) > c.opts.MaxAnswer {
		return nil, 0, Nonsense(k.Op, resp.StatusCode, fmt.Errorf("an answer of more than %d bytes", c.opts.MaxAnswer))
	}
	return body, resp.StatusCode, nil
}

// failed is a call that got no answer. When the caller gave up, that is the caller's own error.
func failed(ctx context.Context, op string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return &upstream.Error{Op: op, Kind: upstream.Unavailable, Detail: unquoted(err)}
}

// unquoted is err, or what it says up to where it repeats what upstream sent: net/http does so of what is not HTTP.
func unquoted(err error) error {
	reason := err
	if asked, ok := errors.AsType[*url.Error](err); ok { // which quotes the URL, and that is ours
		reason = asked.Err
	}
	if _, repeated := errors.AsType[textproto.ProtocolError](reason); repeated {
		return errors.New("the answer is not HTTP")
	}
	text, _, repeated := strings.Cut(reason.Error(), `"`)
	if !repeated {
		return err
	}
	return errors.New(strings.TrimSpace(text))
}

// Nonsense is an answer that does not say what it should.
func Nonsense(op string, status int, why error) error {
	return &upstream.Error{Op: op, Kind: upstream.Unavailable, Status: status, Detail: why}
}

// refused reads the meaning of a status that is no success.
func (c *Client) refused(k Call, resp *http.Response) error {
	body, broken := io.ReadAll(io.LimitReader(resp.Body, 16<<10))
	if broken != nil {
		body = nil
	}
	e := &upstream.Error{Op: k.Op, Status: resp.StatusCode}
	e.Kind, e.Detail = c.opts.Refuse(k, resp.StatusCode, body, c.masker(resp.Request))
	if broken != nil {
		e.Detail = fmt.Errorf("the refusal broke off: %w", unquoted(broken))
	}
	if resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode == http.StatusServiceUnavailable {
		e.RetryAfter, e.HasRetryAfter = retryAfter(resp.Header.Get("Retry-After"), time.Now())
	}
	return e
}
