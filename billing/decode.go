package billing

import "bytes"

// The tables of docs/billing.md, row by row.

func decodeBalance(answer []byte) (*Balance, error) { return decode(answer, balanceMembers) }
func decodeUsage(answer []byte) (*Usage, error)     { return decode(answer, usageMembers) }
func decodePlans(answer []byte) (*Plans, error)     { return decode(answer, plansMembers) }

func decodeInvoices(answer []byte) ([]Invoice, error) {
	return decodeList(answer, "invoices", object(invoiceMembers))
}

func decodeGrants(answer []byte) ([]CreditGrant, error) {
	return decodeList(answer, "grants", object(grantMembers))
}

// decode reads a whole answer.
func decode[T any](answer []byte, table func(*T) []member) (*T, error) {
	value, wrong := object(table)(bytes.TrimPrefix(answer, []byte("\ufeff")))
	if wrong != nil {
		return nil, wrong
	}
	return &value, nil
}

// decodeList reads an answer that is an object of one list.
func decodeList[T any](answer []byte, name string, read reader[T]) ([]T, error) {
	all, err := decode(answer, func(into *[]T) []member { return []member{required(name, list(read), into)} })
	if err != nil {
		return nil, err
	}
	return *all, nil
}

func balanceMembers(b *Balance) []member {
	return []member{
		required("available_micro_usd", integer, &b.AvailableMicroUsd),
		optional("ledger_micro_usd", integer, &b.LedgerMicroUsd),
		optional("pending_micro_usd", integer, &b.PendingMicroUsd),
		optional("expiring_micro_usd", integer, &b.ExpiringMicroUsd),
		optional("next_expiry_at", instant, &b.NextExpiryAt),
		optional("overage", text, &b.Overage),
		optional("updated_at", instant, &b.UpdatedAt),
	}
}

func usageMembers(u *Usage) []member {
	return []member{
		optional("period_start", instant, &u.PeriodStart),
		optional("period_end", instant, &u.PeriodEnd),
		optional("resets_at", instant, &u.ResetsAt),
		required("used_micro_usd", integer, &u.UsedMicroUsd),
		optional("included_micro_usd", integer, &u.IncludedMicroUsd),
		optional("remaining_micro_usd", integer, &u.RemainingMicroUsd),
		optional("limit_micro_usd", integer, &u.LimitMicroUsd),
		optional("overage_micro_usd", integer, &u.OverageMicroUsd),
		optional("overage", text, &u.Overage),
		optional("prompt_tokens", integer, &u.PromptTokens),
		optional("completion_tokens", integer, &u.CompletionTokens),
		optional("reasoning_tokens", integer, &u.ReasoningTokens),
		optional("run_count", integer, &u.RunCount),
		required("lines", list(object(usageLineMembers)), &u.Lines),
	}
}

func usageLineMembers(l *UsageLine) []member {
	return []member{
		required("key", text, &l.Key),
		optional("label", text, &l.Label),
		required("used_micro_usd", integer, &l.UsedMicroUsd),
		optional("quantity", integer, &l.Quantity),
		optional("unit", text, &l.Unit),
	}
}

func plansMembers(p *Plans) []member {
	return []member{
		optional("current_plan_id", identifier, &p.CurrentPlanID),
		optional("status", text, &p.Status),
		optional("current_period_start", instant, &p.CurrentPeriodStart),
		optional("current_period_end", instant, &p.CurrentPeriodEnd),
		optional("cancel_at_period_end", boolean, &p.CancelAtPeriodEnd),
		required("plans", list(object(planMembers)), &p.Plans),
	}
}

func planMembers(p *Plan) []member {
	return []member{
		required("id", identifier, &p.ID),
		required("name", text, &p.Name),
		optional("description", text, &p.Description),
		required("price_micro_usd", integer, &p.PriceMicroUsd),
		optional("interval", text, &p.Interval),
		optional("included_micro_usd", integer, &p.IncludedMicroUsd),
		optional("overage", text, &p.Overage),
		optional("trial_days", small, &p.TrialDays),
		required("features", list(text), &p.Features),
	}
}

func invoiceMembers(i *Invoice) []member {
	return []member{
		required("id", identifier, &i.ID),
		optional("number", text, &i.Number),
		required("status", text, &i.Status),
		optional("source", text, &i.Source),
		required("total_micro_usd", integer, &i.TotalMicroUsd),
		optional("subtotal_micro_usd", integer, &i.SubtotalMicroUsd),
		optional("tax_micro_usd", integer, &i.TaxMicroUsd),
		optional("amount_due_micro_usd", integer, &i.AmountDueMicroUsd),
		optional("amount_paid_micro_usd", integer, &i.AmountPaidMicroUsd),
		optional("period_start", instant, &i.PeriodStart),
		optional("period_end", instant, &i.PeriodEnd),
		optional("created_at", instant, &i.CreatedAt),
		optional("due_at", instant, &i.DueAt),
		optional("paid_at", instant, &i.PaidAt),
		optional("hosted_url", text, &i.HostedURL),
		optional("pdf_url", text, &i.PdfURL),
	}
}

func grantMembers(g *CreditGrant) []member {
	return []member{
		required("id", identifier, &g.ID),
		optional("name", text, &g.Name),
		required("source", text, &g.Source),
		optional("status", text, &g.Status),
		required("amount_micro_usd", integer, &g.AmountMicroUsd),
		optional("remaining_micro_usd", integer, &g.RemainingMicroUsd),
		optional("effective_at", instant, &g.EffectiveAt),
		optional("expires_at", instant, &g.ExpiresAt),
		optional("voided_at", instant, &g.VoidedAt),
		optional("priority", small, &g.Priority),
	}
}
