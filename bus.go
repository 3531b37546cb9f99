package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"inlaygraph/bus"
)

// busFlags say what is shared with other servers (docs/scaling.md).
type busFlags struct {
	Bus             string `placeholder:"URL" help:"NATS with JetStream, to share conversations with other servers: nats://… or tls://…, several with commas. embedded: inside this process, to keep conversations across restarts. Empty: in memory, alone."`
	BusOptional     bool   `help:"Serve though the bus is not there yet; conversations wait for it."`
	BusDir          string `placeholder:"FOLDER" help:"Where the embedded bus keeps its files."`
	BusCredentials  string `type:"existingfile" placeholder:"FILE" help:"NATS credentials."`
	BusCA           string `name:"bus-ca" type:"existingfile" placeholder:"FILE" help:"Certificates to trust the bus by, beside the system's."`
	BusCert         string `type:"existingfile" placeholder:"FILE" help:"Client certificate for the bus."`
	BusKey          string `type:"existingfile" placeholder:"FILE" help:"Key of the client certificate."`
	BusReplicas     int    `default:"1" help:"NATS servers that keep each record: 1, 3 or 5."`
	BusMaxAgeHours  int    `default:"24" help:"Hours that the bus keeps a record."`
	BusMaxMegabytes int64  `default:"4096" help:"Megabytes that the bus keeps; beyond, the oldest records go."`
	BusGatherMS     int    `name:"bus-gather-ms" default:"16" orzero:"" help:"Milliseconds between two records of one conversation while text streams: what comes in between is one record, and one message to each subscriber. 0: every frame at once."`
	BusLeaseSeconds int    `default:"5" help:"Seconds without a sign after which another server's readings are taken over."`
}

// maxGatherMS keeps text flowing.
const maxGatherMS = 1000

// options are what the flags ask for; false without a bus. With the demo, which begins anew with every process, what is on
// the bus is of this process alone.
func (f *busFlags) options(demo bool, log *slog.Logger) (opts bus.Options, asked bool, err error) {
	if f.Bus == "" {
		if f.BusOptional || f.BusDir != "" || f.BusCredentials != "" || f.BusCA != "" || f.BusCert != "" || f.BusKey != "" {
			return opts, false, errors.New("--bus-optional, --bus-dir, --bus-credentials and --bus-ca, -cert and -key are for a --bus")
		}
		return opts, false, nil
	}
	opts = bus.Options{
		URL: f.Bus, Dir: f.BusDir, Credentials: f.BusCredentials, CA: f.BusCA, Cert: f.BusCert, Key: f.BusKey, Optional: f.BusOptional,
		Replicas: f.BusReplicas, MaxAge: time.Duration(f.BusMaxAgeHours) * time.Hour, MaxBytes: f.BusMaxMegabytes << 20,
		Lease: time.Duration(f.BusLeaseSeconds) * time.Second, Logger: log,
	}
	if demo {
		if f.Bus != bus.Embedded {
			return opts, true, errors.New("--bus: every server has a demo of its own, and no other could take it over: give an --upstream")
		}
		opts.Scope = rand.Text()
	}
	if f.BusGatherMS > maxGatherMS {
		return opts, true, fmt.Errorf("--bus-gather-ms: take %d or less", maxGatherMS)
	}
	if err := opts.Check(); err != nil {
		return opts, true, f.named(err)
	}
	return opts, true, nil
}

// named says which flag an error of the bus is about.
func (f *busFlags) named(err error) error {
	switch {
	case !errors.Is(err, bus.ErrNotLetIn) && !errors.Is(err, bus.ErrNotAllowed):
		return fmt.Errorf("--bus: %w", err)
	case f.BusCredentials != "":
		return fmt.Errorf("--bus-credentials: %w", err)
	case f.BusCert != "":
		return fmt.Errorf("--bus-cert: %w", err)
	}
	return fmt.Errorf("--bus: %w (there are no --bus-credentials)", err)
}

// open joins the bus, nil without one.
func (f *busFlags) open(demo bool, log *slog.Logger) (*bus.Bus, error) {
	opts, asked, err := f.options(demo, log)
	if err != nil || !asked {
		return nil, err
	}
	b, err := bus.Open(context.Background(), opts)
	if err != nil {
		return nil, f.named(err)
	}
	return b, nil
}

// checkBus says what is wrong with the flags of the bus, without joining it.
func (c *serveCommand) checkBus(f *faults) {
	if _, _, err := c.busFlags.options(c.Upstream == "", slog.New(slog.DiscardHandler)); err != nil {
		f.refuse("%w", err)
	}
}
