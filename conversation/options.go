package conversation

import (
	"log/slog"
	"time"

	"inlaygraph/upstream"
)

// Options configure a Hub. Zero members take the defaults of docs/service.md.
type Options struct {
	// Source is where conversations come from. Without one only adopted conversations are served.
	Source upstream.Source
	// Plans are the plans of agents. Without any, feeds stay flat.
	Plans *upstream.Plans
	// WindowRows is how many rows of the log a conversation opens with. Default 500.
	WindowRows int
	// MaxLive is how many conversations may be live at once. Default 10,000.
	MaxLive int
	// IdlePoll is how often the head of a followed conversation without a run is read. Default 10 s.
	IdlePoll time.Duration
	// HeadFresh is how old a head may be when a conversation that nobody follows is queried. Default 2 s.
	HeadFresh time.Duration
	// Linger is how long a stream is read on after the last time somebody asked for its conversation. Default 30 s.
	Linger time.Duration
	// EvictAfter is how long a conversation that nobody asks for stays in memory. Default 10 min.
	EvictAfter time.Duration
	// AwayLimit is how long upstream may be away before subscriptions end. Default 5 min.
	AwayLimit time.Duration
	// LogPoll is how often the log is read where upstream cannot reattach to a run. Default 1 s.
	LogPoll time.Duration
	// MinBackoff and MaxBackoff bound the waits between attempts to reach upstream. Defaults 100 ms and 10 s.
	MinBackoff, MaxBackoff time.Duration
	// Logger gets what the reader counts and why it reloads, never content. Default: discard.
	Logger *slog.Logger
}

func (o *Options) defaults() {
	set := func(d *time.Duration, v time.Duration) {
		if *d == 0 {
			*d = v
		}
	}
	set(&o.IdlePoll, 10*time.Second)
	set(&o.HeadFresh, 2*time.Second)
	set(&o.Linger, 30*time.Second)
	set(&o.EvictAfter, 10*time.Minute)
	set(&o.AwayLimit, 5*time.Minute)
	set(&o.LogPoll, time.Second)
	set(&o.MinBackoff, 100*time.Millisecond)
	set(&o.MaxBackoff, 10*time.Second)
	if o.WindowRows == 0 {
		o.WindowRows = 500
	}
	if o.MaxLive == 0 {
		o.MaxLive = 10_000
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
}
