package exchange

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"0": 0, " 30 ": 30 * time.Second, "99999999999": maxRetryAfter, "": -1, "soon": -1, "-3": -1, "1.5": -1,
		"Mon, 05 Jan 2026 09:01:00 GMT": time.Minute, "Mon, 05 Jan 2026 08:00:00 GMT": 0,
		"Fri, 05 Jan 2029 09:00:00 GMT": maxRetryAfter,
	} {
		got, ok := retryAfter(value, now)
		assert.Equal(t, want >= 0, ok, "%q", value)
		assert.Equal(t, max(want, 0), got, "%q", value)
	}
}

// Promise 7.
func TestMasked(t *testing.T) {
	for _, c := range []struct{ token, text, want string }{
		{"Bearer 0123456789abcdef", "is 0123456789abcdef bad?", "is [token] bad?"},
		{"Bearer 0123456789abcdef", "0123456", "0123456"},
		{"Bearer 0123456789abcdef", "01234567", "[token]"},
		{"Bearer 0123456789abcdef", "x456789ab… and …89abcdef", "x[token]… and …[token]"},
		{"Bearer 0123456789abcdef", "0123456789abcdef0123456789abcdef", "[token][token]"},
		{"0123456789abcdef", "no scheme 23456789", "no scheme [token]"},
		{"Bearer abc", "abcabc xab", "[token][token] xab"},
		{"", "nothing to hide", "nothing to hide"},
		{"", "the key lsv2_pt_0011223344 is over", "the key [token] is over"},
		{"Bearer 0123456789abcdef", "of 0123456789 the pt_00112233", "of [token] the [token]"},
	} {
		client, err := New(Options{BaseURL: "http://upstream", Header: http.Header{"X-Api-Key": {"lsv2_pt_0011223344"}, "X-Short": {"hide"}}})
		require.NoError(t, err)
		req := httptest.NewRequest(http.MethodGet, "/", nil)
		req.Header.Set("Authorization", c.token)
		req.Header.Set("X-Api-Key", "lsv2_pt_0011223344")
		req.Header.Set("X-Short", "hide")
		assert.Equal(t, c.want, client.masker(req)(c.text))
	}
}
