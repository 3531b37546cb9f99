package demo

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/upstream"
	"inlaygraph/upstream/platform"
)

// checkoutURL asks for a hosted page.
func checkoutURL(t *testing.T, client *platform.Client, token, what, body string) string {
	t.Helper()
	answer, err := client.Post(t.Context(), token, []byte(body), "billing", what)
	require.NoError(t, err)
	var said struct{ URL string }
	require.NoError(t, json.Unmarshal(answer, &said))
	return said.URL
}

// visit opens a page as a browser would, following redirects.
func visit(t *testing.T, method, page string) (status int, html string, headers http.Header) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, page, nil)
	require.NoError(t, err)
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode, string(body), resp.Header
}

// Promise 15: a page is paid once, and then the wallet has it.
func TestTopup(t *testing.T) {
	o := quick
	o.Identify = identified
	d, client := start(t, o)
	defer http.DefaultClient.CloseIdleConnections()
	before, _ := consistent(t, client, "ann")
	bobs, _ := consistent(t, client, "bob")
	page := checkoutURL(t, client, "ann", "topup", `{"amount_micro_usd":12500000,"return_url":"https://app.example/billing?a=1&b=%22"}`)
	other := checkoutURL(t, client, "ann", "topup", `{"amount_micro_usd":12500000}`)
	assert.Regexp(t, "^"+d.URL()+"/checkout/[a-z2-7]{26}$", page)
	assert.NotEqual(t, page, other)

	status, html, headers := visit(t, http.MethodGet, page)
	assert.Equal(t, 200, status)
	assert.Contains(t, html, "Pay $12.50</button>")
	assert.Contains(t, html, `<a href="https://app.example/billing?a=1&amp;b=%22">Go back without paying</a>`)
	assert.Contains(t, headers.Get("Content-Security-Policy"), "default-src 'none'")
	assert.Contains(t, headers.Get("Content-Security-Policy"), "frame-ancestors 'none'")
	assert.Equal(t, "no-store", headers.Get("Cache-Control"))
	after, _ := consistent(t, client, "ann")
	assert.Equal(t, before.Available, after.Available, "looking costs nothing")

	status, html, _ = visit(t, http.MethodPost, page)
	assert.Equal(t, 200, status)
	assert.Contains(t, html, "Thank you")
	assert.Contains(t, html, ">Go back</a>")
	assert.NotContains(t, html, "<form")
	after, _ = consistent(t, client, "ann")
	assert.Equal(t, before.Available+12_500_000, after.Available)
	status, html, _ = visit(t, http.MethodPost, page)
	assert.Equal(t, 410, status)
	assert.Contains(t, html, "paid already")
	once, _ := consistent(t, client, "ann")
	assert.Equal(t, after.Available, once.Available)
	invoice := bill[invoicesAnswer](t, client, "ann", "invoices", nil).Invoices[0]
	assert.Equal(t, []any{"topup", "paid", int64(12_500_000)}, []any{invoice.Source, invoice.Status, invoice.Total})
	grants := bill[grantsAnswer](t, client, "ann", "grants", nil).Grants
	assert.Equal(t, "purchase", grants[len(grants)-1].Source)
	bob, _ := consistent(t, client, "bob")
	assert.Equal(t, bobs.Available, bob.Available)

	for _, method := range []string{http.MethodGet, http.MethodPost} {
		status, html, _ = visit(t, method, d.URL()+"/checkout/nope")
		assert.Equal(t, 404, status)
		assert.Contains(t, html, "no such checkout")
	}
}

// Promise 15: a plan is changed by its page.
func TestSubscribe(t *testing.T) {
	_, client := start(t, quick)
	defer http.DefaultClient.CloseIdleConnections()
	plans := bill[plansAnswer](t, client, "", "plans", nil)
	require.Len(t, plans.Plans, 3)
	assert.Equal(t, "free", plans.Current)
	page := checkoutURL(t, client, "", "subscribe", `{"plan_id":"plus","return_url":null}`)
	_, html, _ := visit(t, http.MethodGet, page)
	assert.Contains(t, html, "Plus, $20.00 a month")
	assert.NotContains(t, html, "Go back")
	status, _, _ := visit(t, http.MethodPost, page)
	assert.Equal(t, 200, status)
	changed := bill[plansAnswer](t, client, "", "plans", nil)
	assert.Equal(t, "plus", changed.Current)
	assert.True(t, changed.Start.After(plans.Start))
	_, u := consistent(t, client, "")
	assert.Zero(t, u.Used, "a period begins")
	assert.EqualValues(t, 25_000_000, *u.Included)
	before, _ := consistent(t, client, "")
	execute(t, client, "companion", user("", "hi"))
	after, u := consistent(t, client, "")
	assert.Positive(t, u.Used)
	assert.Equal(t, before.Available, after.Available, "the allowance pays")
}

