package billing

import (
	"context"
	"errors"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/coded"
	"inlaygraph/upstream"
)

func ptr[T any](v T) *T { return &v }

// Promises 1 and 2: one request a call, the same again for an equal one, with the token and nothing else of who asks.
func TestRequests(t *testing.T) {
	page := ptr("https://app.example.com/wallet?session={ID}")
	noon := time.Date(2026, 2, 6, 12, 0, 0, 0, time.FixedZone("", 3600))
	cases := []struct {
		name string
		ask  func(context.Context, *Facade) error
		want request
	}{
		{"balance", func(ctx context.Context, f *Facade) error { return second(f.For("tok").Balance(ctx)) },
			request{"GET", "billing/balance", "tok", nil, ""}},
		{"no token", func(ctx context.Context, f *Facade) error { return second(f.For("").Balance(ctx)) },
			request{"GET", "billing/balance", "", nil, ""}},
		{"usage", func(ctx context.Context, f *Facade) error { return second(f.For("tok").Usage(ctx, nil, nil)) },
			request{"GET", "billing/usage", "tok", url.Values{}, ""}},
		{"usage from", func(ctx context.Context, f *Facade) error { return second(f.For("tok").Usage(ctx, &noon, nil)) },
			request{"GET", "billing/usage", "tok", url.Values{"from": {"2026-02-06T11:00:00Z"}}, ""}},
		{"usage to", func(ctx context.Context, f *Facade) error { return second(f.For("tok").Usage(ctx, nil, &noon)) },
			request{"GET", "billing/usage", "tok", url.Values{"to": {"2026-02-06T11:00:00Z"}}, ""}},
		{"plans", func(ctx context.Context, f *Facade) error { return second(f.For("tok").Plans(ctx)) },
			request{"GET", "billing/plans", "tok", nil, ""}},
		{"invoices", func(ctx context.Context, f *Facade) error { return second(f.For("tok").Invoices(ctx, nil, nil)) },
			request{"GET", "billing/invoices", "tok", url.Values{"limit": {"20"}, "offset": {"0"}}, ""}},
		{"invoices, least", func(ctx context.Context, f *Facade) error { return second(f.For("tok").Invoices(ctx, ptr(1), ptr(0))) },
			request{"GET", "billing/invoices", "tok", url.Values{"limit": {"1"}, "offset": {"0"}}, ""}},
		{"invoices, most", func(ctx context.Context, f *Facade) error {
			return second(f.For("tok").Invoices(ctx, ptr(100), ptr(1<<31-1)))
		}, request{"GET", "billing/invoices", "tok", url.Values{"limit": {"100"}, "offset": {"2147483647"}}, ""}},
		{"grants", func(ctx context.Context, f *Facade) error { return second(f.For("tok").Grants(ctx)) },
			request{"GET", "billing/grants", "tok", nil, ""}},
		{"topup", func(ctx context.Context, f *Facade) error { return second(f.Topup(ctx, "tok", 20_000_000, page)) },
			request{"POST", "billing/topup", "tok", nil,
				`{"amount_micro_usd":20000000,"return_url":"https://app.example.com/wallet?session={ID}"}`}},
		{"subscribe", func(ctx context.Context, f *Facade) error {
			return second(f.SubscribeCheckout(ctx, "tok", "pro", page))
		},
			request{"POST", "billing/subscribe", "tok", nil,
				`{"plan_id":"pro","return_url":"https://app.example.com/wallet?session={ID}"}`}},
		{"subscribe, odd id", func(ctx context.Context, f *Facade) error {
			return second(f.SubscribeCheckout(ctx, "tok", "a/../\"\n\xff", nil))
		}, request{"POST", "billing/subscribe", "tok", nil, `{"plan_id":"a/../\"\n` + "\ufffd" + `"}`}},
	}
	everything := `{"url":"https://pay.example.com/","available_micro_usd":0,"used_micro_usd":0,"lines":[],"plans":[],"invoices":[],"grants":[]}`
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			up := saying(everything)
			f := New(up)
			for range 2 {
				require.NoError(t, tc.ask(t.Context(), f))
			}
			assert.Equal(t, []request{tc.want, tc.want}, up.asked)
		})
	}
}

