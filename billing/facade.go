package billing

import (
	"context"
	"net/url"
	"strconv"
	"time"

	"inlaygraph/coded"
)

// Upstream asks the platform. The path is below /v1; an answer is the text of one JSON object, of a bounded size; a
// failure is an *upstream.Error or the context's error. Its methods are safe for concurrent use.
type Upstream interface {
	Get(ctx context.Context, auth string, query url.Values, path ...string) ([]byte, error)
	Post(ctx context.Context, auth string, body []byte, path ...string) ([]byte, error)
}

// Facade reads billing for whoever asks. It holds nothing but its upstream.
type Facade struct{ upstream Upstream }

// New makes a facade; nil for an upstream that does not bill (promise 10). A nil *Facade is one without an upstream, too.
func New(u Upstream) *Facade { return &Facade{upstream: u} }

// The bounds of invoices.
const (
	defaultInvoices = 20
	maxInvoices     = 100
)

// Billing is what one user may read. The token is in reach of the call alone, so that nothing that prints a Billing can
// show it.
type Billing struct {
	get func(ctx context.Context, query url.Values, object string) ([]byte, error)
}

// For answers the billing of the user whose token auth is ("" for none). It asks for nothing yet.
func (f *Facade) For(auth string) *Billing {
	return &Billing{get: func(ctx context.Context, query url.Values, object string) ([]byte, error) {
		if f == nil || f.upstream == nil {
			return nil, errNoBilling()
		}
		answer, err := f.upstream.Get(ctx, auth, query, "billing", object)
		if err != nil {
			return nil, present(err, sayNotFound)
		}
		return answer, nil
	}}
}

// Balance reads the wallet.
func (b *Billing) Balance(ctx context.Context) (*Balance, error) {
	return read(ctx, b, nil, "balance", decodeBalance)
}

// Usage reads what was used between two instants; nil leaves the choice to the platform. BAD_USER_INPUT when from is
// after to.
func (b *Billing) Usage(ctx context.Context, from, to *time.Time) (*Usage, error) {
	query := url.Values{}
	for _, bound := range []struct {
		name string
		at   *time.Time
	}{{"from", from}, {"to", to}} {
		if bound.at == nil {
			continue
		}
		at := bound.at.UTC()
		if year := at.Year(); year < 0 || year > 9999 {
			return nil, coded.Newf(coded.BadUserInput, "%s takes a time of the years 0 to 9999", bound.name)
		}
		query.Set(bound.name, at.Format(time.RFC3339Nano))
	}
	if from != nil && to != nil && from.After(*to) {
		return nil, coded.New(coded.BadUserInput, "from is after to")
	}
	return read(ctx, b, query, "usage", decodeUsage)
}

// Plans reads the subscription and the catalogue.
func (b *Billing) Plans(ctx context.Context) (*Plans, error) {
	return read(ctx, b, nil, "plans", decodePlans)
}

// Invoices reads at most limit invoices (1 to 100; nil: 20) after the first offset (from 0; nil: 0), in the platform's
// order. BAD_USER_INPUT outside these bounds.
func (b *Billing) Invoices(ctx context.Context, limit, offset *int) ([]Invoice, error) {
	most, skipped := defaultInvoices, 0
	if limit != nil {
		most = *limit
	}
	if offset != nil {
		skipped = *offset
	}
	switch {
	case most < 1 || most > maxInvoices:
		return nil, coded.Newf(coded.BadUserInput, "limit takes 1 to %d, not %d", maxInvoices, most)
	case skipped < 0:
		return nil, coded.Newf(coded.BadUserInput, "offset takes a number of invoices, from 0, not %d", skipped)
	}
	query := url.Values{"limit": {strconv.Itoa(most)}, "offset": {strconv.Itoa(skipped)}}
	return read(ctx, b, query, "invoices", decodeInvoices)
}

// Grants reads all credit grants.
func (b *Billing) Grants(ctx context.Context) ([]CreditGrant, error) {
	return read(ctx, b, nil, "grants", decodeGrants)
}

func read[T any](ctx context.Context, b *Billing, query url.Values, object string, decode func([]byte) (T, error)) (T, error) {
	var none T
	answer, err := b.get(ctx, query, object)
	if err != nil {
		return none, err
	}
	value, err := decode(answer)
	if err != nil {
		return none, coded.Wrap(coded.UpstreamUnavailable, sayUnreadable, placed(object, err))
	}
	return value, nil
}
