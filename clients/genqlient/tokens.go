package example

import (
	"context"
	"net/http"
	"sync"
)

// #region tokens

// Tokens keeps the token that your login gives until it is forgotten.
type Tokens struct {
	Fetch func(context.Context) (string, error)

	mu    sync.Mutex
	token string
}

// Get fetches a token unless there is one.
func (t *Tokens) Get(ctx context.Context) (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var err error
	if t.token == "" {
		t.token, err = t.Fetch(ctx)
	}
	return t.token, err
}

// Forget has the next Get fetch another one.
func (t *Tokens) Forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.token = ""
}

// RoundTrip sends a request with the token, and after a 401 once more with a fresh one.
func (t *Tokens) RoundTrip(r *http.Request) (*http.Response, error) {
	for again := false; ; again = true {
		token, err := t.Get(r.Context())
		if err != nil {
			return nil, err
		}
		try := r.Clone(r.Context())
		if try.Body, err = r.GetBody(); err != nil {
			return nil, err
		}
		try.Header.Set("Authorization", "Bearer "+token)
		answer, err := http.DefaultTransport.RoundTrip(try)
		if err != nil || answer.StatusCode != http.StatusUnauthorized || again {
			return answer, err
		}
		answer.Body.Close()
		t.Forget()
	}
}

// #endregion
