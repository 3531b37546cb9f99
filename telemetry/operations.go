package telemetry

import (
	"cmp"
	"context"
	"log/slog"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"inlaygraph/coded"
	"inlaygraph/transport"
)

// The longest texts of a client that a span or a log line has, in bytes.
const (
	maxName         = 64
	maxConversation = 128
)

// Operations counts, times, traces and logs operations: the transport's Observer.
type Operations struct {
	Metrics *Metrics
	Tracer  trace.Tracer // nil: nothing is traced
	Logger  *slog.Logger
}

// operation is one of them.
type operation struct {
	of      *Operations
	ctx     context.Context
	span    trace.Span // nil: it is not traced
	request *Request
	began   time.Time
	is      transport.Accepted // nothing while it is not accepted
}

// Begin implements transport.Observer. Operations on a WebSocket have the id of its upgrade.
func (o *Operations) Begin(ctx context.Context) (context.Context, transport.Observation) {
	op := &operation{of: o, request: &Request{}, began: time.Now()}
	if r := RequestOf(ctx); r != nil {
		op.request.ID, op.request.Client = r.ID, r.Client
	}
	ctx = withRequest(ctx, op.request)
	if o.Tracer != nil {
		ctx, op.span = o.Tracer.Start(ctx, "operation", trace.WithSpanKind(trace.SpanKindServer))
	}
	op.ctx = ctx
	return ctx, op
}

// Accept implements transport.Observation.
func (op *operation) Accept(is transport.Accepted) {
	op.is = is
	op.is.Name, op.is.Arguments = clip(is.Name, maxName), nil
	if id := conversationOf(is.Arguments()); id != "" {
		op.request.conversation.Store(&id)
	}
	if op.span == nil || !op.span.IsRecording() {
		return
	}
	op.span.SetName(strings.TrimSpace(is.Kind + " " + is.Field))
	attributes := []attribute.KeyValue{attribute.String("graphql.operation.type", is.Kind), attribute.String("inlay.field", is.Field)}
	if op.is.Name != "" {
		attributes = append(attributes, attribute.String("graphql.operation.name", op.is.Name))
	}
	if id := op.request.Conversation(); id != "" {
		attributes = append(attributes, attribute.String("inlay.conversation", id))
	}
	op.span.SetAttributes(attributes...)
}

// End implements transport.Observation.
func (op *operation) End(code coded.Code) {
	took := time.Since(op.began)
	op.of.Metrics.operation(op.is.Kind, code, took)
	if op.span != nil {
		if code != "" {
			op.span.SetAttributes(attribute.String("inlay.code", string(code)))
		}
		if code == coded.Internal || code == coded.UpstreamUnavailable {
			op.span.SetStatus(codes.Error, string(code))
		}
		op.span.End()
	}
	level := slog.LevelDebug
	if code != "" && code != transport.Left {
		level = slog.LevelInfo
	}
	op.of.Logger.LogAttrs(op.ctx, level, "operation",
		slog.String("kind", cmp.Or(op.is.Kind, "refused")), slog.String("field", op.is.Field), slog.String("name", op.is.Name),
		slog.String("code", string(code)), slog.Float64("ms", float64(took.Microseconds())/1000), slog.String("client", op.request.Client))
}

// conversationOf is the id of the conversation that a root field's arguments name.
func conversationOf(arguments map[string]any) string {
	for _, name := range []string{"conversationId", "id"} {
		if id, ok := arguments[name].(string); ok {
			return clip(id, maxConversation)
		}
	}
	if input, ok := arguments["input"].(map[string]any); ok {
		return conversationOf(input)
	}
	return ""
}

// clip cuts a text to so many bytes, between characters.
func clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "")
}
