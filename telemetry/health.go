package telemetry

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"inlaygraph/upstream"
)

const (
	// ReadyFor is how long the answer of a check is good (promise 7).
	ReadyFor = 2 * time.Second
	// checkTime is how long all checks together may take.
	checkTime = 5 * time.Second
)

// Check is one thing that a server needs to be ready. Its error is shown to whoever asks: an *upstream.Error by its own
// words, any other in full.
type Check struct {
	Name string
	Ask  func(ctx context.Context) error
}

// Health answers whether the process is up, and whether it should be sent requests.
type Health struct {
	checks   []Check
	draining atomic.Bool

	mu     sync.Mutex // held while the checks run
	asked  time.Time
	failed []failure
}

// failure is a check that failed, as it is shown.
type failure struct {
	Check  string `json:"check"`
	Reason string `json:"reason"`
}

// NewHealth makes one that is ready while all checks pass.
func NewHealth(checks ...Check) *Health { return &Health{checks: checks} }

// Drain has the server be not ready from now on.
func (h *Health) Drain() { h.draining.Store(true) }

// Draining tells whether Drain was called.
func (h *Health) Draining() bool { return h.draining.Load() }

// Up answers 200 while the process serves (/healthz).
func (h *Health) Up(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, map[string]bool{"up": true})
}

// Ready answers 200, or 503 and why (/readyz).
func (h *Health) Ready(w http.ResponseWriter, r *http.Request) {
	var failed []failure
	if h.Draining() {
		failed = []failure{{"draining", "the server is shutting down"}}
	} else {
		failed = h.ask(r.Context())
	}
	if len(failed) == 0 {
		answer(w, http.StatusOK, map[string]bool{"ready": true})
		return
	}
	answer(w, http.StatusServiceUnavailable, map[string]any{"ready": false, "failed": failed})
}

// ask runs the checks, unless they were run a moment ago. Who comes meanwhile waits for the same answer.
func (h *Health) ask(ctx context.Context) []failure {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.asked.IsZero() && time.Since(h.asked) < ReadyFor {
		return h.failed
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), checkTime) // the answer is for the next who asks, too
	defer cancel()
	h.failed = nil
	for _, check := range h.checks {
		if err := check.Ask(ctx); err != nil {
			h.failed = append(h.failed, failure{check.Name, said(err)})
		}
	}
	h.asked = time.Now()
	return h.failed
}

// said is an error in words that may be shown.
func said(err error) string {
	if e, ok := errors.AsType[*upstream.Error](err); ok {
		return e.Error()
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return "no answer in time"
	}
	return err.Error()
}

func answer(w http.ResponseWriter, status int, body any) {
	text, err := json.Marshal(body)
	if err != nil { // strings and booleans always have a JSON form
		status, text = http.StatusInternalServerError, []byte("{}")
	}
	header := w.Header()
	header.Set("Content-Type", "application/json")
	header.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(append(text, '\n')) // whoever left has nothing to be told
}
