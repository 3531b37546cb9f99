package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
	"time"
)

type hurryKey struct{}

// signalled is a context that ends with the first signal to stop. A second one has whatever is still open cut off.
func signalled() context.Context {
	ctx, stop := context.WithCancel(context.Background())
	hurry, cut := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM) // to the end: a signal more does not change the exit code
	go func() {
		<-signals
		stop()
		<-signals
		cut()
	}()
	return context.WithValue(ctx, hurryKey{}, hurry)
}

// hurried is a context of a time that ends sooner when there is a second signal to stop.
func hurried(ctx context.Context, within time.Duration) (context.Context, context.CancelFunc) {
	hurry, ok := ctx.Value(hurryKey{}).(context.Context)
	if !ok {
		hurry = context.Background()
	}
	return context.WithTimeout(hurry, within)
}

// drain stops a server in the way of docs/operations.md, "Stopping". delay is for load balancers to see that it is not
// ready; within bounds the rest.
func (s *server) drain(ctx context.Context, delay, within time.Duration) error {
	s.operator.health.Drain()
	if delay > 0 {
		wait, cancel := hurried(ctx, delay)
		select {
		case <-wait.Done():
		case <-s.served:
		}
		cancel()
	}
	bounded, cancel := hurried(ctx, within)
	defer cancel()
	err := s.close(bounded)
	if errors.Is(bounded.Err(), context.Canceled) { // how much that cut off is chance
		return context.Canceled
	}
	return err
}
