package langgraph

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"inlaygraph/upstream"
	"inlaygraph/upstream/internal/exchange"
	"inlaygraph/wire"
)

// Scheme begins the URL of an upstream that is a LangGraph server: langgraph+http://… or langgraph+https://….
const Scheme = "langgraph+"

// The bounds that Options leaves at zero, beside those of docs/service.md ("Limits").
const (
	DefaultMaxThreads = 20_000
	DefaultMaxEvent   = 16 << 20 // a task's start repeats all that its graph holds
	DefaultMaxHistory = 256 << 20
)

// The bounds of what else is kept, in number and in time.
const (
	keptPasts      = 64
	keptPastFor    = 10 * time.Minute
	keptTold       = 1024
	keptToldFor    = time.Hour
	keptAssistants = 1024
	keptGraphs     = 256
	assistantFresh = 30 * time.Second
	keptGraphFor   = time.Hour
	noGraphFor     = 30 * time.Second
)

// Options says where the LangGraph server is, how long to wait for it, and who may see what.
type Options struct {
	BaseURL string      // http or https, perhaps with a path, with or without Scheme before it
	Header  http.Header // sent with every request, such as an API key. No caller's token ever is

	ConnectTimeout time.Duration // one connection, its TLS handshake apart: 5 s
	ReadTimeout    time.Duration // one answer that is no stream: 10 s
	IdleTimeout    time.Duration // silence on a stream, after which it is joined again: 60 s
	MaxFrame       int           // bytes of text of one frame or row: wire.DefaultMaxRecord
	MaxEvent       int           // bytes of one event of a stream: 16 MiB
	MaxAnswer      int64         // bytes of one answer that is no stream: 64 MiB
	MaxHistory     int64         // bytes of a thread's history that are read, the newest first: 256 MiB
	// MaxThreads is how many threads' numbering is remembered: more than conversations are kept in memory. Of one that
	// is forgotten the window is loaded again. 20,000.
	MaxThreads int

	Transport http.RoundTripper // nil: one of the client's own
	Observe   upstream.Observe  // told of every request; nil: nobody is

	// Identify tells whose token it is. It is asked with every call, and must be quick. nil: everybody is one user.
	Identify func(token string) (tenant, user string, err error)
	// OpenThreads lets everybody use the threads that have no owner: those that were not begun here.
	OpenThreads bool
	// PrivateTools are the names of tools whose inputs and results are not told, beside those that a plan has so.
	PrivateTools []string
	// Plans win over those that the server's graphs make.
	Plans []*wire.Plan

	Logger *slog.Logger // nil: none
}

// Client has a LangGraph server as upstream: conversations, plans, runs, history. It is safe for concurrent use.
type Client struct {
	http    *exchange.Client
	opts    Options
	private map[string]bool
	given   map[agentVersion]*wire.PlanIndex

	pasts      *cache[string, keptPast]
	told       *cache[string, latestTold]
	assistants *cache[string, *assistant]
	graphs     *cache[agentVersion, *wire.PlanIndex]

	mu      sync.Mutex
	threads *simplelru.LRU[string, *numbers]
	floor   int64 // the greatest offset of a thread that was forgotten
	skipped map[Skip]int64
}

var (
	_ upstream.Source     = (*Client)(nil)
	_ upstream.PlanSource = (*Client)(nil)
	_ upstream.Driver     = (*Client)(nil)
	_ upstream.History    = (*Client)(nil)
)

// agentVersion is what there is one plan of.
type agentVersion struct {
	agentID string
	version int
}

// BaseURL is a LangGraph server's own URL; false when the upstream URL is no LangGraph server's.
func BaseURL(url string) (string, bool) { return strings.CutPrefix(url, Scheme) }

// New checks the options and makes a client. It connects to nothing yet: see Check.
func New(o Options) (*Client, error) {
	o.BaseURL, _ = BaseURL(o.BaseURL)
	if o.MaxFrame <= 0 {
		o.MaxFrame = wire.DefaultMaxRecord
	}
	if o.MaxEvent <= 0 {
		o.MaxEvent = DefaultMaxEvent
	}
	if o.MaxHistory <= 0 {
		o.MaxHistory = DefaultMaxHistory
	}
	if o.MaxThreads <= 0 {
		o.MaxThreads = DefaultMaxThreads
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Identify == nil {
		o.Identify = func(string) (string, string, error) { return "", "", nil }
	}
	c := &Client{
		opts: o, private: map[string]bool{}, given: map[agentVersion]*wire.PlanIndex{}, skipped: map[Skip]int64{},
		pasts:      newCache[string, keptPast](keptPasts, keptPastFor),
		told:       newCache[string, latestTold](keptTold, keptToldFor),
		assistants: newCache[string, *assistant](keptAssistants, assistantFresh),
		graphs:     newCache[agentVersion, *wire.PlanIndex](keptGraphs, keptGraphFor),
	}
	for _, tool := range o.PrivateTools {
		c.private[tool] = true
	}
	for _, plan := range o.Plans {
		index, err := wire.NewPlanIndex(plan)
		if err != nil {
			return nil, fmt.Errorf("the plan of %q %d: %w", plan.AgentID, plan.AgentVersion, err)
		}
		c.given[agentVersion{plan.AgentID, plan.AgentVersion}] = index
	}
	var err error
	if c.threads, err = simplelru.NewLRU(o.MaxThreads, c.forget); err != nil {
		return nil, err
	}
	c.http, err = exchange.New(exchange.Options{
		BaseURL: o.BaseURL, Header: o.Header, ConnectTimeout: o.ConnectTimeout, ReadTimeout: o.ReadTimeout,
		IdleTimeout: o.IdleTimeout, MaxEvent: o.MaxEvent, MaxAnswer: o.MaxAnswer, Transport: o.Transport, Observe: o.Observe, Refuse: refuse,
	})
	return c, err
}

// Close lets go of idle connections. Streams that are open stay so.
func (c *Client) Close() { c.http.Close() }

// Skipped counts, by reason, what of all streams made no frame; a copy.
func (c *Client) Skipped() map[Skip]int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := make(map[Skip]int64, len(c.skipped))
	for why, n := range c.skipped {
		all[why] = n
	}
	return all
}

// count adds what a run skipped.
func (c *Client) count(skipped map[Skip]int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for why, n := range skipped {
		c.skipped[why] += n
	}
}

// errNoBilling says that a LangGraph server bills nobody.
func errNoBilling(path []string) error {
	return &upstream.Error{Op: strings.Join(path, "/"), Kind: upstream.NotFound, Detail: upstream.ErrNone}
}

// Get answers that there is none of it: a LangGraph server has no billing.
func (c *Client) Get(_ context.Context, _ string, _ url.Values, path ...string) ([]byte, error) {
	return nil, errNoBilling(path)
}

// Post is as Get.
func (c *Client) Post(_ context.Context, _ string, _ []byte, path ...string) ([]byte, error) {
	return nil, errNoBilling(path)
}
