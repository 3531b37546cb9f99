package demo

import (
	"container/list"
	"fmt"
	"slices"
	"sync"
	"time"
)

// account is one user's billing (docs/wire.md, "Endpoints"). Money is in micro-USD. Usage is paid by the plan's
// allowance first, then by credit, whatever of it lapses first before the rest; what no credit covers is owed.
type account struct {
	mu       sync.Mutex
	plan     *plan
	period   period // of the subscription, and of the usage that the allowance covers
	uses     []use  // in the order of time
	grants   []*grant
	invoices []*invoice // oldest first
	owed     int64
	pending  int64 // used in runs that are in flight
	updated  time.Time
}

// period is from start up to, and without, end.
type period struct{ start, end time.Time }

func (p period) has(at time.Time) bool { return !at.Before(p.start) && at.Before(p.end) }

// grant is some credit.
type grant struct {
	id, name, source  string
	amount, remaining int64
	effective         time.Time
	expires, voided   *time.Time
	priority          int // lower ones are used first
}

func (g *grant) status(now time.Time) string {
	switch {
	case g.voided != nil:
		return "voided"
	case g.expires != nil && !now.Before(*g.expires):
		return "expired"
	case now.Before(g.effective):
		return "pending"
	case g.remaining == 0:
		return "depleted"
	}
	return "active"
}

// maxAccounts is of how many users there are accounts. Whose account was not asked for for the longest time begins anew.
const maxAccounts = 1_000

// accounts are those of the users who asked lately.
type accounts struct {
	mu     sync.Mutex
	byUser map[string]*list.Element
	order  list.List // of *owned, who asked last in front
}

type owned struct {
	user string
	*account
}

// of is the user's account, which begins with a past of its own.
func (a *accounts) of(user string, now time.Time) *account {
	a.mu.Lock()
	defer a.mu.Unlock()
	if e, ok := a.byUser[user]; ok {
		a.order.MoveToFront(e)
		return e.Value.(*owned).account
	}
	if a.byUser == nil {
		a.byUser = map[string]*list.Element{}
	}
	one := &owned{user, newAccount(now)}
	a.byUser[user] = a.order.PushFront(one)
	if a.order.Len() > maxAccounts {
		last := a.order.Back()
		a.order.Remove(last)
		delete(a.byUser, last.Value.(*owned).user)
	}
	return one.account
}

// meterFor charges what happens in a conversation to a user.
func (d *Demo) meterFor(user string, c *conversation) *meter {
	c.mu.Lock()
	defer c.mu.Unlock()
	m := &meter{account: d.accounts.of(user, d.stage.now()), agent: c.tape.agentID, label: c.tape.agentID}
	if plan := d.plans[planKey{c.tape.agentID, fmt.Sprint(c.tape.agentVersion)}]; plan != nil && plan.Name != "" {
		m.label = plan.Name
	}
	return m
}

// use counts usage and answers what of its cost the allowance does not cover. That is pending until it is settled.
func (a *account) use(u use) (beyond int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.roll(u.at)
	before := sum(a.uses, a.period).cost
	a.uses = append(a.uses, u)
	a.squeeze()
	included := a.plan.included
	beyond = max(before+u.cost()-included, 0) - max(before-included, 0)
	a.pending += beyond
	a.updated = u.at
	return beyond
}

// settle pays what was pending.
func (a *account) settle(amount int64, now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.pending -= amount
	a.pay(amount, now)
	a.updated = now
}

// pay takes an amount off the credit.
func (a *account) pay(amount int64, now time.Time) {
	for _, g := range a.active(now) {
		part := min(amount, g.remaining)
		g.remaining -= part
		amount -= part
	}
	a.owed += amount
}

// active is the credit that there is, in the order of use.
func (a *account) active(now time.Time) []*grant {
	var all []*grant
	for _, g := range a.grants {
		if g.status(now) == "active" {
			all = append(all, g)
		}
	}
	slices.SortStableFunc(all, func(x, y *grant) int {
		switch {
		case x.priority != y.priority:
			return x.priority - y.priority
		case x.expires == nil || y.expires == nil:
			return 0
		}
		return x.expires.Compare(*y.expires)
	})
	return all
}

// roll begins the period that now is in.
func (a *account) roll(now time.Time) {
	for !now.Before(a.period.end) {
		a.period = period{a.period.end, a.period.end.AddDate(0, 1, 0)}
	}
}

// topup adds paid credit, of which what is owed is taken off.
func (a *account) topup(amount int64, now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	expires := now.AddDate(1, 0, 0)
	g := &grant{
		id: fmt.Sprintf("grant-%d", len(a.grants)+1), name: "Top-up", source: "purchase",
		amount: amount, remaining: amount, effective: now, expires: &expires, priority: 2,
	}
	paid := min(a.owed, amount)
	a.owed -= paid
	g.remaining -= paid
	a.grants = append(a.grants, g)
	a.bill("topup", amount, period{now, now}, now)
	a.updated = now
}

// subscribe changes the plan, whose first period begins now.
func (a *account) subscribe(p *plan, now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.plan, a.period = p, period{now, now.AddDate(0, 1, 0)}
	a.bill("subscription", p.price, a.period, now)
	a.updated = now
}
