package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// settings are those of one run.
type settings struct {
	lasts       time.Duration
	subscribers int
	speed       float64 // of the demo
	seed        uint64
	raced       bool // the server is built with the race detector
	out         io.Writer
}

func main() {
	s := settings{out: os.Stdout}
	flag.DurationVar(&s.lasts, "for", 10*time.Minute, "how long the crowd stays")
	flag.IntVar(&s.subscribers, "subscribers", 1000, "how many subscriptions there are at a time")
	flag.Float64Var(&s.speed, "speed", 1, "how many times faster than recorded upstream plays")
	flag.Uint64Var(&s.seed, "seed", rand.Uint64(), "what chance decides by")
	flag.BoolVar(&s.raced, "race", false, "build the server with the race detector")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := s.run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

// run is one run, from the start of the server to its end.
func (s settings) run(ctx context.Context) (err error) {
	fmt.Fprintf(s.out, "soak: %d subscribers for %s, seed %d\n", s.subscribers, s.lasts, s.seed)
	r := &report{}
	up, err := newUpstream(s, r)
	if err != nil {
		return err
	}
	defer up.close()
	server, err := startServer(s, up.url)
	if err != nil {
		return err
	}
	defer server.kill()
	c := newCrowd(s, server, up, r)
	defer c.disperse()

	before, err := server.holds()
	if err != nil {
		return err
	}
	fmt.Fprintf(s.out, "soak: before the crowd: %s\n", before)
	if err := c.gather(ctx); err != nil {
		return err
	}
	began := time.Now()
	up.calm(false)
	quiets := 2 + int(s.lasts/(3*time.Minute)) // upstream stands still so often, the last time at the end
	for n := 1; n <= quiets; n++ {
		until := began.Add(s.lasts * time.Duration(n) / time.Duration(quiets))
		if err := c.watch(ctx, until); err != nil {
			return err
		}
		if err := c.quiet(ctx); err != nil {
			return err
		}
		fmt.Fprintf(s.out, "soak: %s: %s\n", time.Since(began).Round(time.Second), r)
	}
	up.calm(true)
	c.disperse()
	resets, err := server.resets(ctx)
	if err != nil {
		return err
	}
	up.http.SetKeepAlivesEnabled(false) // or else the server keeps connections to it for a minute and a half
	after, err := server.settled(ctx, before)
	if err != nil {
		return err
	}
	if err := c.faults.err(); err != nil {
		return err
	}
	if err := server.stop(); err != nil {
		return err
	}
	fmt.Fprintf(s.out, "figures: soak: %s, seed %d, %s, conversations read anew (%s), before the crowd %s, after it %s, validators silent, leaks 0\n", s.lasts, s.seed, r, resets, before, after)
	return nil
}
