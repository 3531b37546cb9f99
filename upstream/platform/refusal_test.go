package platform

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/coded"
	"inlaygraph/upstream"
)

// Promise 2 of package upstream, each status to each endpoint: one kind, in our own words; what upstream said is in
// the detail alone. docs/wire.md, "Statuses".
func TestRefusals(t *testing.T) {
	const said = "words of upstream's own"
	for _, c := range []struct {
		status int
		want   upstream.Kind
		stream upstream.Kind // where the endpoint that follows a run differs
		code   coded.Code
	}{
		{status: 204, want: upstream.Unavailable, stream: upstream.Idle, code: coded.UpstreamUnavailable},
		{status: 206, want: upstream.Unavailable, code: coded.UpstreamUnavailable},
		{status: 302, want: upstream.Unavailable, code: coded.UpstreamUnavailable},
		{status: 307, want: upstream.Unavailable, code: coded.UpstreamUnavailable},
		{status: 400, want: upstream.Refused, code: coded.BadUserInput},
		{status: 402, want: upstream.Unpaid, code: coded.Conflict},
		{status: 401, want: upstream.Unauthenticated, code: coded.Unauthenticated},
		{status: 403, want: upstream.Forbidden, code: coded.NotFound},
		{status: 404, want: upstream.NotFound, stream: upstream.CannotReattach, code: coded.NotFound},
		{status: 405, want: upstream.Unavailable, code: coded.UpstreamUnavailable},
		{status: 409, want: upstream.Conflict, code: coded.Conflict},
		{status: 410, want: upstream.Gone, code: coded.NotFound},
		{status: 413, want: upstream.Refused, code: coded.BadUserInput},
		{status: 422, want: upstream.Refused, code: coded.BadUserInput},
		{status: 429, want: upstream.RateLimited, code: coded.RateLimited},
		{status: 500, want: upstream.Unavailable, code: coded.UpstreamUnavailable},
		{status: 502, want: upstream.Unavailable, code: coded.UpstreamUnavailable},
		{status: 503, want: upstream.Unavailable, code: coded.UpstreamUnavailable},
		{status: 504, want: upstream.Unavailable, code: coded.UpstreamUnavailable},
	} {
		t.Run(fmt.Sprint(c.status), func(t *testing.T) {
			client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Location", "/elsewhere")
				w.Header().Set("Retry-After", "7")
				w.WriteHeader(c.status)
				if c.status != 204 {
					fmt.Fprintf(w, `{"error":{"code":"some_code","message":%q}}`, said)
				}
			}, Options{})
			every(t, func(t *testing.T, e endpoint) {
				err := e.ask(client, t.Context(), "tok")
				if c.status == 206 && e.method == http.MethodPost && !e.stream || c.status == 204 && e.op == "cancel" {
					require.NoError(t, err, "to a POST any success will do")
					return
				}
				got := requireError(t, err)
				want, code := c.want, c.code
				if c.want == upstream.Refused && (e.op == "head" || e.op == "rows" || e.op == "stream") {
					want, code = upstream.Unavailable, coded.UpstreamUnavailable
				}
				if e.op == "stream" && c.stream != "" {
					want, code = c.stream, coded.UpstreamUnavailable
				}
				assert.Equal(t, want, got.Kind)
				assert.ErrorIs(t, err, want)
				assert.Equal(t, c.status, got.Status)
				assert.Equal(t, e.op, got.Op)
				assert.Equal(t, code, coded.CodeOf(upstream.Coded(err)))
				assert.Equal(t, want == upstream.NotFound || want == upstream.Forbidden || want == upstream.Gone, upstream.Hidden(err))
				assert.NotContains(t, err.Error(), "some_code")
				assert.NotContains(t, err.Error(), said)
				log := got.LogValue().String()
				if c.status/100 != 2 {
					assert.Contains(t, log, "some_code")
					assert.NotContains(t, log, said, "it may quote what a user wrote")
				}
				asked := c.status == 429 || c.status == 503
				assert.Equal(t, asked, got.HasRetryAfter)
				if asked {
					assert.Equal(t, 7*time.Second, got.RetryAfter)
				}
			})
		})
	}
}

