package platform

import (
	"context"
	"net/http"
	"time"

	"inlaygraph/upstream"
	"inlaygraph/upstream/internal/exchange"
	"inlaygraph/wire"
)

// The limits of docs/service.md ("Limits"), used where Options leaves one at zero.
const (
	DefaultConnectTimeout = exchange.DefaultConnectTimeout
	DefaultReadTimeout    = exchange.DefaultReadTimeout
	DefaultIdleTimeout    = exchange.DefaultIdleTimeout
	DefaultMaxAnswer      = exchange.DefaultMaxAnswer
)

// Options says where the platform is and how long to wait for it.
type Options struct {
	BaseURL string      // http or https, perhaps with a path, without query
	Header  http.Header // sent with every request; Authorization only where the caller has no token

	ConnectTimeout time.Duration // one connection, its TLS handshake apart: 5 s
	ReadTimeout    time.Duration // one answer that is no stream, from the request to its last byte: 10 s
	IdleTimeout    time.Duration // silence on a stream, before its headers too: 60 s
	MaxFrame       int           // bytes of one frame: wire.DefaultMaxRecord
	MaxAnswer      int64         // bytes of one answer that is no stream: 64 MiB

	Transport http.RoundTripper // nil: one of the client's own
	Observe   upstream.Observe  // told of every request; nil: nobody is
}

// Client is all of the seam over HTTP: conversations, plans, runs, history. Get and Post are for the endpoints
// whose objects it does not know.
type Client struct {
	http     *exchange.Client
	maxFrame int
}

var (
	_ upstream.Source     = (*Client)(nil)
	_ upstream.PlanSource = (*Client)(nil)
	_ upstream.Driver     = (*Client)(nil)
	_ upstream.History    = (*Client)(nil)
)

// New checks the options and makes a client. It connects to nothing yet.
func New(o Options) (*Client, error) {
	if o.MaxFrame <= 0 {
		o.MaxFrame = wire.DefaultMaxRecord
	}
	c, err := exchange.New(exchange.Options{
		BaseURL: o.BaseURL, Header: o.Header, ConnectTimeout: o.ConnectTimeout, ReadTimeout: o.ReadTimeout,
		IdleTimeout: o.IdleTimeout, MaxEvent: o.MaxFrame, MaxAnswer: o.MaxAnswer, Transport: o.Transport, Observe: o.Observe, Refuse: refuse,
	})
	if err != nil {
		return nil, err
	}
	return &Client{http: c, maxFrame: o.MaxFrame}, nil
}

// Reach tells whether the platform answers, to somebody without a token: a refusal is an answer.
func (c *Client) Reach(ctx context.Context) error {
	k := at("reach", "", "conversations")
	k.Query = bounds(map[string]int64{"limit": 1})
	return c.http.Reach(ctx, k)
}

// Close lets go of idle connections. Streams that are open stay so.
func (c *Client) Close() { c.http.Close() }

// at is a call of an endpoint below /v1.
func at(op, auth string, path ...string) exchange.Call {
	return exchange.Call{Op: op, Auth: auth, Path: append([]string{"v1"}, path...)}
}

// post is a call that makes something happen.
func post(op, auth string, body []byte, path ...string) exchange.Call {
	k := at(op, auth, path...)
	k.Method, k.Body = http.MethodPost, body
	return k
}

func (c *Client) decoder() wire.Decoder { return wire.Decoder{MaxRecord: c.maxFrame} }
