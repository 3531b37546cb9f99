package resolvers

import (
	"context"

	"inlaygraph/billing"
	"inlaygraph/conversation"
	"inlaygraph/graph/scalars"
	"inlaygraph/session"
)

type mutation struct{ *Root }

// Send says something to an agent. The bounds of the input are the hub's, but that an empty id names nothing.
func (m mutation) Send(ctx context.Context, input conversation.SendInput) (*conversation.Sent, error) {
	who, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	if err := checkGiven("clientRequestId", input.ClientRequestID); err != nil {
		return nil, err
	}
	return m.Hub.Send(ctx, who, input)
}

// SubmitToolResult delivers the result of a tool that the client ran.
func (m mutation) SubmitToolResult(ctx context.Context, input scalars.ToolResultInput) (*conversation.Payload, error) {
	who, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	return payload(m.Hub.SubmitToolResult(ctx, who, input.ConversationID, input.ToolCallID, input.OutputText()))
}

// Cancel asks the platform to end the run.
func (m mutation) Cancel(ctx context.Context, id string) (*conversation.Payload, error) {
	return m.act(ctx, id, m.Hub.Cancel)
}

// Retry runs what failed again.
func (m mutation) Retry(ctx context.Context, id string) (*conversation.Payload, error) {
	return m.act(ctx, id, m.Hub.Retry)
}

// LoadEarlier widens the window.
func (m mutation) LoadEarlier(ctx context.Context, id string, limit *int) (*conversation.Payload, error) {
	who, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	entries := or(limit, defaultEarlier)
	if err := checkLimit(entries); err != nil {
		return nil, err
	}
	return payload(m.Hub.LoadEarlier(ctx, who, id, entries))
}

// Topup opens a page where money can be put into the caller's wallet.
func (m mutation) Topup(ctx context.Context, amountMicroUsd int64, returnURL *string) (*billing.HostedCheckout, error) {
	who, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	return m.Billing.Topup(ctx, who.Token(), amountMicroUsd, returnURL)
}

// SubscribeCheckout opens a page where the caller can subscribe to a plan.
func (m mutation) SubscribeCheckout(ctx context.Context, planID string, returnURL *string) (*billing.HostedCheckout, error) {
	who, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	return m.Billing.SubscribeCheckout(ctx, who.Token(), planID, returnURL)
}

// act does what takes a conversation and nothing else.
func (m mutation) act(
	ctx context.Context, id string, do func(context.Context, *session.Session, string) (*conversation.Conversation, error),
) (*conversation.Payload, error) {
	who, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	return payload(do(ctx, who, id))
}

// payload answers with the conversation that was acted on.
func payload(c *conversation.Conversation, err error) (*conversation.Payload, error) {
	if err != nil {
		return nil, err
	}
	return &conversation.Payload{Conversation: c}, nil
}
