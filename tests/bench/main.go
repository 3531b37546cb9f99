package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"inlaygraph/tests/bench/bare"
	"inlaygraph/tests/bench/probe"
)

// smoke is the scale that only shows that everything works.
const smoke = "smoke"

// scale is how much is measured.
type scale struct {
	name     string
	rounds   int
	few      int           // viewers, where an operation has not many
	viewers  int           // and where it has
	work     int           // deliveries of an arm in a round
	slowWork int           // of stock gqlgen and of yoga, which need a hundred times as long
	pause    time.Duration // before what is to have come to rest
	latency  time.Duration // how long latencies are looked at in a round
	timed    int           // rounds of that
	idle     []int         // subscriptions that wait
	tokens   int           // of the long answer
	rows     int           // of the large conversation
}

var scales = []scale{
	{name: "full", rounds: 3, few: 100, viewers: 1000, work: 60_000, slowWork: 4000, pause: time.Second, latency: 8 * time.Second, timed: 5, idle: []int{1000, 10_000}, tokens: 4000, rows: 10_000},
	{name: "quick", rounds: 3, few: 100, viewers: 300, work: 9000, slowWork: 900, pause: time.Second, latency: 2 * time.Second, timed: 1, idle: []int{1000}, tokens: 500, rows: 10_000},
	{name: smoke, rounds: 1, few: 5, viewers: 10, work: 40, slowWork: 40, pause: 50 * time.Millisecond, latency: 200 * time.Millisecond, timed: 1, idle: []int{20}, tokens: 20, rows: 500},
}

// work is a row of the table.
type work struct {
	name string
	run  func(*bench) error
}

var rows = []work{
	{"snapshots", snapshots},
	{"documents", documents},
	{"patches", patches},
	{"answer", answer},
	{"branches", branches},
	{"latency", latency},
	{"idle", idle},
	{"memory", memory},
	{"stalled", stalled},
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func usage() error {
	var names []string
	for _, r := range rows {
		names = append(names, r.name)
	}
	return fmt.Errorf("usage: bench [--arms NAME,…] full|quick|smoke [%s]…", strings.Join(names, "|"))
}

// run is the whole program: it serves as an arm, or measures.
func run(ctx context.Context, args []string) error {
	if len(args) == 2 && args[0] == "bare" {
		probe.Start()
		return bare.Run(args[1], os.Stderr)
	}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	arms := flags.String("arms", "bare,stock,yoga", "what to measure beside the real server")
	flags.SetOutput(io.Discard)
	if err := flags.Parse(args); err != nil || flags.NArg() == 0 {
		return errors.Join(err, usage())
	}
	i := slices.IndexFunc(scales, func(s scale) bool { return s.name == flags.Arg(0) })
	if i < 0 {
		return usage()
	}
	b := &bench{scale: scales[i], ctx: ctx, out: os.Stdout, arms: append(strings.Split(*arms, ","), ours)}
	return b.all(flags.Args()[1:])
}

// all measures the rows that are named, or every one.
func (b *bench) all(names []string) (err error) {
	for _, name := range names {
		if !slices.ContainsFunc(rows, func(r work) bool { return r.name == name }) {
			return usage()
		}
	}
	if err := b.build(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.dir)) }()
	for _, r := range rows {
		if len(names) > 0 && !slices.Contains(names, r.name) {
			continue
		}
		fmt.Fprintf(b.out, "\n## %s\n\n", r.name)
		if err := r.run(b); err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
	}
	b.summary()
	return nil
}
