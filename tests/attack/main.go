package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer, args []string) error {
	flags := flag.NewFlagSet("attack", flag.ContinueOnError)
	flags.SetOutput(out)
	bytes := flags.Int64("stream-bytes", 1e9, "bytes of an endless stream")
	rows := flags.Int("rows", 1_000_000, "rows of one conversation")
	each := flags.Int("each", 300_000, "of everything that a stream can grow")
	conversations := flags.Int("conversations", 10_000, "conversations that one user opens")
	limit := flags.Int64("memory-limit", 256<<20, "GOMEMLIMIT in bytes while they are opened")
	if err := flags.Parse(args); err != nil {
		return err
	}
	p, err := build(ctx)
	if err != nil {
		return err
	}
	defer p.remove()
	fmt.Fprintln(out, "| attack | told | took | live before | live after | peak RSS | |")
	fmt.Fprintln(out, "| --- | --- | --- | --- | --- | --- | --- |")
	for _, attack := range []func() (*figures, error){
		func() (*figures, error) { return oneRow(ctx, p, *bytes) },
		func() (*figures, error) { return longRows(ctx, p, *bytes) },
		func() (*figures, error) { return manyRows(ctx, p, *rows) },
		func() (*figures, error) { return everything(ctx, p, *each) },
		func() (*figures, error) {
			return manyConversations(ctx, p, crowd{conversations: *conversations, rows: 500, limit: *limit})
		},
		func() (*figures, error) {
			return manyConversations(ctx, p, crowd{conversations: *conversations, rows: 500})
		},
	} {
		f, err := attack()
		if err != nil {
			return err
		}
		mb := func(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }
		fmt.Fprintf(out, "| %s | %s | %s | %s | %s | %s | %s |\n", f.name, f.told, f.took.Round(100*time.Millisecond), mb(f.before), mb(f.heap), mb(f.peak), f.note)
	}
	return nil
}
