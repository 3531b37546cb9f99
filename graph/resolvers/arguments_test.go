package resolvers

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/coded"
)

func to[T any](v T) *T { return &v }

// Promise 4.
func TestInterval(t *testing.T) {
	cases := []struct {
		ms   *int
		want time.Duration
		bad  bool
	}{
		{nil, 0, false},
		{to(0), 0, false},
		{to(1), time.Millisecond, false},
		{to(60_000), time.Minute, false},
		{to(60_001), 0, true},
		{to(-1), 0, true},
	}
	for _, tc := range cases {
		got, err := (&Root{}).interval(tc.ms)
		unpaced, unpacedErr := (&Root{Unpaced: true}).interval(tc.ms)
		if tc.bad {
			assert.Equal(t, coded.BadUserInput, coded.CodeOf(err))
			assert.Equal(t, err, unpacedErr)
			continue
		}
		require.NoError(t, err)
		require.NoError(t, unpacedErr)
		assert.Equal(t, tc.want, got)
		assert.Zero(t, unpaced)
	}
}

// Promise 4.
func TestCheckVersion(t *testing.T) {
	assert.NoError(t, checkVersion(0))
	assert.NoError(t, checkVersion(1))
	assert.Equal(t, coded.New(coded.BadUserInput, "agentVersion takes a version, or 0 for the draft, not -1"), checkVersion(-1))
}

// Promise 4.
func TestCheckPage(t *testing.T) {
	cases := []struct {
		before, after *int64
		limit         *int
		message       string
	}{
		{nil, nil, nil, ""},
		{to(int64(1)), to(int64(0)), to(1), ""},
		{to(int64(9)), to(int64(4)), to(1_000), ""},
		{to(int64(0)), nil, nil, "beforeSeq takes a place in the log, from 1, not 0"},
		{to(int64(-1)), nil, nil, "beforeSeq takes a place in the log, from 1, not -1"},
		{nil, to(int64(-1)), nil, "afterSeq takes a place in the log, or 0 for its start, not -1"},
		{nil, nil, to(0), "limit takes 1 to 1000, not 0"},
		{nil, nil, to(1_001), "limit takes 1 to 1000, not 1001"},
	}
	for _, tc := range cases {
		err := checkPage(tc.before, tc.after, tc.limit)
		if tc.message == "" {
			assert.NoError(t, err)
			continue
		}
		assert.Equal(t, coded.New(coded.BadUserInput, tc.message), err)
	}
}
