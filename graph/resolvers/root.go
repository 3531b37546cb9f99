package resolvers

import (
	"context"

	"inlaygraph/billing"
	"inlaygraph/coded"
	"inlaygraph/conversation"
	"inlaygraph/graph/generated"
	"inlaygraph/session"
)

// Root holds what the resolvers need. It is the resolver root of the generated code.
type Root struct {
	// Hub opens conversations, and drives them.
	Hub *conversation.Hub
	// Billing reads billing and opens checkouts; nil where there is none.
	Billing *billing.Facade
	// Unpaced ignores minIntervalMs, within its bounds: every change makes a message.
	Unpaced bool
}

// Query resolves the fields of Query.
func (r *Root) Query() generated.QueryResolver { return query{r} }

// Mutation resolves the fields of Mutation.
func (r *Root) Mutation() generated.MutationResolver { return mutation{r} }

// Subscription resolves the fields of Subscription.
func (r *Root) Subscription() generated.SubscriptionResolver { return subscription{r} }

// Conversation resolves the fields of Conversation that are not bound to its Go type.
func (r *Root) Conversation() generated.ConversationResolver { return fields{} }

// caller is who asks (promise 5).
func caller(ctx context.Context) (*session.Session, error) {
	if who := session.From(ctx); who != nil {
		return who, nil
	}
	return nil, coded.New(coded.Unauthenticated, "a token is needed")
}
