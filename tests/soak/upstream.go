package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"inlaygraph/upstream/demo"
)

// secret is shared by the server and whoever issues the users' tokens.
const secret = "the word that the soak's issuer and the server share"

// user is somebody of a tenant.
type user struct {
	tenant, name string
	token        string
}

// canary is a word that only this user's conversations say.
func (u *user) canary() string { return "canary-" + u.tenant + "-" + u.name }

// upstream is the demo behind what goes wrong.
type upstream struct {
	*clock
	url   string
	demo  *demo.Demo
	http  *http.Server
	users []*user
	r     *report
	mu    sync.Mutex
	dice  *rand.Rand
	quiet bool          // nothing goes wrong
	over  chan struct{} // closed at the end: whatever hangs is let go
}

const tenants, usersOfEach = 4, 3

func newUpstream(s settings, r *report) (*upstream, error) {
	u := &upstream{clock: newClock(), r: r, dice: rand.New(rand.NewPCG(s.seed, 1)), quiet: true, over: make(chan struct{})}
	known := map[string]string{}
	for t := range tenants {
		for n := range usersOfEach {
			who := &user{tenant: fmt.Sprintf("tenant%d", t), name: fmt.Sprintf("user%d", n)}
			var err error
			who.token, err = jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims{
				"sub": who.name, "tenant": who.tenant, "exp": time.Now().Add(s.lasts + time.Hour).Unix(),
			}).SignedString([]byte(secret))
			if err != nil {
				return nil, err
			}
			known[who.token] = who.tenant + " " + who.name
			u.users = append(u.users, who)
		}
	}
	r.tenants, r.users = tenants, len(u.users)
	var err error
	u.demo, err = demo.New(demo.Options{Speed: s.speed, Clock: u.clock, KeepLoops: 10_000, Identify: func(token string) (string, error) {
		if name, ok := known[token]; ok {
			return name, nil
		}
		return "", errors.New("nobody's token")
	}})
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, errors.Join(err, u.demo.Close())
	}
	u.url = "http://" + listener.Addr().String()
	u.http = &http.Server{Handler: u.meddle(u.demo.Handler()), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = u.http.Serve(listener) }() // until it is closed
	return u, nil
}

func (u *upstream) close() {
	close(u.over)
	u.clock.start()
	_ = u.http.Close()
	_ = u.demo.Close()
}

// calm says whether nothing goes wrong from now on.
func (u *upstream) calm(quiet bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.quiet = quiet
}

// fate is what becomes of one answer.
type fate struct {
	refuse int           // with which status
	after  string        // its Retry-After
	late   time.Duration // until it begins
	cut    int           // after so many writes; 0: never
	hangs  bool          // it is not cut then, but nothing more comes
	lasts  time.Duration // at most, until it is cut; 0: for ever
}

func (u *upstream) fate(stream bool) (f fate) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.quiet {
		return f
	}
	if u.dice.IntN(10) == 0 {
		f.late = time.Duration(u.dice.IntN(300)) * time.Millisecond
	}
	if u.dice.IntN(40) == 0 {
		f.refuse = []int{500, 502, 503, 504, 429}[u.dice.IntN(5)]
		f.after = []string{"", "1"}[u.dice.IntN(2)]
		return f
	}
	if stream {
		f.cut = 1 + u.dice.IntN(80)
		f.lasts = time.Duration(1+u.dice.IntN(20)) * time.Second
		f.hangs = u.dice.IntN(20) == 0
	} else if u.dice.IntN(60) == 0 {
		f.cut = 1
	}
	return f
}

// meddle lets answers go wrong.
func (u *upstream) meddle(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		stream := strings.HasSuffix(r.URL.Path, "/stream") || r.Method == http.MethodPost
		f := u.fate(stream)
		time.Sleep(f.late)
		if f.refuse != 0 && r.Method == http.MethodGet {
			u.r.refusals.Add(1)
			if f.after != "" {
				w.Header().Set("Retry-After", f.after)
			}
			w.WriteHeader(f.refuse)
			return
		}
		m := &meddled{ResponseWriter: w, u: u, f: f, gone: r.Context().Done()}
		if f.lasts > 0 {
			timer := time.AfterFunc(f.lasts, m.end)
			defer timer.Stop()
		}
		next.ServeHTTP(m, r)
	})
}

// meddled is an answer that goes wrong.
type meddled struct {
	http.ResponseWriter
	u    *upstream
	f    fate
	gone <-chan struct{}

	mu     sync.Mutex
	writes int
	ended  bool
}

// Unwrap is for http.ResponseController.
func (m *meddled) Unwrap() http.ResponseWriter { return m.ResponseWriter }

func (m *meddled) end() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ended = true
}

// Write writes, or cuts the connection in the middle of what was to be written, or stands still.
func (m *meddled) Write(p []byte) (int, error) {
	m.mu.Lock()
	m.writes++
	now := m.ended || m.f.cut > 0 && m.writes >= m.f.cut
	m.mu.Unlock()
	if !now {
		m.u.r.events.Add(int64(bytes.Count(p, []byte("event: "))))
		return m.ResponseWriter.Write(p)
	}
	m.u.mu.Lock()
	part := m.u.dice.IntN(len(p) + 1)
	m.u.mu.Unlock()
	_, _ = m.ResponseWriter.Write(p[:part])
	_ = http.NewResponseController(m.ResponseWriter).Flush()
	if m.f.hangs {
		m.u.r.hangs.Add(1)
		select {
		case <-m.gone:
		case <-m.u.over:
		}
	} else {
		m.u.r.cuts.Add(1)
	}
	panic(http.ErrAbortHandler)
}
