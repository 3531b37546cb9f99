package demo

import (
	"encoding/json"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/upstream"
	"inlaygraph/upstream/platform"
	"inlaygraph/wire"
)

// bill reads something of the billing.
func bill[T any](t *testing.T, client *platform.Client, token, what string, query url.Values) T {
	t.Helper()
	body, err := client.Get(t.Context(), token, query, "billing", what)
	require.NoError(t, err)
	var answer T
	require.NoError(t, json.Unmarshal(body, &answer))
	return answer
}

type (
	balanceAnswer struct {
		Available    int64     `json:"available_micro_usd"`
		Ledger       int64     `json:"ledger_micro_usd"`
		Pending      int64     `json:"pending_micro_usd"`
		Expiring     int64     `json:"expiring_micro_usd"`
		NextExpiryAt time.Time `json:"next_expiry_at"`
		UpdatedAt    time.Time `json:"updated_at"`
	}
	usageAnswer struct {
		Start      time.Time   `json:"period_start"`
		End        time.Time   `json:"period_end"`
		Used       int64       `json:"used_micro_usd"`
		Included   *int64      `json:"included_micro_usd"`
		Remaining  *int64      `json:"remaining_micro_usd"`
		Beyond     *int64      `json:"overage_micro_usd"`
		Prompt     int64       `json:"prompt_tokens"`
		Completion int64       `json:"completion_tokens"`
		Reasoning  int64       `json:"reasoning_tokens"`
		Runs       int64       `json:"run_count"`
		Lines      []usageLine `json:"lines"`
	}
	plansAnswer struct {
		Current string `json:"current_plan_id"`
		Plans   []struct {
			ID    string `json:"id"`
			Price int64  `json:"price_micro_usd"`
		} `json:"plans"`
		Start time.Time `json:"current_period_start"`
		End   time.Time `json:"current_period_end"`
	}
	invoicesAnswer struct {
		Invoices []struct {
			ID, Status, Source string
			Total              int64      `json:"total_micro_usd"`
			Paid               int64      `json:"amount_paid_micro_usd"`
			CreatedAt          time.Time  `json:"created_at"`
			PaidAt             *time.Time `json:"paid_at"`
		} `json:"invoices"`
	}
	grantsAnswer struct {
		Grants []struct {
			ID, Source, Status string
			Amount             int64 `json:"amount_micro_usd"`
			Remaining          int64 `json:"remaining_micro_usd"`
		} `json:"grants"`
	}
)

// consistent checks what holds for the billing of a user at any moment without a run in flight.
func consistent(t *testing.T, client *platform.Client, token string) (balanceAnswer, usageAnswer) {
	t.Helper()
	b, u := bill[balanceAnswer](t, client, token, "balance", nil), bill[usageAnswer](t, client, token, "usage", nil)
	credit := int64(0)
	for _, g := range bill[grantsAnswer](t, client, token, "grants", nil).Grants {
		assert.GreaterOrEqual(t, g.Amount, g.Remaining)
		assert.GreaterOrEqual(t, g.Remaining, int64(0))
		if g.Status == "active" {
			credit += g.Remaining
		}
	}
	assert.Equal(t, credit, b.Ledger)
	assert.Equal(t, b.Available, b.Ledger-b.Pending)
	assert.Zero(t, b.Pending)
	sum, tokens := int64(0), int64(0)
	for _, line := range u.Lines {
		sum += line.Used
		tokens += line.Quantity
		assert.Equal(t, "tokens", line.Unit)
	}
	assert.Equal(t, sum, u.Used)
	assert.Equal(t, tokens, u.Prompt+u.Completion+u.Reasoning)
	assert.Equal(t, max(*u.Included-u.Used, 0), *u.Remaining)
	assert.Equal(t, max(u.Used-*u.Included, 0), *u.Beyond)
	return b, u
}

