package billing

import "time"

// The objects of docs/billing.md. Money (MicroUsd) is in millionths of a US dollar; a nil pointer is what upstream does
// not say. Times are in UTC.

// Balance is the user's wallet.
type Balance struct {
	AvailableMicroUsd int64 // spendable now; may be negative
	LedgerMicroUsd    *int64
	PendingMicroUsd   *int64 // used and not yet settled
	ExpiringMicroUsd  *int64 // of the next credit to lapse
	NextExpiryAt      *time.Time
	Overage           *string // open: what happens past zero
	UpdatedAt         *time.Time
}

// Usage is what was used in a period, by the platform's own metering.
type Usage struct {
	PeriodStart       *time.Time
	PeriodEnd         *time.Time
	ResetsAt          *time.Time
	UsedMicroUsd      int64
	IncludedMicroUsd  *int64
	RemainingMicroUsd *int64
	LimitMicroUsd     *int64
	OverageMicroUsd   *int64
	Overage           *string // open
	PromptTokens      *int64
	CompletionTokens  *int64
	ReasoningTokens   *int64
	RunCount          *int64
	Lines             []UsageLine
}

// UsageLine is the part of one agent, model or tool.
type UsageLine struct {
	Key          string
	Label        *string
	UsedMicroUsd int64
	Quantity     *int64
	Unit         *string // open
}

// Plans is the user's subscription and the catalogue.
type Plans struct {
	CurrentPlanID      *string
	Status             *string // open
	CurrentPeriodStart *time.Time
	CurrentPeriodEnd   *time.Time
	CancelAtPeriodEnd  *bool
	Plans              []Plan
}

// Current is the plan of the catalogue that the user has subscribed to; nil without one, and when the catalogue no longer
// has it. Of several with that id it is the first.
func (p *Plans) Current() *Plan {
	if p.CurrentPlanID == nil {
		return nil
	}
	for i := range p.Plans {
		if p.Plans[i].ID == *p.CurrentPlanID {
			return &p.Plans[i]
		}
	}
	return nil
}

// Plan is one offer of the catalogue.
type Plan struct {
	ID               string
	Name             string
	Description      *string
	PriceMicroUsd    int64
	Interval         *string // open
	IncludedMicroUsd *int64
	Overage          *string // open
	TrialDays        *int    // within 32 bits
	Features         []string
}

// Invoice is one invoice. Its URLs are the platform's words: nobody here has looked at where they lead.
type Invoice struct {
	ID                 string
	Number             *string
	Status             string  // open
	Source             *string // open
	TotalMicroUsd      int64
	SubtotalMicroUsd   *int64
	TaxMicroUsd        *int64
	AmountDueMicroUsd  *int64
	AmountPaidMicroUsd *int64
	PeriodStart        *time.Time
	PeriodEnd          *time.Time
	CreatedAt          *time.Time
	DueAt              *time.Time
	PaidAt             *time.Time
	HostedURL          *string
	PdfURL             *string
}

// CreditGrant is credit that was given or bought.
type CreditGrant struct {
	ID                string
	Name              *string
	Source            string  // open
	Status            *string // open
	AmountMicroUsd    int64
	RemainingMicroUsd *int64
	EffectiveAt       *time.Time
	ExpiresAt         *time.Time
	VoidedAt          *time.Time
	Priority          *int // within 32 bits
}

// HostedCheckout is the page that takes a payment: where to send the user, who types card data there and nowhere else.
type HostedCheckout struct {
	URL string // absolute, https (http for loopback only)
}
