package platform

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"inlaygraph/upstream"
	"inlaygraph/wire"
)

// The limits of docs/service.md ("Limits"), used where Options leaves one at zero.
const (
	DefaultConnectTimeout = 5 * time.Second
	DefaultReadTimeout    = 10 * time.Second
	DefaultIdleTimeout    = 60 * time.Second
	DefaultMaxAnswer      = 64 << 20
)

// Options says where the platform is and how long to wait for it.
type Options struct {
	BaseURL string      // http or https, perhaps with a path, without query
	Header  http.Header // sent with every request; Authorization only where the caller has no token

	ConnectTimeout time.Duration // one connection, its TLS handshake apart: 5 s
	ReadTimeout    time.Duration // one head, page or plan from the request to its last byte: 10 s
	IdleTimeout    time.Duration // silence on a stream, before its headers too: 60 s
	MaxFrame       int           // bytes of one frame: wire.DefaultMaxRecord
	MaxAnswer      int64         // bytes of one head, page or plan: 64 MiB

	Transport http.RoundTripper // nil: one of the client's own
}

// Client is an upstream.Source and upstream.PlanSource over HTTP.
type Client struct {
	base string
	opts Options
	http *http.Client
}

var (
	_ upstream.Source     = (*Client)(nil)
	_ upstream.PlanSource = (*Client)(nil)
)

// New checks the options and makes a client. It connects to nothing yet.
func New(o Options) (*Client, error) {
	u, err := url.Parse(o.BaseURL)
	if err != nil {
		return nil, fmt.Errorf("upstream URL: %w", err)
	}
	if (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("upstream URL %q: want http(s)://host[:port][/path]", u.Redacted())
	}
	if o.ConnectTimeout <= 0 {
		o.ConnectTimeout = DefaultConnectTimeout
	}
	if o.ReadTimeout <= 0 {
		o.ReadTimeout = DefaultReadTimeout
	}
	if o.IdleTimeout <= 0 {
		o.IdleTimeout = DefaultIdleTimeout
	}
	if o.MaxFrame <= 0 {
		o.MaxFrame = wire.DefaultMaxRecord
	}
	if o.MaxAnswer <= 0 {
		o.MaxAnswer = DefaultMaxAnswer
	}
	if o.Transport == nil {
		o.Transport = newTransport(o)
	}
	return &Client{
		base: strings.TrimSuffix(u.String(), "/"),
		opts: o,
		http: &http.Client{
			Transport:     o.Transport,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil
}

func newTransport(o Options) *http.Transport {
	dialer := &net.Dialer{Timeout: o.ConnectTimeout, KeepAlive: 30 * time.Second}
	return &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         dialer.DialContext,
		TLSHandshakeTimeout: o.ConnectTimeout,
		ForceAttemptHTTP2:   true,
		MaxIdleConns:        256,
		MaxIdleConnsPerHost: 64, // one host, many conversations
		IdleConnTimeout:     90 * time.Second,
	}
}

// Close lets go of idle connections. Streams that are open stay so.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Head implements upstream.Source.
func (c *Client) Head(ctx context.Context, auth, id string) (*wire.Head, error) {
	body, err := c.read(ctx, call{op: "head", auth: auth, path: []string{"conversations", id}})
	if err != nil {
		return nil, err
	}
	// A head is as long as its working set; the answer's own limit holds.
	head, err := wire.Decoder{MaxRecord: int(c.opts.MaxAnswer)}.Head(body)
	if err != nil {
		return nil, nonsense("head", err)
	}
	if head.ConversationID != id {
		return nil, nonsense("head", errors.New("the head of another conversation"))
	}
	return head, nil
}

// Rows implements upstream.Source.
func (c *Client) Rows(ctx context.Context, auth, id string, q upstream.RowsQuery) (*wire.Page, []*wire.Rejection, error) {
	query := url.Values{}
	for name, n := range map[string]int64{"before_seq": q.BeforeSeq, "after_seq": q.AfterSeq, "limit": int64(q.Limit)} {
		if n > 0 {
			query.Set(name, strconv.FormatInt(n, 10))
		}
	}
	if q.FromStart && q.AfterSeq == 0 {
		query.Set("after_seq", "0")
	}
	body, err := c.read(ctx, call{op: "rows", auth: auth, path: []string{"conversations", id, "rows"}, query: query})
	if err != nil {
		return nil, nil, err
	}
	page, rejected, err := c.decoder().Page(body)
	if err != nil {
		return nil, nil, nonsense("rows", err)
	}
	return page, rejected, nil
}

// Plan implements upstream.PlanSource.
func (c *Client) Plan(ctx context.Context, auth, agentID string, version int) (*wire.Plan, error) {
	const op = "plan"
	if version < 0 {
		return nil, &upstream.Error{Op: op, Kind: upstream.NotFound, Detail: errors.New("a version that no agent has")}
	}
	body, err := c.read(ctx, call{op: op, auth: auth, path: []string{"agents", agentID, "versions", strconv.Itoa(version)}})
	if err != nil {
		return nil, err
	}
	plan, err := wire.DecodePlan(body)
	if err != nil {
		return nil, nonsense(op, err)
	}
	if plan.AgentID != agentID || plan.AgentVersion != version {
		return nil, nonsense(op, errors.New("the plan of another agent or version"))
	}
	return plan, nil
}

// decoder decodes frames and rows, to which the frame limit applies.
func (c *Client) decoder() wire.Decoder { return wire.Decoder{MaxRecord: c.opts.MaxFrame} }

// call is one request.
type call struct {
	op, auth string
	path     []string // below /v1; ids of a client among them
	query    url.Values
}

// request makes the GET of a call.
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
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, target, nil)
	if err != nil {
		return nil, &upstream.Error{Op: k.op, Kind: upstream.Unavailable, Detail: err}
	}
	for name, values := range c.opts.Header {
		req.Header[http.CanonicalHeaderKey(name)] = values
	}
	if k.auth != "" {
		req.Header.Set("Authorization", "Bearer "+k.auth)
	}
	return req, nil
}

// read does a call whose answer is one JSON object, and returns that object's bytes.
func (c *Client) read(ctx context.Context, k call) ([]byte, error) {
	timed, cancel := context.WithTimeout(ctx, c.opts.ReadTimeout)
	defer cancel()
	req, err := c.request(timed, k)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json")
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, failed(ctx, k.op, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, refused(k.op, resp)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, c.opts.MaxAnswer+1))
	if err != nil {
		return nil, failed(ctx, k.op, err)
	}
	if int64(len(body)) > c.opts.MaxAnswer {
		return nil, nonsense(k.op, fmt.Errorf("an answer of more than %d bytes", c.opts.MaxAnswer))
	}
	return body, nil
}
