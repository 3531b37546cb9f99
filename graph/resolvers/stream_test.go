package resolvers

import (
	"context"
	"errors"
	"strconv"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/coded"
)

// script is a follower that gives the numbers it is sent, and then fails with err, or waits where err is nil.
type script struct {
	values chan int
	err    error
	closed atomic.Int32
}

func (s *script) Next(ctx context.Context) (int, error) {
	if s.err != nil && len(s.values) == 0 {
		return 0, s.err
	}
	select {
	case v := <-s.values:
		return v, nil
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

func (s *script) Close() { s.closed.Add(1) }

func scripted(err error, values ...int) *script {
	s := &script{values: make(chan int, 8), err: err}
	for _, v := range values {
		s.values <- v
	}
	return s
}

// Promise 1: one message for each value, in order.
func TestStreamSendsEachValue(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := scripted(nil, 1, 2, 3)
	out := stream(ctx, s, strconv.Itoa)
	for _, want := range []string{"1", "2", "3"} {
		assert.Equal(t, want, <-out)
	}
	s.values <- 4
	assert.Equal(t, "4", <-out)
	cancel()
	_, open := <-out
	assert.False(t, open)
	assert.EqualValues(t, 1, s.closed.Load())
}

// Promise 3: a stream that fails says why, after what it had to say.
func TestStreamEndsWithTheError(t *testing.T) {
	lost := coded.New(coded.NotFound, "no such conversation")
	ctx, ending := coded.WithEnding(t.Context())
	s := scripted(lost, 1)
	out := stream(ctx, s, strconv.Itoa)
	assert.Equal(t, "1", <-out)
	_, open := <-out
	assert.False(t, open)
	assert.Same(t, lost, ending.Err())
	assert.EqualValues(t, 1, s.closed.Load())
}

// Promise 3: a client that left is no error, whether the stream waits for a value or for somebody to take one.
func TestStreamEndsWithItsContext(t *testing.T) {
	for name, values := range map[string][]int{"waiting for a value": nil, "waiting for a reader": {1}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, ending := coded.WithEnding(t.Context())
				ctx, cancel := context.WithCancel(ctx)
				s := scripted(nil, values...)
				out := stream(ctx, s, strconv.Itoa)
				synctest.Wait()
				cancel()
				synctest.Wait()
				assert.EqualValues(t, 1, s.closed.Load())
				_, open := <-out
				assert.False(t, open)
				assert.NoError(t, ending.Err())
			})
		})
	}
}

// A panic while a value is read ends that subscription and nothing else.
func TestStreamSurvivesAPanic(t *testing.T) {
	ctx, ending := coded.WithEnding(t.Context())
	s := scripted(nil, 1)
	_, open := <-stream(ctx, s, func(int) string { panic(errors.New("no such thing")) })
	assert.False(t, open)
	require.Error(t, ending.Err())
	assert.Equal(t, coded.Internal, coded.CodeOf(ending.Err()))
	assert.Contains(t, ending.Err().Error(), "no such thing")
	assert.EqualValues(t, 1, s.closed.Load())
}
