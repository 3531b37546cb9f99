package coded_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"

	"inlaygraph/coded"
)

// Promise 2: the cause is in the log's text and reachable, and not in the message.
func TestCauseStaysOutOfTheMessage(t *testing.T) {
	err := coded.Wrap(coded.UpstreamUnavailable, "upstream does not answer", io.ErrUnexpectedEOF)
	assert.Equal(t, "upstream does not answer", err.Message)
	assert.Equal(t, "UPSTREAM_UNAVAILABLE: upstream does not answer: unexpected EOF", err.Error())
	assert.ErrorIs(t, err, io.ErrUnexpectedEOF)
	assert.Equal(t, "CONFLICT: the run is over", coded.New(coded.Conflict, "the run is over").Error())
}

// Promise 3: wrapping keeps the code, and the outermost coded error wins.
func TestCodeOf(t *testing.T) {
	notFound := coded.Newf(coded.NotFound, "no conversation %q", "c1")
	cases := []struct {
		name string
		err  error
		want coded.Code
	}{
		{"nil", nil, ""},
		{"plain", io.EOF, coded.Internal},
		{"coded", notFound, coded.NotFound},
		{"wrapped", fmt.Errorf("reading: %w", notFound), coded.NotFound},
		{"joined", errors.Join(io.EOF, notFound), coded.NotFound},
		{"coded in coded", coded.Wrap(coded.Conflict, "busy", notFound), coded.Conflict},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) { assert.Equal(t, tc.want, coded.CodeOf(tc.err)) })
	}
}

// Promise 4: the first error said is the one that counts, and only under a subscription's context.
func TestEndWith(t *testing.T) {
	assert.False(t, coded.EndWith(t.Context(), io.EOF))
	ctx, ending := coded.WithEnding(t.Context())
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	assert.NoError(t, ending.Err())
	assert.False(t, coded.EndWith(ctx, nil))
	assert.True(t, coded.EndWith(ctx, io.ErrClosedPipe))
	assert.True(t, coded.EndWith(ctx, io.EOF))
	assert.Equal(t, io.ErrClosedPipe, ending.Err())
}
