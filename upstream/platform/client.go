package platform

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
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
	ReadTimeout    time.Duration // one answer that is no stream, from the request to its last byte: 10 s
	IdleTimeout    time.Duration // silence on a stream, before its headers too: 60 s
	MaxFrame       int           // bytes of one frame: wire.DefaultMaxRecord
	MaxAnswer      int64         // bytes of one answer that is no stream: 64 MiB

	Transport http.RoundTripper // nil: one of the client's own
}

// Client is all of the seam over HTTP: conversations, plans, runs, history. Get and Post are for the endpoints
// whose objects it does not know.
type Client struct {
	base string
	opts Options
	http *http.Client
}

var (
	_ upstream.Source     = (*Client)(nil)
	_ upstream.PlanSource = (*Client)(nil)
	_ upstream.Driver     = (*Client)(nil)
	_ upstream.History    = (*Client)(nil)
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

// decoder decodes frames and rows, to which the frame limit applies.
func (c *Client) decoder() wire.Decoder { return wire.Decoder{MaxRecord: c.opts.MaxFrame} }
