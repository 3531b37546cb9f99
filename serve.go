package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"inlaygraph/billing"
	"inlaygraph/bus"
	"inlaygraph/conversation"
	"inlaygraph/graph"
	"inlaygraph/graph/encoded"
	"inlaygraph/graph/resolvers"
	"inlaygraph/graph/scalars"
	"inlaygraph/projection"
	"inlaygraph/session"
	"inlaygraph/telemetry"
	"inlaygraph/transport"
	"inlaygraph/upstream"
	"inlaygraph/upstream/demo"
	"inlaygraph/upstream/planfile"
	"inlaygraph/upstream/recording"
)

// serveCommand is the server's configuration. Limits and timeouts are those of docs/service.md.
type serveCommand struct {
	Listen string `default:"127.0.0.1:8080" help:"Address to serve on."`

	Upstream       string            `placeholder:"URL" help:"The agent platform's base URL; langgraph+http(s)://… for a LangGraph server. Empty: the embedded demo."`
	UpstreamHeader map[string]string `placeholder:"NAME=VALUE" help:"Header to send with every upstream request; may be repeated."`

	LanggraphOpenThreads bool     `help:"Let everybody use the threads of a LangGraph server that were not begun through this one."`
	LanggraphPrivateTool []string `placeholder:"NAME" help:"Tool of a LangGraph server whose inputs and results are not told; may be repeated."`

	sessionFlags
	busFlags
	protectionFlags
	operationFlags

	Plan []string `sep:"none" placeholder:"FILE|FOLDER" help:"An agent's plan, or a folder of plans, for everyone and before upstream's; may be repeated."`

	DemoRecordings string  `type:"existingdir" placeholder:"FOLDER" help:"Let the demo play the recordings of a folder instead of its scenarios."`
	DemoSpeed      float64 `default:"1" help:"How many times faster than recorded the demo plays."`

	AllowOrigin   []string `placeholder:"ORIGIN" help:"Origin, besides the server's own, whose pages may use the API; may be repeated."`
	Introspection bool     `help:"Answer introspection outside the demo too."`
	Inspector     bool     `help:"Serve the page at / outside the demo too."`
	Playground    bool     `help:"Serve the page at / and GraphiQL at /graphiql outside the demo too."`

	WindowRows                 int           `default:"500" help:"Rows of the log that a conversation opens with."`
	MaxWindowRows              int           `default:"20000" help:"Rows of the log that a conversation keeps at most."`
	MaxWindowBytes             int64         `default:"67108864" help:"Bytes of rows, and of starts, ends and edges, that a conversation keeps."`
	MaxRowBytes                int64         `default:"16777216" help:"Bytes to which a stream may let the texts of one row grow."`
	MaxStateBytes              int64         `default:"67108864" help:"Bytes of tables, values, paths and names that a conversation keeps beside its rows."`
	MaxContentBytes            int           `default:"262144" help:"Longest message or tool result of a client, in bytes."`
	MaxConversations           int           `default:"10000" help:"Conversations in memory."`
	MaxConversationsPerUser    int           `default:"5000" help:"Conversations in memory that one user opened."`
	RowCacheBytes              int           `orzero:"" default:"67108864" help:"Bytes of encoded rows that are kept for all conversations together. 0: none."`
	EvictAfterSeconds          int           `default:"600" help:"Seconds after which a conversation that nobody asks for leaves memory."`
	MaxFrameBytes              int           `default:"1048576" help:"Longest frame or persisted row from upstream, in bytes."`
	MaxRequestBytes            int64         `default:"2097152" help:"Longest request body or WebSocket message, in bytes."`
	MaxResponseBytes           int           `default:"16777216" help:"Longest response, in bytes."`
	MaxTokens                  int           `default:"5000" help:"Tokens of a document."`
	MaxAliasesPerField         int           `default:"30" help:"Aliases of one field in a document."`
	MaxDirectives              int           `default:"50" help:"Directives in a document."`
	MaxIntrospectionDepth      int           `default:"15" help:"Levels of introspection."`
	MaxFieldsPerResponseName   int           `default:"50" help:"Fields of one response name in one selection set."`
	MaxDepth                   int           `default:"200" help:"Levels of a document, fragments expanded."`
	MaxExpandedFields          int           `default:"50000" help:"Fields of a document, fragments expanded."`
	MaxConnections             int           `default:"20000" help:"Open WebSockets and event streams."`
	MaxOperationsPerConnection int           `default:"100" help:"Operations on one WebSocket."`
	InitTimeoutSeconds         int           `default:"3" help:"Seconds to connection_init."`
	WriteTimeoutSeconds        int           `default:"10" help:"Seconds a write may stand still."`
	UpstreamConnectSeconds     int           `default:"5" help:"Seconds to connect to upstream."`
	UpstreamReadSeconds        int           `default:"10" help:"Seconds for a head or a page of rows."`
	UpstreamIdleSeconds        int           `default:"60" help:"Seconds of silence after which a stream counts as lost."`
	DriveSeconds               int           `default:"10" help:"Seconds for upstream to begin a run that a client asked for."`
	DrainSeconds               int           `default:"10" help:"Seconds for open connections to end at shutdown."`
	IdlePollSeconds            int           `default:"10" help:"Seconds between looks at a followed conversation without a run. In the demo 1."`
	LogLevel                   slog.Level    `default:"warn" help:"Least level that is logged: debug, info, warn or error."`
	ready                      func(*server) // told when the server serves; for tests
}

