package telemetry

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"inlaygraph/upstream"
)

func ask(h http.HandlerFunc) (status int, body string) {
	w := httptest.NewRecorder()
	h(w, httptest.NewRequest("GET", "/readyz", nil))
	return w.Code, w.Body.String()
}

// Promise 7: what is said when a check fails, and nothing of upstream's.
func TestReadySaysWhy(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		said string
	}{
		"upstream": {
			&upstream.Error{Op: "reach", Kind: upstream.Unavailable, Status: 503, Detail: errors.New("canary")},
			"upstream reach: unavailable (503)",
		},
		"time": {context.DeadlineExceeded, "no answer in time"},
		"own":  {errors.New("the keys cannot be read"), "the keys cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			h := NewHealth(Check{"good", func(context.Context) error { return nil }}, Check{"bad", func(context.Context) error { return c.err }})
			status, body := ask(h.Ready)
			assert.Equal(t, http.StatusServiceUnavailable, status)
			assert.JSONEq(t, `{"ready":false,"failed":[{"check":"bad","reason":"`+c.said+`"}]}`, body)
			status, body = ask(h.Up)
			assert.Equal(t, http.StatusOK, status)
			assert.JSONEq(t, `{"up":true}`, body)
		})
	}
}

// Promise 7: ready, then away, then back; and never while it drains.
func TestReadyFollowsItsChecks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var away error
		h := NewHealth(Check{"upstream", func(context.Context) error { return away }})
		expect := func(want int) {
			t.Helper()
			status, _ := ask(h.Ready)
			assert.Equal(t, want, status)
		}
		expect(http.StatusOK)
		away = errors.New("away")
		expect(http.StatusOK)
		time.Sleep(ReadyFor)
		expect(http.StatusServiceUnavailable)
		away = nil
		time.Sleep(ReadyFor)
		expect(http.StatusOK)
		h.Drain()
		expect(http.StatusServiceUnavailable)
		_, body := ask(h.Ready)
		assert.Contains(t, body, `"check":"draining"`)
	})
}

// Promise 7: a crowd of probes is one question to upstream.
func TestACheckRunsOnceForAll(t *testing.T) {
	var asked atomic.Int32
	h := NewHealth(Check{"upstream", func(context.Context) error {
		asked.Add(1)
		return errors.New("away")
	}})
	h.mu.Lock() // nobody is answered before all have asked
	var all sync.WaitGroup
	for range 100 {
		all.Go(func() {
			status, _ := ask(h.Ready)
			assert.Equal(t, http.StatusServiceUnavailable, status)
		})
	}
	h.mu.Unlock()
	all.Wait()
	assert.LessOrEqual(t, asked.Load(), int32(2), "a busy machine may take longer than an answer is good for")
}

// Promise 7: a check that hangs is given up.
func TestAHangingCheckIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := NewHealth(Check{"upstream", func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		}})
		begin := time.Now()
		_, body := ask(h.Ready)
		assert.Contains(t, body, "no answer in time")
		assert.Equal(t, checkTime, time.Since(begin))
	})
}