// Promise 14: lines add up, and runs that a person sends count, to the token.
func TestUsage(t *testing.T) {
	_, client := start(t, quick)
	begun := time.Now().UTC().Truncate(time.Millisecond)
	before, used := consistent(t, client, "")
	assert.Len(t, used.Lines, 3)
	assert.Positive(t, used.Used)

	frames := execute(t, client, "companion", user("", "hi"))
	failed := execute(t, client, "release-bot", user("", "hi"))
	s, err := client.Retry(t.Context(), "", failed[0].ConversationID)
	frames = append(append(frames, failed...), drained(t, s, err)...)
	var tokens wire.Usage
	for _, f := range ofType(frames, wire.NodeEnd) {
		if f.Usage != nil {
			tokens.PromptTokens += f.Usage.PromptTokens
			tokens.CompletionTokens += f.Usage.CompletionTokens
			tokens.ReasoningTokens += f.Usage.ReasoningTokens
		}
	}
	cost := use{tokens: tokens}.cost()
	assert.Positive(t, cost)
	after, now := consistent(t, client, "")
	assert.Equal(t, used.Used+cost, now.Used)
	assert.Equal(t, before.Available-cost, after.Available, "beyond the allowance")
	assert.Equal(t, used.Runs+3, now.Runs)
	assert.Equal(t, used.Prompt+tokens.PromptTokens, now.Prompt)
	assert.Len(t, now.Lines, 4)
	assert.True(t, after.UpdatedAt.After(before.UpdatedAt))
	labels := map[string]string{}
	for _, line := range now.Lines {
		labels[line.Key] = line.Label
	}
	assert.Equal(t, "Release bot", labels["release-bot"])

	since := bill[usageAnswer](t, client, "", "usage", url.Values{"from": {begun.Format(time.RFC3339Nano)}})
	assert.Equal(t, []any{cost, int64(3)}, []any{since.Used, since.Runs})
	assert.Nil(t, since.Included, "the allowance is a period's")
	until := bill[usageAnswer](t, client, "", "usage", url.Values{"to": {begun.Format(time.RFC3339Nano)}})
	assert.Equal(t, used.Used, until.Used)
	for _, query := range []url.Values{{"from": {"yesterday"}}, {"to": {"2026-01-01"}}, {"from": {"2026-01-02T00:00:00Z"}, "to": {"2026-01-01T00:00:00Z"}}} {
		_, err := client.Get(t.Context(), "", query, "billing", "usage")
		assert.ErrorIs(t, err, upstream.Refused, "%v", query)
	}
}

// Promise 14: what scenarios do by themselves costs nobody anything, and what is in flight is pending.
func TestPendingUsage(t *testing.T) {
	clock := newHandClock()
	d, client := start(t, Options{Clock: clock, Patience: -1}, builtIn(t, "chat"))
	before, used := consistent(t, client, "")
	clock.move(time.Minute)
	until(t, d.looping[0], "its loop", func() bool { return !d.looping[0].inFlight })
	_, now := consistent(t, client, "")
	assert.Equal(t, used.Used, now.Used)

	clock.settle(t, 1)
	_, err := client.Execute(t.Context(), "", "companion", user("demo-chat", "hi"))
	require.NoError(t, err)
	c := d.looping[0]
	ends := c.tape.due[len(c.tape.due)-1]
	clock.move(ends - time.Second)
	until(t, c, "its first node's end", func() bool { return c.meter != nil && c.meter.unsettled > 0 })
	b := bill[balanceAnswer](t, client, "", "balance", nil)
	assert.Positive(t, b.Pending)
	assert.Equal(t, before.Ledger, b.Ledger)
	assert.Equal(t, before.Available-b.Pending, b.Available)
	require.NoError(t, client.Cancel(t.Context(), "", "demo-chat"))
	after, _ := consistent(t, client, "")
	assert.Equal(t, b.Available, after.Available, "a run that was cancelled is paid as far as it went")
}

// Promise 14: each user has a wallet of one's own.
func TestWalletsAreApart(t *testing.T) {
	o := quick
	o.Identify = identified
	_, client := start(t, o)
	s, err := client.Execute(t.Context(), "ann", "companion", user("", "hi"))
	drained(t, s, err)
	_, anns := consistent(t, client, "ann")
	_, bobs := consistent(t, client, "bob")
	assert.Greater(t, anns.Used, bobs.Used)
}

