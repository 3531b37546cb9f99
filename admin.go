package main

import (
	"context"
	"errors"
	"fmt"
	stdlog "log"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"net/netip"
	"os"
	"time"

	"inlaygraph/session"
	"inlaygraph/telemetry"
	"inlaygraph/transport"
)

// operationFlags are for whoever runs the server (docs/operations.md).
type operationFlags struct {
	AdminListen       string   `placeholder:"ADDRESS" help:"Address for /metrics, /healthz and /readyz. Without it /metrics is on the main address if that is loopback and no proxy is trusted, else nowhere."`
	Pprof             bool     `help:"Serve Go's profiles at /debug/pprof/ of --admin-listen."`
	TLSCert           string   `name:"tls-cert" placeholder:"FILE" help:"Serve TLS with this certificate, PEM, with its chain. A file that changes is read again."`
	TLSKey            string   `name:"tls-key" placeholder:"FILE" help:"The certificate's private key, PEM."`
	TrustedProxy      []string `placeholder:"CIDR" help:"Proxy whose X-Forwarded-For, -Host and -Proto, X-Request-Id and traceparent are believed; may be repeated."`
	TraceRatio        float64  `default:"1" orzero:"" help:"Part of the operations without a traced parent that is traced, 0 to 1. Tracing is on when OTEL_EXPORTER_OTLP_ENDPOINT is set."`
	DrainDelaySeconds int      `default:"0" orzero:"" help:"Seconds between not being ready and beginning to close connections, for load balancers to notice."`
}

// operator is what lets whoever runs the server see inside.
type operator struct {
	metrics *telemetry.Metrics
	health  *telemetry.Health
	tracing *telemetry.Tracing
	proxies telemetry.Proxies

	listener net.Listener // nil without --admin-listen
	http     *http.Server
}

// newLogger is the log: JSON lines with the ids of their request and whose session it is.
func (c *serveCommand) newLogger(std streams) *slog.Logger {
	lines := slog.NewJSONHandler(std.err, &slog.HandlerOptions{Level: c.LogLevel})
	return slog.New(session.LogHandler(telemetry.LogHandler(lines)))
}

// leadLibraryLog has libraries that know Go's own log alone, net/http's client among them, write to log until back is called.
func leadLibraryLog(log *slog.Logger) (back func()) {
	flags := stdlog.Flags()
	stdlog.SetFlags(0)
	stdlog.SetOutput(telemetry.LibraryLog(log))
	return func() {
		stdlog.SetOutput(os.Stderr)
		stdlog.SetFlags(flags)
	}
}

// startOperator makes what others count with and trace by. The server is not ready before it has an upstream.
func (c *serveCommand) startOperator(s *server, log *slog.Logger) (o *operator, err error) {
	checks := s.checks()
	if c.Bus != "" {
		checks = append(checks, telemetry.Check{Name: "bus", Ask: func(context.Context) error { return s.bus.Ready() }})
	}
	o = &operator{metrics: telemetry.NewMetrics(), health: telemetry.NewHealth(checks...)}
	if o.proxies, err = telemetry.ParseProxies(c.TrustedProxy); err != nil {
		return o, fmt.Errorf("--trusted-proxy: %w", err)
	}
	if o.tracing, err = telemetry.NewTracing(context.Background(), c.TraceRatio, log); err != nil {
		return o, err
	}
	return o, nil
}

// checks are what the server needs to be ready.
func (s *server) checks() []telemetry.Check {
	checks := []telemetry.Check{{Name: "upstream", Ask: func(ctx context.Context) error { return s.client.Reach(ctx) }}}
	if s.verifier != nil {
		checks = append(checks, telemetry.Check{Name: "keys", Ask: func(context.Context) error { return s.verifier.Usable() }})
	}
	return checks
}

// observer is told of operations.
func (o *operator) observer(log *slog.Logger) *telemetry.Operations {
	return &telemetry.Operations{Metrics: o.metrics, Tracer: o.tracing.Tracer(), Logger: log}
}

// listen begins to listen on the main address, with TLS where there is a certificate.
func (s *server) listen(c *serveCommand, log *slog.Logger) (err error) {
	if s.listener, err = net.Listen("tcp", c.Listen); err != nil {
		return fmt.Errorf("--listen: %w", err)
	}
	s.listener = transport.Listener(s.listener) // below TLS
	s.url = "http://" + s.listener.Addr().String()
	if c.TLSCert == "" {
		return nil
	}
	pair, err := newKeyPair(c.TLSCert, c.TLSKey, log)
	if err != nil {
		return fmt.Errorf("--tls-cert, --tls-key: %w", err)
	}
	s.listener, s.url = pair.listen(s.listener), "https://"+s.listener.Addr().String()
	return nil
}

// route adds what an operator asks the main listener for. Metrics are not among it where a proxy on the same machine would
// show them to everybody.
func (o *operator) route(mux *http.ServeMux, metrics bool) {
	mux.HandleFunc("GET /healthz", o.health.Up)
	mux.HandleFunc("GET /readyz", o.health.Ready)
	if metrics {
		mux.Handle("GET /metrics", o.metrics.Handler())
	}
}

// serve serves the admin listener, until close.
func (o *operator) serve(address string, profiles bool, served chan<- error, log *slog.Logger) (err error) {
	if o.listener, err = net.Listen("tcp", address); err != nil {
		return fmt.Errorf("--admin-listen: %w", err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", o.health.Up)
	mux.HandleFunc("GET /readyz", o.health.Ready)
	mux.Handle("GET /metrics", o.metrics.Handler())
	if profiles {
		mux.HandleFunc("/debug/pprof/", pprof.Index)
		mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
		mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
		mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
		mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	}
	o.http = newHTTPServer(mux, log)
	go func() { served <- o.http.Serve(o.listener) }()
	return nil
}

// close ends the admin listener, which answers until the end, and sends the traces that are left.
func (o *operator) close(ctx context.Context) error {
	if o == nil {
		return nil
	}
	err := o.tracing.Close(ctx)
	if o.http != nil {
		err = errors.Join(err, o.http.Close())
	} else if o.listener != nil {
		err = errors.Join(err, o.listener.Close())
	}
	return err
}

func newHTTPServer(handler http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler: handler, ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: maxHeaderBytes, IdleTimeout: 2 * time.Minute,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelInfo),
	}
}

// isLoopback tells whether what is listened on can be reached from this machine alone.
func isLoopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	if host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}
