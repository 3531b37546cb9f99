package demo

import (
	"fmt"
	"time"

	"inlaygraph/wire"
)

// plan is one of the catalogue.
type plan struct {
	id, name, description string
	price, included       int64
	trialDays             int
	features              []string
}

// catalogue is what a user can subscribe to. New accounts are on the first.
var catalogue = []*plan{
	{"free", "Free", "To look around.", 0, 1_000_000, 0, []string{"every agent of the demo", "the log of ten turns"}},
	{"plus", "Plus", "For one who writes a lot.", 20_000_000, 25_000_000, 14, []string{"all of Free", "more included"}},
	{"team", "Team", "For those who share.", 99_000_000, 150_000_000, 0, []string{"all of Plus", "an invoice that finance likes"}},
}

// invoice is a bill, paid on the spot as everything here is.
type invoice struct {
	id, status, source string
	total              int64
	period             period
	created            time.Time
}

// bill writes an invoice.
func (a *account) bill(source string, total int64, in period, now time.Time) *invoice {
	i := &invoice{
		id: fmt.Sprintf("invoice-%d", len(a.invoices)+1), status: "paid", source: source,
		total: total, period: in, created: now,
	}
	a.invoices = append(a.invoices, i)
	return i
}

// newAccount has some credit, a year of invoices, and a period of usage that is a bit over its allowance.
func newAccount(now time.Time) *account {
	day := func(n int) time.Time { return now.AddDate(0, 0, n) }
	start := day(-12)
	a := &account{plan: catalogue[0], period: period{start, start.AddDate(0, 1, 0)}, updated: now}
	lapses, lapsed, voided, late := day(20), day(-30), day(-50), day(300)
	a.grants = []*grant{
		{id: "grant-1", name: "Trial credit", source: "promotion", amount: 2_000_000, remaining: 650_000,
			effective: day(-120), expires: &lapsed, priority: 1},
		{id: "grant-2", name: "Referral", source: "referral", amount: 2_500_000, remaining: 2_500_000,
			effective: day(-60), voided: &voided, priority: 1},
		{id: "grant-3", name: "Welcome credit", source: "promotion", amount: 5_000_000, remaining: 5_000_000,
			effective: day(-40), expires: &lapses, priority: 1},
		{id: "grant-4", name: "Top-up", source: "purchase", amount: 10_000_000, remaining: 10_000_000,
			effective: day(-65), expires: &late, priority: 2},
	}
	for month := -13; month < -1; month++ {
		from := start.AddDate(0, month, 0)
		i := a.bill("subscription", catalogue[1].price, period{from, from.AddDate(0, 1, 0)}, from)
		if month == -7 {
			i.status = "void"
		}
	}
	a.bill("topup", 10_000_000, period{day(-65), day(-65)}, day(-65))
	a.uses = []use{
		{day(-11), "companion", "Companion", 9, wire.Usage{PromptTokens: 33_000, CompletionTokens: 12_400, ReasoningTokens: 3_600}},
		{day(-6), "travel-desk", "Travel desk", 4, wire.Usage{PromptTokens: 61_000, CompletionTokens: 27_500, ReasoningTokens: 2_200}},
		{day(-2), "newsroom", "Newsroom", 2, wire.Usage{PromptTokens: 38_500, CompletionTokens: 11_800, ReasoningTokens: 1_100}},
	}
	a.pay(max(sum(a.uses, a.period).cost-a.plan.included, 0), now)
	return a
}
