package transport

import (
	"context"
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"inlaygraph/coded"
)

// A result that is too long is told as one to an Observer, and ends a subscription also where only what stands around the
// data makes it too long.
func TestObserverOfTooLong(t *testing.T) {
	n := &noted{}
	s := startSharing(t, Options{Observer: n, MaxResponseBytes: 15})
	assert.Contains(t, s.post(t, `subscription { count(to: 3) }`, "Accept", mediaSSE).body, "\n\nevent: next\ndata: "+string(tooLarge(15))+"\n\nevent: complete\n")
	assert.Equal(t, "subscription  count: PAYLOAD_TOO_LARGE", n.next(t, 0))
	assert.Equal(t, string(tooLarge(15)), s.post(t, `{ hello }`).body)
	assert.Equal(t, "query  hello: PAYLOAD_TOO_LARGE", n.next(t, 1))
	s.root.Topic("a").Say("x")
	shared := s.join(t, "ann@acme", watch)
	shared.expect(string(tooLarge(15)), "end")
	shared.leave()
	assert.Zero(t, s.Stats().Subscribers["count"])
}

// An operation whose event stream is refused is told with why, and counts among no subscribers.
func TestObserverOfARefusedStream(t *testing.T) {
	n := &noted{}
	why := error(coded.New(coded.RateLimited, "too many"))
	var expiry time.Time
	s := start(t, Options{
		Observer: n, Stream: func(context.Context) error { return why },
		Init: func(ctx context.Context, _ *http.Request, _ json.RawMessage) (context.Context, time.Time, error) {
			return ctx, expiry, nil
		},
	})
	assert.Equal(t, http.StatusTooManyRequests, s.post(t, `subscription { count(to: 3) }`, "Accept", mediaSSE).status)
	assert.Equal(t, "subscription  count: RATE_LIMITED", n.next(t, 0))
	why = nil
	assert.NoError(t, s.Shutdown(t.Context()))
	assert.Equal(t, http.StatusServiceUnavailable, s.post(t, `subscription { count(to: 3) }`, "Accept", mediaSSE).status)
	assert.Equal(t, "subscription  count: RATE_LIMITED", n.next(t, 1))
	expiry = time.Now().Add(-time.Second)
	assert.Equal(t, http.StatusUnauthorized, s.post(t, `subscription { count(to: 3) }`, "Accept", mediaSSE).status)
	assert.Equal(t, "subscription  count: UNAUTHENTICATED", n.next(t, 2))
	for field, open := range s.Stats().Subscribers {
		assert.Zero(t, open, field)
	}
}
