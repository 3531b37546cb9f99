package exchange

import (
	"testing"
	"time"
)

// FuzzRetryAfter: whatever the header says, a wait is not negative, and what makes no sense is no wait.
func FuzzRetryAfter(f *testing.F) {
	for _, value := range []string{"", "0", "7", "-1", "+7", "1.5", "99999999999999999999", "Wed, 21 Oct 2026 07:28:00 GMT", "Wed, 21 Oct 1926 07:28:00 GMT", "soon", "7 ", "0x7"} {
		f.Add(value)
	}
	now := time.Date(2026, 10, 21, 7, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, value string) {
		wait, ok := retryAfter(value, now)
		if wait < 0 || !ok && wait != 0 {
			t.Fatalf("%q: %s, %t", value, wait, ok)
		}
	})
}
