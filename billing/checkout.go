package billing

import (
	"context"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"inlaygraph/coded"
)

// maxPlanID is the length of a plan's id, in bytes.
const maxPlanID = 256

// Topup asks for the page on which the user whose token auth is buys credit of so many micro-USD. The platform sends the
// user back to returnURL, where one is given: an absolute https URL (http for loopback only) of at most 8 KiB.
// BAD_USER_INPUT when the amount is not from 1 to 2^53-1, or for another returnURL. Nothing is charged by the call.
func (f *Facade) Topup(ctx context.Context, auth string, amount int64, returnURL *string) (*HostedCheckout, error) {
	if amount < 1 || amount > maxInteger {
		return nil, coded.Newf(coded.BadUserInput, "amountMicroUsd takes 1 to %d millionths of a US dollar, not %d", int64(maxInteger), amount)
	}
	if err := checkReturn(returnURL); err != nil {
		return nil, err
	}
	return f.checkout(ctx, auth, "topup", sayNotFound, struct {
		Amount    int64   `json:"amount_micro_usd"`
		ReturnURL *string `json:"return_url,omitzero"`
	}{amount, returnURL})
}

// SubscribeCheckout asks for the page on which the user whose token auth is subscribes to a plan of the catalogue.
// returnURL is that of Topup. BAD_USER_INPUT when planID is empty or longer than 256 bytes, NOT_FOUND for a plan that
// upstream does not have for this user.
func (f *Facade) SubscribeCheckout(ctx context.Context, auth, planID string, returnURL *string) (*HostedCheckout, error) {
	if planID == "" || len(planID) > maxPlanID {
		return nil, coded.Newf(coded.BadUserInput, "planId takes an id of 1 to %d bytes", maxPlanID)
	}
	if err := checkReturn(returnURL); err != nil {
		return nil, err
	}
	return f.checkout(ctx, auth, "subscribe", sayNoPlan, struct {
		PlanID    string  `json:"plan_id"`
		ReturnURL *string `json:"return_url,omitzero"`
	}{planID, returnURL})
}

// checkReturn checks the page to come back to, which a browser will be sent to as well.
func checkReturn(returnURL *string) error {
	if returnURL != nil && !safePage(*returnURL) {
		return coded.Newf(coded.BadUserInput, "returnUrl takes an absolute https URL of at most %d bytes (http for loopback hosts only), without user info", maxURL)
	}
	return nil
}

// checkout asks for a hosted page and looks at where it leads. hidden is what is said when upstream does not know what
// was asked for.
func (f *Facade) checkout(ctx context.Context, auth, object, hidden string, ask any) (*HostedCheckout, error) {
	if f == nil || f.upstream == nil {
		return nil, errNoBilling()
	}
	body, err := json.Marshal(ask, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return nil, coded.Wrap(coded.Internal, "internal error", err)
	}
	answer, err := f.upstream.Post(ctx, auth, body, "billing", object)
	if err != nil {
		return nil, present(err, hidden)
	}
	page, err := decodeCheckout(answer)
	if err != nil {
		return nil, coded.Wrap(coded.UpstreamUnavailable, sayUnsafePage, placed(object, err))
	}
	return page, nil
}

// decodeCheckout reads {"url"?}, whose URL is there and safe, or there is no answer.
func decodeCheckout(answer []byte) (*HostedCheckout, error) {
	return decode(answer, func(c *HostedCheckout) []member {
		return []member{required("url", page, &c.URL)}
	})
}

// page reads a URL to send a browser to.
func page(raw []byte) (string, *fault) {
	said, wrong := text(raw)
	if wrong == nil && !safePage(said) {
		wrong = &fault{why: unsafePage}
	}
	return said, wrong
}