// Run serves until ctx ends, then drains.
func (c *serveCommand) Run(ctx context.Context, std streams) error {
	defer leadLibraryLog(c.newLogger(std))()
	s, err := c.start(std)
	if err != nil {
		return exit{exitUsage, err}
	}
	fmt.Fprintf(std.err, "Inlay GraphQL serves %s/graphql\n", s.url)
	s.introduce(std.err)
	s.doubts()
	if s.verifier != nil {
		s.verifier.Start()
	}
	if c.ready != nil {
		c.ready(s)
	}
	select {
	case <-ctx.Done():
	case err = <-s.served:
	}
	drained := s.drain(ctx, time.Duration(c.DrainDelaySeconds)*time.Second, time.Duration(c.DrainSeconds)*time.Second)
	switch {
	case errors.Is(drained, context.DeadlineExceeded):
		drained = fmt.Errorf("what was still open after %d s was cut off", c.DrainSeconds)
	case errors.Is(drained, context.Canceled):
		drained = errors.New("a second signal: what was still open was cut off")
	}
	if err = errors.Join(err, drained); err != nil {
		return exit{exitFound, err}
	}
	return nil
}

// server is everything that runs, in the order it was started.
type server struct {
	verifier *session.Verifier // nil where nobody is asked for a token
	operator *operator
	demo     *demo.Demo // nil with an upstream
	client   runs
	bus      *bus.Bus // nil without one
	hub      *conversation.Hub
	rowCache *encoded.Cache
	graphql  *transport.Handler
	gate     *session.Gate
	listener net.Listener
	url      string // of what is served
	http     *http.Server
	served   chan error
	doubts   func() // logs what is doubtful about the configuration
}

