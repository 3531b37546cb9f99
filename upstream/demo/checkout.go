package demo

import (
	"bytes"
	"crypto/rand"
	_ "embed" // for the page
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// What a checkout takes, and how long and how many are kept.
const (
	minTopup     = 10_000         // a cent
	maxTopup     = 10_000_000_000 // ten thousand dollars
	maxReturnURL = 2048
	checkoutLife = time.Hour
	maxCheckouts = 1000
)

const checkoutPath = "/checkout/"

//go:embed checkout.html
var checkoutHTML string

var checkoutPage = template.Must(template.New("checkout").Parse(checkoutHTML))

// checkout is something to be paid for on its page.
type checkout struct {
	id      string
	account *account
	amount  int64
	plan    *plan  // to subscribe to; nil: credit
	back    string // a URL to link back to; "" for none
	madeAt  time.Time
	paid    bool
}

// checkouts are the open ones, and those paid lately.
type checkouts struct {
	mu    sync.Mutex
	byID  map[string]*checkout
	order []*checkout // oldest first
}

// add opens a checkout under an id that nobody can guess.
func (q *checkouts) add(c *checkout) {
	q.mu.Lock()
	defer q.mu.Unlock()
	c.id = strings.ToLower(rand.Text())
	if q.byID == nil {
		q.byID = map[string]*checkout{}
	}
	q.byID[c.id] = c
	q.order = append(q.order, c)
	for len(q.order) > maxCheckouts || c.madeAt.Sub(q.order[0].madeAt) >= checkoutLife {
		delete(q.byID, q.order[0].id)
		q.order = q.order[1:]
	}
}

// find is the checkout as it stands; nil when there is none, or none any more.
func (q *checkouts) find(id string, now time.Time) *checkout {
	q.mu.Lock()
	defer q.mu.Unlock()
	c := q.byID[id]
	if c == nil || now.Sub(c.madeAt) >= checkoutLife {
		return nil
	}
	found := *c
	return &found
}

// pay takes the payment, once.
func (q *checkouts) pay(id string, now time.Time) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	c := q.byID[id]
	if c == nil || c.paid || now.Sub(c.madeAt) >= checkoutLife {
		return false
	}
	c.paid = true
	if c.plan != nil {
		c.account.subscribe(c.plan, now)
	} else {
		c.account.topup(c.amount, now)
	}
	return true
}

// topup answers the page on which credit is bought.
func (d *Demo) topup(w http.ResponseWriter, r *http.Request, user string) {
	var ask struct {
		Amount    int64   `json:"amount_micro_usd"`
		ReturnURL *string `json:"return_url"`
	}
	if no := readJSON(w, r, &ask); no != nil {
		no.answer(w)
		return
	}
	if ask.Amount < minTopup || ask.Amount > maxTopup {
		invalid(fmt.Sprintf("amount_micro_usd takes a whole number from %d to %d", minTopup, maxTopup)).answer(w)
		return
	}
	d.open(w, r, &checkout{account: d.accounts.of(user, d.stage.now()), amount: ask.Amount}, ask.ReturnURL)
}

// subscribe answers the page on which a plan is bought.
func (d *Demo) subscribe(w http.ResponseWriter, r *http.Request, user string) {
	var ask struct {
		PlanID    string  `json:"plan_id"`
		ReturnURL *string `json:"return_url"`
	}
	if no := readJSON(w, r, &ask); no != nil {
		no.answer(w)
		return
	}
	for _, p := range catalogue {
		if p.id == ask.PlanID {
			d.open(w, r, &checkout{account: d.accounts.of(user, d.stage.now()), amount: p.price, plan: p}, ask.ReturnURL)
			return
		}
	}
	unknown("no such plan").answer(w)
}

func readJSON(w http.ResponseWriter, r *http.Request, into any) *refusal {
	body, no := readBody(w, r)
	if no != nil {
		return no
	}
	if json.Unmarshal(body, into) != nil {
		return invalid("the body is no JSON object with the members of this request")
	}
	return nil
}

// open answers where the checkout is paid.
func (d *Demo) open(w http.ResponseWriter, r *http.Request, c *checkout, back *string) {
	if back != nil {
		if len(*back) > maxReturnURL {
			invalid(fmt.Sprintf("return_url takes at most %d bytes", maxReturnURL)).answer(w)
			return
		}
		c.back = linkable(*back)
	}
	c.madeAt = d.stage.now()
	d.checkouts.add(c)
	base := d.url
	if base == "" {
		base = "http://" + r.Host // served by somebody else's server
	}
	replyJSON(w, object{"url": base + checkoutPath + c.id})
}

// linkable is a URL that a page may link to, "" for any other.
func linkable(s string) string {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return ""
	}
	return u.String()
}

// showCheckout is the page.
func (d *Demo) showCheckout(w http.ResponseWriter, r *http.Request) {
	c := d.checkouts.find(r.PathValue("id"), d.stage.now())
	switch {
	case c == nil:
		showPage(w, http.StatusNotFound, page{Title: "There is no such checkout", Note: "It may have lapsed."})
	case c.paid:
		showPage(w, http.StatusOK, page{Title: "Thank you", What: c.what(), Note: "It is paid.", Back: c.back})
	default:
		showPage(w, http.StatusOK, page{Title: "Checkout", What: c.what(), Amount: dollars(c.amount), Open: true, Back: c.back})
	}
}

// payCheckout takes the payment and shows the page again.
func (d *Demo) payCheckout(w http.ResponseWriter, r *http.Request) {
	id, now := r.PathValue("id"), d.stage.now()
	c := d.checkouts.find(id, now)
	switch {
	case c == nil:
		d.showCheckout(w, r)
	case !d.checkouts.pay(id, now):
		showPage(w, http.StatusGone, page{Title: "This is paid already", What: c.what(), Note: "Nothing was charged again.", Back: c.back})
	default:
		http.Redirect(w, r, checkoutPath+id, http.StatusSeeOther)
	}
}

// what is bought, in words.
func (c *checkout) what() string {
	if c.plan != nil {
		return fmt.Sprintf("%s, %s a month", c.plan.name, dollars(c.amount))
	}
	return dollars(c.amount) + " of credit"
}

// dollars spells micro-USD, to the cent where that is exact.
func dollars(micro int64) string {
	if micro%10_000 == 0 {
		return fmt.Sprintf("$%d.%02d", micro/1_000_000, micro%1_000_000/10_000)
	}
	return fmt.Sprintf("$%d.%06d", micro/1_000_000, micro%1_000_000)
}

// page is what checkout.html shows.
type page struct {
	Title, What, Amount, Note, Back string
	Open                            bool
}

func showPage(w http.ResponseWriter, status int, p page) {
	var body bytes.Buffer
	if err := checkoutPage.Execute(&body, p); err != nil {
		panic(err) // texts of a template that parsed
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	deadline(w)
	w.Write(body.Bytes()) // a client that went away needs no answer
}
