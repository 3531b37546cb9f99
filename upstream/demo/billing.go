package demo

import (
	"errors"
	"net/http"
	"time"
)

// overage is what happens to usage beyond the allowance.
const overage = "charge_credit"

func (d *Demo) serveBalance(w http.ResponseWriter, _ *http.Request, user string) {
	now := d.stage.now()
	a := d.accounts.of(user, now)
	a.mu.Lock()
	defer a.mu.Unlock()
	ledger := -a.owed
	var expiring, next any
	var first time.Time
	for _, g := range a.active(now) {
		ledger += g.remaining
		if g.expires != nil && (first.IsZero() || g.expires.Before(first)) {
			first, expiring, next = *g.expires, g.remaining, *g.expires
		}
	}
	replyJSON(w, object{
		"available_micro_usd": ledger - a.pending, "ledger_micro_usd": ledger, "pending_micro_usd": a.pending,
		"expiring_micro_usd": expiring, "next_expiry_at": next, "overage": overage, "updated_at": a.updated,
	})
}

// object is a JSON object of an answer; null is what the demo can't say.
type object map[string]any

// serveUsage answers what was used in the period, or between two instants.
func (d *Demo) serveUsage(w http.ResponseWriter, r *http.Request, user string) {
	now := d.stage.now()
	a := d.accounts.of(user, now)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.roll(now)
	in, whole, err := within(r, a.period)
	if err != nil {
		invalid("from and to are times with a zone, in this order").answer(w)
		return
	}
	u := sum(a.uses, in)
	answer := object{
		"period_start": in.start, "period_end": in.end, "used_micro_usd": u.cost, "lines": u.lines, "run_count": u.runs,
		"prompt_tokens": u.tokens.PromptTokens, "completion_tokens": u.tokens.CompletionTokens,
		"reasoning_tokens": u.tokens.ReasoningTokens,
	}
	if whole { // the allowance is that of a period
		included := a.plan.included
		answer["resets_at"], answer["included_micro_usd"], answer["overage"] = in.end, included, overage
		answer["remaining_micro_usd"], answer["overage_micro_usd"] = max(included-u.cost, 0), max(u.cost-included, 0)
	}
	replyJSON(w, answer)
}

var errRange = errors.New("demo: no range of time")

// within reads from and to; what is absent is the period's. It tells whether that is the period itself.
func within(r *http.Request, p period) (in period, whole bool, err error) {
	in, whole = p, true
	for name, at := range map[string]*time.Time{"from": &in.start, "to": &in.end} {
		if value := r.FormValue(name); value != "" {
			whole = false
			if *at, err = time.Parse(time.RFC3339, value); err != nil {
				return in, false, errRange
			}
		}
	}
	if in.end.Before(in.start) {
		return in, false, errRange
	}
	return in, whole, nil
}

func (d *Demo) servePlans(w http.ResponseWriter, _ *http.Request, user string) {
	now := d.stage.now()
	a := d.accounts.of(user, now)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.roll(now)
	plans := make([]object, len(catalogue))
	for i, p := range catalogue {
		plans[i] = object{
			"id": p.id, "name": p.name, "description": p.description, "price_micro_usd": p.price, "interval": "month",
			"included_micro_usd": p.included, "overage": overage, "trial_days": p.trialDays, "features": p.features,
		}
	}
	replyJSON(w, object{
		"current_plan_id": a.plan.id, "status": "active", "cancel_at_period_end": false, "plans": plans,
		"current_period_start": a.period.start, "current_period_end": a.period.end,
	})
}

// serveInvoices answers invoices, the newest first.
func (d *Demo) serveInvoices(w http.ResponseWriter, r *http.Request, user string) {
	limit, err1 := cursor(r, "limit", 20)
	offset, err2 := cursor(r, "offset", 0)
	if errors.Join(err1, err2) != nil {
		invalid("limit or offset is no whole number").answer(w)
		return
	}
	a := d.accounts.of(user, d.stage.now())
	a.mu.Lock()
	defer a.mu.Unlock()
	newest := len(a.invoices) - int(min(offset, int64(len(a.invoices))))
	oldest := newest - int(min(limit, maxLimit, int64(newest)))
	all := []object{}
	for n := newest - 1; n >= oldest; n-- {
		i := a.invoices[n]
		answer := object{
			"id": i.id, "number": "DEMO-" + i.id[len("invoice-"):], "status": i.status, "source": i.source,
			"total_micro_usd": i.total, "subtotal_micro_usd": i.total, "tax_micro_usd": 0, "amount_due_micro_usd": 0,
			"period_start": i.period.start, "period_end": i.period.end, "created_at": i.created,
			"due_at": i.created, "amount_paid_micro_usd": 0,
		}
		if i.status == "paid" {
			answer["amount_paid_micro_usd"], answer["paid_at"] = i.total, i.created
		}
		all = append(all, answer)
	}
	replyJSON(w, object{"invoices": all})
}

func (d *Demo) serveGrants(w http.ResponseWriter, _ *http.Request, user string) {
	now := d.stage.now()
	a := d.accounts.of(user, now)
	a.mu.Lock()
	defer a.mu.Unlock()
	all := []object{}
	for _, g := range a.grants {
		all = append(all, object{
			"id": g.id, "name": g.name, "source": g.source, "status": g.status(now), "amount_micro_usd": g.amount,
			"remaining_micro_usd": g.remaining, "effective_at": g.effective, "expires_at": g.expires,
			"voided_at": g.voided, "priority": g.priority,
		})
	}
	replyJSON(w, object{"grants": all})
}