// Promise 15: what is no checkout.
func TestCheckoutsThatAreNone(t *testing.T) {
	_, client := start(t, quick)
	for body, want := range map[string]error{
		`{"amount_micro_usd":9999}`: upstream.Refused, `{"amount_micro_usd":0}`: upstream.Refused,
		`{"amount_micro_usd":-1}`: upstream.Refused, `{"amount_micro_usd":10000000001}`: upstream.Refused,
		`{"amount_micro_usd":"10000"}`: upstream.Refused, `{"amount_micro_usd":10000.5}`: upstream.Refused,
		`{}`: upstream.Refused, `[]`: upstream.Refused, `x`: upstream.Refused, ``: upstream.Refused,
		`{"amount_micro_usd":10000,"return_url":"https://a/` + strings.Repeat("x", 2048) + `"}`: upstream.Refused,
		`{"amount_micro_usd":10000,"return_url":7}`:                                             upstream.Refused,
		strings.Repeat(" ", maxBody+1):                                                          upstream.Refused,
		`{"amount_micro_usd":10000}`:                                                            nil, `{"amount_micro_usd":10000000000}`: nil,
	} {
		_, err := client.Post(t.Context(), "", []byte(body), "billing", "topup")
		assert.ErrorIs(t, err, want, "%.60s", body)
	}
	for body, want := range map[string]error{`{"plan_id":"gold"}`: upstream.NotFound, `{}`: upstream.NotFound, `{"plan_id":1}`: upstream.Refused} {
		_, err := client.Post(t.Context(), "", []byte(body), "billing", "subscribe")
		assert.ErrorIs(t, err, want, body)
	}
}

// Promise 15: a page links to http and https only, and escapes what it shows.
func TestPagesAreSafe(t *testing.T) {
	for back, want := range map[string]bool{
		"https://a.example/x": true, "http://127.0.0.1:5173/": true, "HTTPS://a.example": true,
		"javascript:alert(1)": false, "//a.example": false, "/x": false, "data:text/html,x": false, "": false, "https:": false,
		"https://": false, "java\nscript:x": false, "ftp://a.example": false,
	} {
		assert.Equal(t, want, linkable(back) != "", back)
	}
	d, client := start(t, quick)
	defer http.DefaultClient.CloseIdleConnections()
	for _, back := range []string{`javascript:alert(1)`, `https://a.example/\"><script>alert(1)</script>`} {
		page := checkoutURL(t, client, "", "topup", fmt.Sprintf(`{"amount_micro_usd":10000,"return_url":"%s"}`, back))
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			_, html, _ := visit(t, method, page)
			assert.NotContains(t, html, "<script")
			assert.NotContains(t, html, "javascript:")
		}
	}

	w := httptest.NewRecorder()
	d.url = ""
	d.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodPost, "http://demo.test/v1/billing/topup", strings.NewReader(`{"amount_micro_usd":10000}`)))
	assert.Contains(t, w.Body.String(), `"http://demo.test/checkout/`)
}

// Promise 15: checkouts lapse, and are bounded.
func TestCheckoutsAreBounded(t *testing.T) {
	clock := newHandClock()
	d, client := start(t, Options{Clock: clock}, builtIn(t, "chat"))
	defer http.DefaultClient.CloseIdleConnections()
	page := checkoutURL(t, client, "", "topup", `{"amount_micro_usd":10000}`)
	clock.move(checkoutLife)
	before, _ := consistent(t, client, "")
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		status, _, _ := visit(t, method, page)
		assert.Equal(t, 404, status)
	}
	u, err := url.Parse(page)
	require.NoError(t, err)
	assert.False(t, d.checkouts.pay(strings.TrimPrefix(u.Path, checkoutPath), clock.Now()))
	after, _ := consistent(t, client, "")
	assert.Equal(t, before.Available, after.Available)

	for range maxCheckouts + 5 {
		d.checkouts.add(&checkout{madeAt: clock.Now().Add(time.Second)})
	}
	assert.Len(t, d.checkouts.byID, maxCheckouts)
	assert.Len(t, d.checkouts.order, maxCheckouts)
}

// The amount is shown to the cent, or in full.
func TestDollars(t *testing.T) {
	for micro, want := range map[int64]string{
		0: "$0.00", 10_000: "$0.01", 20_000_000: "$20.00", 12_345_678: "$12.345678", 1: "$0.000001", 9_990_000: "$9.99",
	} {
		assert.Equal(t, want, dollars(micro))
	}
}
