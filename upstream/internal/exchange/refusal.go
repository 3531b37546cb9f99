package exchange

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// maxRetryAfter bounds what an upstream may ask for.
const maxRetryAfter = 24 * time.Hour

// maskedLength is how much of a secret upstream may repeat before it is one that a log must not hold.
const maskedLength = 8

// masker takes the secrets of a request out of what upstream said of it: the caller's token, and what headers were
// configured.
func (c *Client) masker(req *http.Request) func(string) string {
	token := req.Header.Get("Authorization")
	if _, after, ok := strings.Cut(token, " "); ok {
		token = after
	}
	return func(text string) string {
		text = masked(text, token)
		for name := range c.opts.Header {
			for _, value := range req.Header[http.CanonicalHeaderKey(name)] {
				if len(value) >= maskedLength && http.CanonicalHeaderKey(name) != "Authorization" {
					text = masked(text, value)
				}
			}
		}
		return text
	}
}

// masked is text without what it repeats of a secret, whole or in part.
func masked(text, secret string) string {
	window := min(maskedLength, len(secret))
	if window == 0 {
		return text
	}
	var clean strings.Builder
	for i, end := 0, 0; i < len(text); i++ {
		if i+window <= len(text) && strings.Contains(secret, text[i:i+window]) {
			if end <= i {
				clean.WriteString("[token]")
			}
			end = i + window
		}
		if i >= end {
			clean.WriteByte(text[i])
		}
	}
	return clean.String()
}

// retryAfter reads seconds or an HTTP date; false when there is neither.
func retryAfter(value string, now time.Time) (time.Duration, bool) {
	value = strings.TrimSpace(value)
	if n, err := strconv.ParseInt(value, 10, 64); err == nil {
		if n < 0 {
			return 0, false
		}
		return time.Duration(min(n, int64(maxRetryAfter/time.Second))) * time.Second, true
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0, false
	}
	return min(max(at.Sub(now), 0), maxRetryAfter), true
}
