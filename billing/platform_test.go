package billing_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/billing"
	"inlaygraph/coded"
	"inlaygraph/upstream/platform"
)

var _ billing.Upstream = (*platform.Client)(nil)

// asked is what an HTTP server was asked for.
type asked struct{ uri, auth, body string }

// serve is a platform that answers the samples, or status where it is not 0, and notes what it is asked for.
func serve(t *testing.T, status int) (*billing.Facade, *[]asked) {
	t.Helper()
	var all []asked
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		assert.NoError(t, err)
		all = append(all, asked{r.Method + " " + r.RequestURI, r.Header.Get("Authorization"), string(body)})
		if status != 0 {
			w.WriteHeader(status)
			assert.NoError(t, json.NewEncoder(w).Encode(map[string]any{"error": map[string]string{"code": "no", "message": "words"}}))
			return
		}
		_, name, _ := strings.Cut(r.URL.Path, "/billing/")
		if name == "subscribe" {
			name = "topup"
		}
		sample, err := os.ReadFile("testdata/" + name + ".json")
		assert.NoError(t, err)
		_, err = w.Write(sample)
		assert.NoError(t, err)
	}))
	t.Cleanup(server.Close)
	client, err := platform.New(platform.Options{BaseURL: server.URL + "/base"})
	require.NoError(t, err)
	t.Cleanup(client.Close)
	return billing.New(client), &all
}

// The endpoints of docs/wire.md over HTTP, with the token where it belongs.
func TestOverHTTP(t *testing.T) {
	f, all := serve(t, 0)
	b, ctx := f.For("tok"), t.Context()
	balance, err := b.Balance(ctx)
	require.NoError(t, err)
	assert.Equal(t, int64(-250_000), balance.AvailableMicroUsd)
	from, to := time.Date(2026, 2, 1, 0, 0, 0, 5e8, time.FixedZone("", 7200)), time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	usage, err := b.Usage(ctx, &from, &to)
	require.NoError(t, err)
	assert.Len(t, usage.Lines, 2)
	plans, err := b.Plans(ctx)
	require.NoError(t, err)
	assert.Equal(t, "Pro", plans.Current().Name)
	limit := 5
	invoices, err := b.Invoices(ctx, &limit, nil)
	require.NoError(t, err)
	assert.Len(t, invoices, 2)
	grants, err := f.For("").Grants(ctx)
	require.NoError(t, err)
	assert.Len(t, grants, 2)
	page := "http://localhost:3000/wallet"
	checkout, err := f.Topup(ctx, "tok", 5_000_000, &page)
	require.NoError(t, err)
	assert.True(t, strings.HasPrefix(checkout.URL, "https://checkout.example.com/c/pay/"))
	_, err = f.SubscribeCheckout(ctx, "tok", "pro", nil)
	require.NoError(t, err)
	assert.Equal(t, []asked{
		{"GET /base/v1/billing/balance", "Bearer tok", ""},
		{"GET /base/v1/billing/usage?from=2026-01-31T22%3A00%3A00.5Z&to=2026-03-01T00%3A00%3A00Z", "Bearer tok", ""},
		{"GET /base/v1/billing/plans", "Bearer tok", ""},
		{"GET /base/v1/billing/invoices?limit=5&offset=0", "Bearer tok", ""},
		{"GET /base/v1/billing/grants", "", ""},
		{"POST /base/v1/billing/topup", "Bearer tok", `{"amount_micro_usd":5000000,"return_url":"http://localhost:3000/wallet"}`},
		{"POST /base/v1/billing/subscribe", "Bearer tok", `{"plan_id":"pro"}`},
	}, *all)
}

// The statuses of docs/billing.md ("Errors"), each asked for once.
func TestStatusesOverHTTP(t *testing.T) {
	for status, want := range map[int]coded.Code{
		400: coded.BadUserInput, 413: coded.BadUserInput, 422: coded.BadUserInput, 401: coded.Unauthenticated, 403: coded.NotFound,
		404: coded.NotFound, 410: coded.NotFound, 409: coded.Conflict, 429: coded.RateLimited, 500: coded.UpstreamUnavailable,
		503: coded.UpstreamUnavailable, 302: coded.UpstreamUnavailable,
	} {
		f, all := serve(t, status)
		_, err := f.For("tok").Balance(t.Context())
		assert.Equal(t, want, coded.CodeOf(err), status)
		_, err = f.Topup(t.Context(), "tok", 1, nil)
		assert.Equal(t, want, coded.CodeOf(err), status)
		assert.NotContains(t, err.Error(), "words")
		assert.Len(t, *all, 2, "a request is made once")
	}
}
