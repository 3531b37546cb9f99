package upstream

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/coded"
)

// Every kind has a code and a message of ours (docs/service.md, "Errors"); what upstream said stays the cause.
func TestCoded(t *testing.T) {
	const hidden = "no such conversation"
	for kind, want := range map[Kind]coded.Error{
		NotFound:        {Code: coded.NotFound, Message: hidden},
		Forbidden:       {Code: coded.NotFound, Message: hidden},
		Gone:            {Code: coded.NotFound, Message: hidden},
		Unauthenticated: {Code: coded.Unauthenticated, Message: "upstream does not accept the session"},
		RateLimited:     {Code: coded.RateLimited, Message: "upstream asks for fewer requests"},
		Conflict:        {Code: coded.Conflict, Message: "upstream does not allow it as things stand"},
		Refused:         {Code: coded.BadUserInput, Message: "upstream does not take the request"},
		Unavailable:     {Code: coded.UpstreamUnavailable, Message: "upstream does not answer"},
		CannotReattach:  {Code: coded.UpstreamUnavailable, Message: "upstream does not answer"},
		Idle:            {Code: coded.UpstreamUnavailable, Message: "upstream does not answer"},
	} {
		cause := &Error{Op: "head", Kind: kind, Status: 499, Detail: errors.New("upstream's own words")}
		for _, err := range []error{cause, fmt.Errorf("wrapped: %w", cause)} {
			var got *coded.Error
			require.ErrorAs(t, Coded(err), &got)
			assert.Equal(t, want.Code, got.Code, kind)
			assert.Equal(t, want.Message, got.Message, kind)
			assert.ErrorIs(t, got, kind)
			assert.NotContains(t, got.Error(), "upstream's own words", "it is for the log's detail alone")
			assert.Same(t, got, Coded(got), "a code once given stays")
		}
	}
}

func TestCodedPasses(t *testing.T) {
	assert.NoError(t, Coded(nil))
	wrapped := fmt.Errorf("wrapped: %w", coded.New(coded.BadUserInput, "no"))
	for _, err := range []error{context.Canceled, wrapped, errors.New("a fault of ours")} {
		assert.Equal(t, err, Coded(err))
	}
	late := fmt.Errorf("wrapped: %w", context.DeadlineExceeded)
	assert.Equal(t, coded.UpstreamUnavailable, coded.CodeOf(Coded(late)))
	assert.ErrorIs(t, Coded(late), context.DeadlineExceeded)
}

// The kinds are errors themselves, and an Error says no more than its kind, what was asked and the status.
func TestErrors(t *testing.T) {
	err := &Error{Op: "execute", Kind: Conflict, Status: 409, Detail: errors.New("code \"x\"")}
	assert.Equal(t, "upstream execute: conflict (409)", err.Error())
	assert.Equal(t, `upstream execute: conflict (409): code "x"`, err.LogValue().String())
	assert.ErrorIs(t, err, Conflict)
	assert.NotErrorIs(t, err, Refused)
	assert.False(t, Hidden(err))
	bare := &Error{Op: "retry", Kind: Refused}
	assert.Equal(t, "upstream retry: refused", bare.Error())
	assert.Equal(t, bare.Error(), bare.LogValue().String())
	assert.Equal(t, "refused", Refused.Error())
}