// Promise 14: credit that lapses first is used first, what no credit covers is owed, and periods follow each other.
func TestAccount(t *testing.T) {
	now := time.Date(2026, 3, 31, 12, 0, 0, 0, time.UTC)
	a := newAccount(now)
	active := a.active(now)
	require.Len(t, active, 2)
	assert.Equal(t, []string{"grant-3", "grant-4"}, []string{active[0].id, active[1].id})
	left := active[0].remaining + active[1].remaining
	assert.Equal(t, int64(15_000_000)-(sum(a.uses, a.period).cost-1_000_000), left)

	tokens := wire.Usage{PromptTokens: 2_000_000}
	first := a.use(use{at: now, agent: "x", tokens: tokens})
	assert.EqualValues(t, 6_000_000, first)
	a.settle(first, now)
	assert.Zero(t, active[0].remaining)
	assert.Equal(t, left-6_000_000, active[1].remaining)
	a.settle(a.use(use{at: now, agent: "x", tokens: wire.Usage{PromptTokens: 4_000_000}}), now)
	assert.Equal(t, 18_000_000-left, a.owed)
	owed := a.owed
	a.topup(20_000_000, now)
	assert.Zero(t, a.owed)
	assert.Equal(t, 20_000_000-owed, a.active(now)[0].remaining)

	// The next period has an allowance of its own.
	later := a.period.end
	assert.Zero(t, a.use(use{at: later, agent: "x", tokens: wire.Usage{PromptTokens: 200_000}}))
	assert.EqualValues(t, 80_000, a.use(use{at: later, agent: "x", tokens: wire.Usage{CompletionTokens: 32_000}}), "beyond a million")
	assert.Equal(t, later, a.period.start)
	a.roll(later.AddDate(1, 0, 0))
	assert.True(t, a.period.has(later.AddDate(1, 0, 0)))
	a.subscribe(catalogue[2], later)
	assert.Zero(t, a.use(use{at: later, agent: "x", tokens: wire.Usage{PromptTokens: 40_000_000}}))
}

// Promise 14: an account is bounded, and loses no use.
func TestUsesAreBounded(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	a := newAccount(now)
	before := sum(a.uses, a.period)
	const n = 3 * maxUses
	for i := range n {
		a.uses = append(a.uses, use{at: now, agent: []string{"x", "y", "z"}[i%3], runs: 1, tokens: wire.Usage{PromptTokens: 1}})
		a.squeeze()
		require.LessOrEqual(t, len(a.uses), maxUses)
	}
	after := sum(a.uses, a.period)
	assert.Equal(t, before.cost+n*promptPrice, after.cost)
	assert.Equal(t, before.runs+n, after.runs)
	for i := 1; i < len(a.uses); i++ {
		assert.False(t, a.uses[i].at.Before(a.uses[i-1].at))
	}
}

// Promise 14: invoices come in pages, the newest first.
func TestInvoices(t *testing.T) {
	_, client := start(t, quick)
	page := func(limit, offset string) (ids []string) {
		answer := bill[invoicesAnswer](t, client, "", "invoices", url.Values{"limit": {limit}, "offset": {offset}})
		for i, invoice := range answer.Invoices {
			ids = append(ids, invoice.ID)
			assert.True(t, i == 0 || !invoice.CreatedAt.After(answer.Invoices[i-1].CreatedAt))
			assert.Equal(t, invoice.Status == "paid", invoice.PaidAt != nil)
			assert.Equal(t, invoice.Status == "paid", invoice.Paid > 0)
		}
		return ids
	}
	all := page("100", "0")
	assert.Len(t, all, 13)
	assert.Equal(t, all[:5], page("5", "0"))
	assert.Equal(t, all[5:10], page("5", "5"))
	assert.Equal(t, all[10:], page("5", "10"))
	assert.Empty(t, page("5", "13"))
	assert.Empty(t, page("5", "99"))
	for _, query := range []url.Values{{"limit": {"0"}}, {"limit": {"x"}}, {"offset": {"-1"}}} {
		_, err := client.Get(t.Context(), "", query, "billing", "invoices")
		assert.ErrorIs(t, err, upstream.Refused)
	}
}