// start wires the server together, upstream first, and serves.
func (c *serveCommand) start(std streams) (s *server, err error) {
	s = &server{served: make(chan error, 2)}
	defer func() {
		if err != nil {
			ctx, cancel := context.WithTimeout(context.Background(), time.Second) // nothing is open yet
			defer cancel()
			err = errors.Join(err, s.close(ctx))
		}
	}()
	wrong, doubts := c.check()
	if len(wrong) > 0 {
		return s, errors.Join(wrong...)
	}
	log := c.newLogger(std)
	if s.verifier, err = c.sessionFlags.verifier(c.Upstream == "", log); err != nil {
		return s, err
	}
	base, poll := c.Upstream, time.Duration(c.IdlePollSeconds)*time.Second
	if base == "" {
		if s.demo, err = c.startDemo(s.verifier); err != nil {
			return s, err
		}
		base, poll = s.demo.URL(), time.Second
	}
	files, err := planfile.Load(c.Plan...)
	if err != nil {
		return s, err
	}
	if s.operator, err = c.startOperator(s, log); err != nil {
		return s, err
	}
	if s.client, err = c.runs(base, files, s.verifier, s.operator, log); err != nil {
		return s, fmt.Errorf("--upstream: %w", err)
	}
	plans, err := upstream.NewPlans(s.client, files)
	if err != nil {
		return s, err
	}
	if s.bus, err = c.busFlags.open(c.Upstream == "", log); err != nil {
		return s, err
	}
	s.hub = conversation.NewHub(conversation.Options{
		Bus: s.bus, Gather: time.Duration(c.BusGatherMS) * time.Millisecond, Source: s.client, Driver: s.client, History: s.client, Plans: plans,
		WindowRows: c.WindowRows, MaxWindowRows: c.MaxWindowRows, MaxContentBytes: c.MaxContentBytes,
		Limits:  projection.Limits{RowBytes: c.MaxRowBytes, WindowBytes: c.MaxWindowBytes, StateBytes: c.MaxStateBytes},
		MaxLive: c.MaxConversations, MaxLivePerUser: c.MaxConversationsPerUser, IdlePoll: poll, EvictAfter: time.Duration(c.EvictAfterSeconds) * time.Second,
		DriveLimit: time.Duration(c.DriveSeconds) * time.Second, Carry: telemetry.Carry, Logger: log,
	})
	root := &resolvers.Root{Hub: s.hub, Billing: billing.New(s.client)}
	s.gate = &session.Gate{Verifier: s.verifier, MaxConnections: c.MaxConnectionsPerUser, Rates: c.rates(), Logger: log}
	options := c.transportOptions(s.gate, log)
	options.Share, options.Observer = share(root), s.operator.observer(log)
	s.rowCache = encoded.NewCache(rowCacheBytes(c.RowCacheBytes, conversation.ReadMemory().Limit))
	s.graphql, err = transport.New(graph.NewCached(root, s.rowCache), options)
	if err != nil { // the numbers were checked with the command line
		return s, fmt.Errorf("--allow-origin: %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle("/graphql", s.graphql)
	mux.HandleFunc("GET /schema.graphql", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = io.WriteString(w, graph.SDL) // a client that left has nothing to be told
	})
	if err = c.pages(mux); err != nil {
		return s, err
	}
	s.operator.metrics.Read(telemetry.Sources{Hub: s.hub, Transport: s.graphql, Gate: s.gate, Rows: s.rowCache, Health: s.operator.health})
	if s.bus != nil {
		s.operator.metrics.ReadBus(s.bus, s.hub)
	}
	if c.AdminListen != "" {
		if err := s.operator.serve(c.AdminListen, c.Pprof, s.served, log); err != nil {
			return s, err
		}
	}
	if err := s.listen(c, log); err != nil {
		return s, err
	}
	s.operator.route(mux, c.AdminListen == "" && len(c.TrustedProxy) == 0 && isLoopback(s.listener.Addr().String()))
	s.http = newHTTPServer(s.operator.proxies.Front(mux), log)
	go func() { s.served <- s.http.Serve(s.listener) }()
	s.doubts = func() { warn(log, doubts) }
	return s, nil
}

// rowCacheBytes is how much the cache of rows may keep: no more than an eighth of the process's memory limit, if there is
// one, for it keeps what it has under pressure too.
func rowCacheBytes(asked int, limit int64) int {
	if limit > 0 {
		return int(min(int64(asked), limit/8))
	}
	return asked
}

func (c *serveCommand) startDemo(verifier *session.Verifier) (*demo.Demo, error) {
	opts := demo.Options{Identify: demoUser(verifier)}
	if c.DemoSpeed != 1 {
		opts.Speed = c.DemoSpeed
	}
	if c.DemoRecordings != "" {
		recordings, err := recording.Load(c.DemoRecordings, c.MaxFrameBytes)
		if err != nil {
			return nil, fmt.Errorf("--demo-recordings: %w", err)
		}
		opts.Recordings = recordings
	}
	d, err := demo.New(opts)
	if err != nil {
		return nil, err
	}
	if err := d.Start("127.0.0.1:0"); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

func (c *serveCommand) transportOptions(gate *session.Gate, log *slog.Logger) transport.Options {
	return transport.Options{
		Scalars: scalars.Checks(),
		Upgrade: gate.Upgrade, Init: gate.Init, Stream: gate.Stream, Operation: gate.Operation, Mutation: gate.Mutation,
		MaxTokens: c.MaxTokens, MaxAliasesPerField: c.MaxAliasesPerField, MaxDirectives: c.MaxDirectives,
		MaxIntrospectionDepth: c.MaxIntrospectionDepth, MaxFieldsPerResponseName: c.MaxFieldsPerResponseName,
		MaxDepth: c.MaxDepth, MaxExpandedFields: c.MaxExpandedFields,
		MaxRequestBytes: c.MaxRequestBytes, MaxResponseBytes: c.MaxResponseBytes,
		MaxConnections: c.MaxConnections, MaxOperationsPerConnection: c.MaxOperationsPerConnection,
		InitTimeout:  time.Duration(c.InitTimeoutSeconds) * time.Second,
		WriteTimeout: time.Duration(c.WriteTimeoutSeconds) * time.Second,
		AllowOrigins: c.AllowOrigin, CheckHost: gate.Verifier == nil && len(c.TrustedProxy) == 0, DisableIntrospection: !c.introspection(), Logger: log,
	}
}

// share has subscriptions of the same thing executed once.
func share(root *resolvers.Root) func(context.Context, string, map[string]any) (*transport.Seat, error) {
	return func(ctx context.Context, field string, arguments map[string]any) (*transport.Seat, error) {
		seat, err := root.Share(ctx, field, arguments)
		if seat == nil {
			return nil, err
		}
		return &transport.Seat{Key: seat.Key, Follow: func() transport.Follower { return seat.Follow() }, Leave: seat.Leave}, nil
	}
}

// introduce says what there is to look at, with an operation to paste.
func (s *server) introduce(w io.Writer) {
	if s.demo == nil {
		return
	}
	for _, note := range s.demo.Notes() {
		fmt.Fprintln(w, "demo:", note)
	}
	fmt.Fprintln(w, "The demo plays these conversations, again and again:")
	best, playing := 0, s.demo.Playing()
	for i, p := range playing {
		fmt.Fprintf(w, "  %-18s %s (agent %s, version %d)\n", p.ConversationID, p.Title, p.AgentID, p.AgentVersion)
		if len(p.Paths) > len(playing[best].Paths) {
			best = i
		}
	}
	if len(playing) == 0 || len(playing[best].Paths) == 0 {
		return
	}
	p := playing[best]
	authorization := ""
	if s.verifier != nil {
		authorization = `-H "Authorization: Bearer $TOKEN" `
	}
	fmt.Fprintf(w, "Watch one node of one of them:\n  curl -N %s-H 'Accept: text/event-stream' -H 'Content-Type: application/json' %s/graphql -d '%s'\n",
		authorization, s.url, pasteable(p.ConversationID, p.Paths[min(1, len(p.Paths)-1)]))
}

// pasteable is the body of a request that subscribes to the rows of one node.
func pasteable(conversationID string, path []string) string {
	quoted := make([]string, len(path))
	for i, segment := range path {
		quoted[i] = fmt.Sprintf("%q", segment)
	}
	query := fmt.Sprintf("subscription { rowsAt(conversationId: %q, path: [%s]) { id type ... on AssistantRow { content complete } } }",
		conversationID, strings.Join(quoted, ", "))
	return fmt.Sprintf(`{"query": %q}`, query)
}

// close stops everything, the newest first: connections are told to come back, then what feeds them ends.
func (s *server) close(ctx context.Context) error {
	var errs []error
	if s.graphql != nil {
		errs = append(errs, s.graphql.Shutdown(ctx))
	}
	if s.http != nil {
		if err := s.http.Shutdown(ctx); err != nil {
			errs = append(errs, err, s.http.Close())
		}
	} else if s.listener != nil {
		errs = append(errs, s.listener.Close())
	}
	if s.hub != nil {
		s.hub.Close()
	}
	if s.bus != nil {
		s.bus.Close()
	}
	if s.client != nil {
		s.client.Close()
	}
	if s.demo != nil {
		errs = append(errs, s.demo.Close())
	}
	if s.verifier != nil {
		s.verifier.Close()
	}
	errs = append(errs, s.operator.close(ctx))
	return errors.Join(errs...)
}
