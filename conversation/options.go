package conversation

import (
	"context"
	"log/slog"
	"time"

	"inlaygraph/bus"
	"inlaygraph/projection"
	"inlaygraph/upstream"
)

// Options configure a Hub. Zero members take the defaults of docs/service.md.
type Options struct {
	// Source is where conversations come from. Without one only adopted conversations are served.
	Source upstream.Source
	// Driver is how runs are driven. Without one, whoever sends, answers, cancels or retries is told so.
	Driver upstream.Driver
	// History is where lists of conversations and backlinks come from. Without one, whoever asks is told so.
	History upstream.History
	// Plans are the plans of agents. Without any, feeds stay flat.
	Plans *upstream.Plans
	// Bus is what this server shares with others (docs/scaling.md). Without one it is alone.
	Bus *bus.Bus
	// Gather is how long after a record what a stream says is gathered for the next. Default 0: not at all.
	Gather time.Duration
	// LongLog is how many inputs a conversation's log on the bus may have before it is begun anew. Default 20,000.
	LongLog int
	// WindowRows is how many rows of the log a conversation opens with, at most MaxWindowRows. Default 500.
	WindowRows int
	// MaxWindowRows is how many rows a conversation keeps at most, and how many of the log are read for it at once.
	// Default 20,000.
	MaxWindowRows int
	// Limits bound what a conversation keeps in bytes. Defaults: 16 MiB for the texts of one row, 64 MiB for the window,
	// and 64 MiB for what is beside it.
	Limits projection.Limits
	// MaxContentBytes is how long the content of a message, or a tool's result, may be. Default 256 KiB.
	MaxContentBytes int
	// MaxLive is how many conversations may be live at once. Default 10,000.
	MaxLive int
	// MaxLivePerUser is how many of them one user may have opened. Anonymous has no such bound. Default 5,000.
	MaxLivePerUser int
	// Memory says how much memory there is, once at the start and then, if there is a limit, every MemoryPoll: by default
	// ReadMemory and 250 ms. Collect has what left it collected; default runtime.GC.
	Memory     func() Memory
	MemoryPoll time.Duration
	Collect    func()
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
	// DriveLimit is how long upstream may take to begin a run that was asked for. Default 10 s.
	DriveLimit time.Duration
	// LogPoll is how often the log is read where upstream cannot reattach to a run. Default 1 s.
	LogPoll time.Duration
	// MinBackoff and MaxBackoff bound the waits between attempts to reach upstream. Defaults 100 ms and 10 s.
	MinBackoff, MaxBackoff time.Duration
	// Carry gives to what stands for the request that something is done for: its trace and its id, and neither its end nor its
	// session. What is read for several is done for the first of them. nil: nothing is carried.
	Carry func(to, from context.Context) context.Context
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
	set(&o.DriveLimit, 10*time.Second)
	set(&o.LogPoll, time.Second)
	set(&o.MinBackoff, 100*time.Millisecond)
	set(&o.MaxBackoff, 10*time.Second)
	setInt := func(n *int, v int) {
		if *n == 0 {
			*n = v
		}
	}
	setInt(&o.MaxWindowRows, 20_000)
	setInt(&o.WindowRows, 500)
	o.WindowRows = min(o.WindowRows, o.MaxWindowRows)
	setInt(&o.MaxContentBytes, 256<<10)
	setBytes := func(n *int64, v int64) {
		if *n == 0 {
			*n = v
		}
	}
	setBytes(&o.Limits.RowBytes, 16<<20)
	setBytes(&o.Limits.WindowBytes, 64<<20)
	setBytes(&o.Limits.StateBytes, 64<<20)
	setInt(&o.MaxLive, 10_000)
	setInt(&o.LongLog, longLog)
	if o.Carry == nil {
		o.Carry = func(to, _ context.Context) context.Context { return to }
	}
	setInt(&o.MaxLivePerUser, 5_000)
	set(&o.MemoryPoll, 250*time.Millisecond)
	if o.Memory == nil {
		o.Memory = ReadMemory
	}
	if o.Collect == nil {
		o.Collect = collect
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
}
