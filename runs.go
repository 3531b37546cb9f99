package main

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"inlaygraph/billing"
	"inlaygraph/session"
	"inlaygraph/telemetry"
	"inlaygraph/upstream"
	"inlaygraph/upstream/langgraph"
	"inlaygraph/upstream/platform"
	"inlaygraph/wire"
)

// runs is an upstream: what reads and drives runs there, and reads what they cost.
type runs interface {
	upstream.Source
	upstream.PlanSource
	upstream.Driver
	upstream.History
	billing.Upstream
	// Reach tells whether upstream answers at all.
	Reach(ctx context.Context) error
	Close()
}

// runs reaches what --upstream names: a platform, or a LangGraph server, which must answer now.
func (c *serveCommand) runs(base string, plans []*wire.Plan, verifier *session.Verifier, o *operator, log *slog.Logger) (runs, error) {
	observer := &telemetry.Upstream{Metrics: o.metrics, Tracing: o.tracing}
	client, err := c.newRuns(base, plans, verifier, observer.Observe, log)
	if err != nil {
		return nil, err
	}
	if server, is := client.(*langgraph.Client); is {
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(c.UpstreamConnectSeconds+c.UpstreamReadSeconds)*time.Second)
		defer cancel()
		if err := server.Check(ctx); err != nil {
			client.Close()
			return nil, err
		}
	}
	return client, nil
}

// newRuns makes a client of what --upstream names, which asks nobody yet.
func (c *serveCommand) newRuns(base string, plans []*wire.Plan, verifier *session.Verifier, observe upstream.Observe, log *slog.Logger) (runs, error) {
	header := http.Header{}
	for name, value := range c.UpstreamHeader {
		header.Set(name, value)
	}
	connect := time.Duration(c.UpstreamConnectSeconds) * time.Second
	read := time.Duration(c.UpstreamReadSeconds) * time.Second
	idle := time.Duration(c.UpstreamIdleSeconds) * time.Second
	if _, is := langgraph.BaseURL(base); !is {
		client, err := platform.New(platform.Options{
			BaseURL: base, Header: header, MaxFrame: c.MaxFrameBytes,
			ConnectTimeout: connect, ReadTimeout: read, IdleTimeout: idle, Observe: observe,
		})
		if err != nil {
			return nil, err
		}
		return client, nil
	}
	client, err := langgraph.New(langgraph.Options{
		BaseURL: base, Header: header, MaxFrame: c.MaxFrameBytes,
		ConnectTimeout: connect, ReadTimeout: read, IdleTimeout: idle,
		Identify: identify(verifier), OpenThreads: c.LanggraphOpenThreads, PrivateTools: c.LanggraphPrivateTool,
		Plans: plans, Observe: observe, Logger: log,
	})
	if err != nil {
		return nil, err
	}
	return client, nil
}