func second[T any](_ T, err error) error { return err }

// Promise 7.
func TestArguments(t *testing.T) {
	early, late := time.Unix(0, 0), time.Unix(0, 1)
	cases := []struct {
		name string
		ask  func(context.Context, *Facade) error
		want string
	}{
		{"usage turned round", func(ctx context.Context, f *Facade) error { return second(f.For("tok").Usage(ctx, &late, &early)) },
			"from is after to"},
		{"usage before all years", func(ctx context.Context, f *Facade) error {
			return second(f.For("tok").Usage(ctx, ptr(time.Date(-1, 12, 31, 23, 59, 59, 0, time.UTC)), nil))
		}, "from takes a time of the years 0 to 9999"},
		{"usage after all years", func(ctx context.Context, f *Facade) error {
			return second(f.For("tok").Usage(ctx, nil, ptr(time.Date(9999, 12, 31, 23, 0, 0, 0, time.FixedZone("", -3600)))))
		}, "to takes a time of the years 0 to 9999"},
		{"no invoices", func(ctx context.Context, f *Facade) error { return second(f.For("tok").Invoices(ctx, ptr(0), nil)) },
			"limit takes 1 to 100, not 0"},
		{"too many invoices", func(ctx context.Context, f *Facade) error { return second(f.For("tok").Invoices(ctx, ptr(101), nil)) },
			"limit takes 1 to 100, not 101"},
		{"invoices before the first", func(ctx context.Context, f *Facade) error { return second(f.For("tok").Invoices(ctx, nil, ptr(-1))) },
			"offset takes a number of invoices, from 0, not -1"},
		{"topup of nothing", func(ctx context.Context, f *Facade) error { return second(f.Topup(ctx, "tok", 0, nil)) },
			"amountMicroUsd takes 1 to 9007199254740991 millionths of a US dollar, not 0"},
		{"topup of less", func(ctx context.Context, f *Facade) error { return second(f.Topup(ctx, "tok", -1, nil)) },
			"amountMicroUsd takes 1 to 9007199254740991 millionths of a US dollar, not -1"},
		{"topup of too much", func(ctx context.Context, f *Facade) error { return second(f.Topup(ctx, "tok", 1<<53, nil)) },
			"amountMicroUsd takes 1 to 9007199254740991 millionths of a US dollar, not 9007199254740992"},
		{"topup to nowhere", func(ctx context.Context, f *Facade) error { return second(f.Topup(ctx, "tok", 1, ptr(""))) }, sayReturn},
		{"no plan", func(ctx context.Context, f *Facade) error { return second(f.SubscribeCheckout(ctx, "tok", "", nil)) },
			"planId takes an id of 1 to 256 bytes"},
		{"endless plan", func(ctx context.Context, f *Facade) error {
			return second(f.SubscribeCheckout(ctx, "tok", string(make([]byte, 257)), nil))
		}, "planId takes an id of 1 to 256 bytes"},
		{"subscription to nowhere", func(ctx context.Context, f *Facade) error {
			return second(f.SubscribeCheckout(ctx, "tok", "pro", ptr("javascript:alert(1)")))
		}, sayReturn},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			up := saying(`{"url":"https://pay.example.com/"}`)
			err := tc.ask(t.Context(), New(up))
			assert.EqualError(t, err, "BAD_USER_INPUT: "+tc.want)
			assert.Empty(t, up.asked)
		})
	}
	up := saying(`{"used_micro_usd":0,"lines":[],"url":"https://pay.example.com/"}`)
	assert.NoError(t, second(New(up).For("").Usage(t.Context(), &early, &early)), "a moment is a period")
	assert.NoError(t, second(New(up).SubscribeCheckout(t.Context(), "", string(make([]byte, 256)), nil)))
	assert.NoError(t, second(New(up).Topup(t.Context(), "", 1<<53-1, nil)))
}

const sayReturn = "returnUrl takes an absolute https URL of at most 8192 bytes (http for loopback hosts only), without user info"