// The other spelling of Retry-After, over the wire and to each endpoint.
func TestRetryAfterADate(t *testing.T) {
	c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", time.Now().Add(90*time.Second).UTC().Format(http.TimeFormat))
		w.WriteHeader(http.StatusTooManyRequests)
	}, Options{})
	every(t, func(t *testing.T, e endpoint) {
		got := requireError(t, e.ask(c, t.Context(), ""))
		assert.Equal(t, upstream.RateLimited, got.Kind)
		assert.True(t, got.HasRetryAfter)
		assert.InDelta(t, 90, got.RetryAfter.Seconds(), 30)
	})
}

// What upstream says is bounded, and does not break a line of a log.
func TestRefusalsAreBounded(t *testing.T) {
	for name, body := range map[string]string{
		"long":       fmt.Sprintf(`{"error":{"code":%q,"message":%q}}`, strings.Repeat("c", 2000), strings.Repeat("m\n", 2000)),
		"longer":     fmt.Sprintf(`{"error":{"code":"x","message":%q}}`, strings.Repeat("m", 1<<20)),
		"unreadable": "<html>" + strings.Repeat("x\n", 1<<20),
		"other":      `{"error":"secret"}`,
		"words":      `{"error":{"code":"a secret word","message":"x"}}`,
		"numbers":    `{"error":{"code":404,"message":7}}`,
		"empty":      "",
	} {
		c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusInternalServerError)
			io.WriteString(w, body)
		}, Options{})
		_, err := c.Head(t.Context(), "", "c1")
		log := requireError(t, err).LogValue().String()
		assert.Less(t, len(log), 1000, name)
		assert.NotContains(t, log, "\n", name)
		assert.NotContains(t, log, "secret", name)
		assert.Contains(t, log, "no code given", name)
	}
}

// Promise 4 of the package, for every endpoint and every redirect.
func TestNoRedirect(t *testing.T) {
	var followed atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { followed.Add(1) }))
	defer other.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		c := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if strings.HasPrefix(r.URL.Path, "/elsewhere") {
				followed.Add(1)
			}
			target := other.URL
			if status == 302 {
				target = "/elsewhere" // of the same host, too
			}
			http.Redirect(w, r, target, status)
		}, Options{})
		every(t, func(t *testing.T, e endpoint) {
			assert.ErrorIs(t, e.ask(c, t.Context(), "tok"), upstream.Unavailable)
		})
	}
	assert.Zero(t, followed.Load())
}

// Promise 1 of package upstream: no token in an error or a log, whatever becomes of the request, and though upstream
// says it back in every place it can.
func TestTokensStayOutOfErrors(t *testing.T) {
	const token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJjYW5hcnkifQ.Zx81Qm-canary-TUv_w9"
	pieces := []string{token, token[:20], token[21:43], token[44:], token[30:42], "canary"}
	echo := func(status int, body func(bearer string) string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			bearer := r.Header.Get("Authorization")
			w.Header().Set("Location", "/"+token)
			w.Header().Set("Retry-After", token)
			w.Header().Set("X-Said", bearer)
			w.WriteHeader(status)
			io.WriteString(w, body(bearer))
		}
	}
	refusal := func(bearer string) string {
		return fmt.Sprintf(`{"error":{"code":%q,"message":"bad %s, not %s nor %s"}}`, token[21:43], bearer, token[:20], token[44:])
	}
	bare := func(bearer string) string { return bearer }
	answers := map[string]http.HandlerFunc{
		"401": echo(401, refusal), "403": echo(403, refusal), "307": echo(307, refusal), "500": echo(500, refusal),
		"200, no JSON": echo(200, bare), "500, no JSON": echo(500, bare),
		"200, JSON": echo(200, func(bearer string) string {
			return fmt.Sprintf(`{"type":"conversation","conversation_id":%q,"error":{"kind":%q},%q:1}`, bearer, token, token)
		}),
		"broken": func(w http.ResponseWriter, _ *http.Request) { panic(http.ErrAbortHandler) },
		"silent": func(_ http.ResponseWriter, r *http.Request) { hang(r) },
	}
	for name, answer := range answers {
		for auth, header := range map[string]http.Header{
			token: nil, "": {"Authorization": {"Bearer " + token}},
		} {
			o := Options{Header: header}
			if name == "silent" {
				o.ReadTimeout, o.IdleTimeout = 20*time.Millisecond, 20*time.Millisecond
			}
			c := serve(t, answer, o)
			every(t, func(t *testing.T, e endpoint) {
				if err := e.ask(c, t.Context(), auth); err != nil {
					requireWithout(t, err, pieces, name)
				} else {
					require.Contains(t, name, "200", "%s has to fail", name)
				}
			})
		}
	}
	for _, bad := range []string{token + "\nX: y", "\x00" + token, strings.Repeat(token, 50_000)} {
		c := serve(t, say(""), Options{})
		every(t, func(t *testing.T, e endpoint) {
			err := e.ask(c, t.Context(), bad)
			requireError(t, err)
			requireWithout(t, err, pieces, "a token that cannot be sent")
		})
	}
}

