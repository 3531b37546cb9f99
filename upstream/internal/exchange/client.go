package exchange

import (
	"errors"
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

// Options says where upstream is, how long to wait for it, and what its refusals mean.
type Options struct {
	BaseURL string      // http or https, perhaps with a path, without query
	Header  http.Header // sent with every request; Authorization only where the caller has no token

	ConnectTimeout time.Duration // one connection, its TLS handshake apart: 5 s
	ReadTimeout    time.Duration // one answer that is no stream, from the request to its last byte: 10 s
	IdleTimeout    time.Duration // silence on a stream, before its headers too: 60 s
	MaxEvent       int           // bytes of one event's data: wire.DefaultMaxRecord
	MaxAnswer      int64         // bytes of one answer that is no stream: 64 MiB

	Transport http.RoundTripper // nil: one of the client's own
	Observe   upstream.Observe  // nil: nobody is told

	// Refuse reads a status that is no success: its kind, and the detail for logs. The body is what was read of it,
	// nil when it broke off; mask takes out of a text what it repeats of the request's secrets.
	Refuse func(k Call, status int, body []byte, mask func(string) string) (upstream.Kind, error)
}

// Client makes exchanges. It is safe for concurrent use.
type Client struct {
	base string
	opts Options
	http *http.Client
}

// New checks the options and makes a client. It connects to nothing yet.
func New(o Options) (*Client, error) {
	u, err := url.Parse(o.BaseURL)
	if wrong, ok := errors.AsType[*url.Error](err); ok {
		return nil, fmt.Errorf("upstream URL: %w", wrong.Err) // the URL may hold a password
	}
	if err != nil {
		return nil, fmt.Errorf("upstream URL: %w", err)
	}
	if u.User != nil { // net/http would send them as an Authorization, where a session's token or nothing belongs
		return nil, errors.New("upstream URL: want no user or password in it: what upstream asks for goes into a header")
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
	if o.MaxEvent <= 0 {
		o.MaxEvent = wire.DefaultMaxRecord
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

// MaxAnswer is the limit of an answer that is no stream, in bytes.
func (c *Client) MaxAnswer() int64 { return c.opts.MaxAnswer }

// Close lets go of idle connections. Streams that are open stay so.
func (c *Client) Close() { c.http.CloseIdleConnections() }
