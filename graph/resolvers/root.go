package resolvers

import (
	"context"

	"inlaygraph/conversation"
	"inlaygraph/graph/generated"
	"inlaygraph/wire"
)

// Root holds what the resolvers need. It is the resolver root of the generated code.
type Root struct {
	// Hub opens conversations.
	Hub *conversation.Hub
	// Unpaced ignores minIntervalMs, within its bounds: every change makes a message.
	Unpaced bool
}

// Query resolves the fields of Query.
func (r *Root) Query() generated.QueryResolver { return query{r} }

// Subscription resolves the fields of Subscription.
func (r *Root) Subscription() generated.SubscriptionResolver { return subscription{r} }

// Conversation resolves the fields of Conversation that are not bound to its Go type.
func (r *Root) Conversation() generated.ConversationResolver { return fields{} }

type query struct{ *Root }

// Conversation opens a conversation and answers with it as it stands.
func (q query) Conversation(ctx context.Context, id string) (*conversation.Conversation, error) {
	live, err := q.Hub.Open(ctx, id)
	if err != nil {
		return nil, err
	}
	return live.Conversation(), nil
}

// AgentPlan finds the plan of one version of an agent, nil when there is none.
func (q query) AgentPlan(ctx context.Context, agentID string, agentVersion int) (*wire.Plan, error) {
	if err := checkVersion(agentVersion); err != nil {
		return nil, err
	}
	plan, err := q.Hub.Plan(ctx, agentID, agentVersion)
	if plan == nil || err != nil {
		return nil, err
	}
	return plan.Plan(), nil
}

type fields struct{}

// RowPage reads a stretch of the log.
func (fields) RowPage(
	ctx context.Context, c *conversation.Conversation, beforeSeq, afterSeq *int64, limit *int,
) (*conversation.RowPage, error) {
	if err := checkPage(beforeSeq, afterSeq, limit); err != nil {
		return nil, err
	}
	return c.RowPage(ctx, beforeSeq, afterSeq, limit)
}