// requireWithout looks for pieces in every way in which an error can be written down.
func requireWithout(t *testing.T, err error, pieces []string, why string) {
	t.Helper()
	var log bytes.Buffer
	for _, logger := range []*slog.Logger{
		slog.New(slog.NewJSONHandler(&log, nil)), slog.New(slog.NewTextHandler(&log, nil)),
	} {
		logger.Error("upstream", "error", err)
		logger.Error("upstream", "error", upstream.Coded(err))
		logger.Error("upstream", "error", fmt.Errorf("wrapped: %w", err))
		logger.Error("upstream", "detail", requireError(t, err).Detail)
	}
	e := requireError(t, err)
	for _, text := range []string{
		err.Error(), fmt.Sprintf("%v %+v %#v %q", err, err, err, err), fmt.Sprintf("%+v %#v", *e, *e),
		fmt.Sprintf("%v %+v %#v", e.Detail, e.Detail, e.Detail), log.String(),
	} {
		for _, piece := range pieces {
			require.NotContains(t, text, piece, why)
		}
	}
}

// Promise 1 of the package, and the caller's own impatience: before the headers, within an answer and within a
// refusal, for every endpoint.
func TestSilentHang(t *testing.T) {
	for name, h := range map[string]func(e endpoint) http.HandlerFunc{
		"before the headers": func(endpoint) http.HandlerFunc {
			return func(_ http.ResponseWriter, r *http.Request) { hang(r) }
		},
		"within a refusal": func(endpoint) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				w.WriteHeader(http.StatusInternalServerError)
				io.WriteString(w, `{"error":`)
				http.NewResponseController(w).Flush()
				hang(r)
			}
		},
		"within the answer": func(e endpoint) http.HandlerFunc {
			if e.stream {
				return streaming(sseOf(1, delta(1, "a"))+"data: ", hang)
			}
			return func(w http.ResponseWriter, r *http.Request) {
				io.WriteString(w, e.good[:len(e.good)/2])
				http.NewResponseController(w).Flush()
				hang(r)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			every(t, func(t *testing.T, e endpoint) {
				if e.op == "cancel" && name == "within the answer" {
					return // see TestCancel
				}
				t.Parallel()
				brief := serve(t, h(e), Options{ReadTimeout: 50 * time.Millisecond, IdleTimeout: 50 * time.Millisecond})
				start := time.Now()
				assert.ErrorIs(t, e.ask(brief, t.Context(), ""), upstream.Unavailable)
				assert.Less(t, time.Since(start), 5*time.Second)

				patient := serve(t, h(e), Options{})
				ctx, cancel := context.WithCancel(t.Context())
				defer time.AfterFunc(30*time.Millisecond, cancel).Stop()
				err := e.ask(patient, ctx, "")
				if name == "within a refusal" {
					assert.ErrorIs(t, err, upstream.Unavailable, "the status was told")
				} else {
					assert.Equal(t, context.Canceled, err)
				}
				ctx, cancel = context.WithTimeout(t.Context(), 30*time.Millisecond)
				defer cancel()
				if name != "within a refusal" {
					assert.Equal(t, context.DeadlineExceeded, e.ask(patient, ctx, ""))
				}
			})
		})
	}
}
