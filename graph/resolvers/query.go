package resolvers

import (
	"context"

	"inlaygraph/billing"
	"inlaygraph/conversation"
	"inlaygraph/session"
	"inlaygraph/upstream"
	"inlaygraph/wire"
)

type query struct{ *Root }

// Conversation opens a conversation and answers with it as it stands.
func (q query) Conversation(ctx context.Context, id string) (*conversation.Conversation, error) {
	who, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	viewer, err := q.Hub.Open(ctx, who, id)
	if err != nil {
		return nil, err
	}
	return viewer.Conversation(), nil
}

// Conversations lists the caller's conversations.
func (q query) Conversations(
	ctx context.Context, limit, offset *int, agentID *string, status *wire.Status,
) (*wire.SummaryPage, error) {
	who, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	list := upstream.ListQuery{Limit: or(limit, defaultList), Offset: or(offset, 0), AgentID: or(agentID, ""), Status: or(status, 0)}
	if err := checkList(list.Limit, list.Offset, agentID); err != nil {
		return nil, err
	}
	return q.Hub.List(ctx, who, list)
}

// AgentPlan finds the plan of one version of an agent, nil when there is none.
func (q query) AgentPlan(ctx context.Context, agentID string, agentVersion int) (*wire.Plan, error) {
	who, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	if err := checkVersion(agentVersion); err != nil {
		return nil, err
	}
	plan, err := q.Hub.Plan(ctx, who, agentID, agentVersion)
	if plan == nil || err != nil {
		return nil, err
	}
	return plan.Plan(), nil
}

// Billing is the caller's billing. Its fields read it.
func (q query) Billing(ctx context.Context) (*billing.Billing, error) {
	who, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	return q.Root.Billing.For(who.Token()), nil
}

// Session is who asks.
func (q query) Session(ctx context.Context) (*session.Session, error) { return caller(ctx) }
