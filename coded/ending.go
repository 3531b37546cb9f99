package coded

import (
	"context"
	"sync/atomic"
)

type endingKey struct{}

// Ending is the error that a subscription ends with, once its resolver has said so.
type Ending struct{ err atomic.Pointer[error] }

// WithEnding returns a context under which a subscription's resolver may call EndWith, and where to read what it said.
func WithEnding(ctx context.Context) (context.Context, *Ending) {
	e := &Ending{}
	return context.WithValue(ctx, endingKey{}, e), e
}

// EndWith says, before a subscription's channel is closed, that it ends because of err rather than in peace: the
// subscriber gets err as a last result. Only the first call counts. It reports false when ctx is not a subscription's.
func EndWith(ctx context.Context, err error) bool {
	e, ok := ctx.Value(endingKey{}).(*Ending)
	if !ok || err == nil {
		return false
	}
	e.err.CompareAndSwap(nil, &err)
	return true
}

// Err is what EndWith was given, or nil.
func (e *Ending) Err() error {
	if err := e.err.Load(); err != nil {
		return *err
	}
	return nil
}