// Promise 9: every failure of upstream has the code and the message of docs/billing.md, whatever was asked for.
func TestFailures(t *testing.T) {
	page := map[upstream.Kind]coded.Error{
		upstream.NotFound:        {Code: coded.NotFound, Message: sayNotFound},
		upstream.Forbidden:       {Code: coded.NotFound, Message: sayNotFound},
		upstream.Gone:            {Code: coded.NotFound, Message: sayNotFound},
		upstream.Unauthenticated: {Code: coded.Unauthenticated, Message: "upstream does not accept the session"},
		upstream.RateLimited:     {Code: coded.RateLimited, Message: "upstream asks for fewer requests"},
		upstream.Conflict:        {Code: coded.Conflict, Message: "upstream does not allow it as things stand"},
		upstream.Refused:         {Code: coded.BadUserInput, Message: "upstream does not take the request"},
		upstream.Unavailable:     {Code: coded.UpstreamUnavailable, Message: "upstream does not answer"},
	}
	for _, a := range answers {
		for kind, want := range page {
			if a.name == "subscribe" && want.Code == coded.NotFound {
				want.Message = sayNoPlan
			}
			cause := &upstream.Error{Op: "billing/" + a.name, Kind: kind, Detail: errors.New("upstream's words")}
			value, err := a.ask(t.Context(), New(&fake{err: cause}), "tok")
			require.Nil(t, value)
			var e *coded.Error
			require.ErrorAs(t, err, &e)
			assert.Equal(t, want.Code, e.Code, "%s %s", a.name, kind)
			assert.Equal(t, want.Message, e.Message, "%s %s", a.name, kind)
			assert.ErrorIs(t, err, cause)
			assert.NotContains(t, err.Error(), "upstream's words")
		}
		_, err := a.ask(t.Context(), New(&fake{err: context.Canceled}), "tok")
		assert.Equal(t, context.Canceled, err, "nobody is there to be told")
		_, err = a.ask(t.Context(), New(&fake{err: context.DeadlineExceeded}), "tok")
		assert.Equal(t, coded.UpstreamUnavailable, coded.CodeOf(err))
	}
}

// Promise 10.
func TestNoBilling(t *testing.T) {
	for _, f := range []*Facade{New(nil), nil} {
		for _, a := range answers {
			value, err := a.ask(t.Context(), f, "tok")
			assert.Nil(t, value)
			assert.EqualError(t, err, "UPSTREAM_UNAVAILABLE: this upstream has no billing")
		}
		_, err := f.Topup(t.Context(), "tok", 0, nil)
		assert.Equal(t, coded.BadUserInput, coded.CodeOf(err), "promise 7 comes first")
	}
}

// Promise 9: a platform that has no billing at all says so.
func TestAPlatformWithoutBilling(t *testing.T) {
	for _, a := range answers {
		_, err := a.ask(t.Context(), New(&fake{err: &upstream.Error{Op: "billing", Kind: upstream.NotFound, Detail: upstream.ErrNone}}), "tok")
		assert.ErrorContains(t, err, "NOT_FOUND: this upstream has no billing:", a.name)
	}
}

// Promise 11: one Billing is asked for several fields at once.
func TestConcurrency(t *testing.T) {
	up := saying(`{"url":"https://pay.example.com/","available_micro_usd":7,"used_micro_usd":0,"lines":[],"plans":[],"invoices":[],"grants":[]}`)
	f := New(up)
	b := f.For("tok")
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() { assert.NoError(t, second(b.Balance(t.Context()))) })
		all.Go(func() { assert.NoError(t, second(b.Usage(t.Context(), nil, nil))) })
		all.Go(func() { assert.NoError(t, second(b.Invoices(t.Context(), nil, nil))) })
		all.Go(func() { assert.NoError(t, second(f.Topup(t.Context(), "other", 1, nil))) })
	}
	all.Wait()
	tokens := map[string]int{}
	for _, r := range up.asked {
		tokens[r.method+" "+r.auth]++
	}
	assert.Equal(t, map[string]int{"GET tok": 60, "POST other": 20}, tokens)
}
