package telemetry

import (
	"context"
	"log/slog"

	"go.opentelemetry.io/otel/trace"
)

// logHandler adds what is known of a record's request to the record.
type logHandler struct{ slog.Handler }

// LogHandler returns a handler that passes records to next with the ids of their request, its conversation and its trace.
func LogHandler(next slog.Handler) slog.Handler { return logHandler{next} }

// Handle adds the ids, where there are any.
func (h logHandler) Handle(ctx context.Context, record slog.Record) error {
	r, span := RequestOf(ctx), trace.SpanContextFromContext(ctx)
	if r == nil && !span.IsValid() {
		return h.Handler.Handle(ctx, record)
	}
	record = record.Clone()
	if r != nil {
		record.AddAttrs(slog.String("request", r.ID))
		if id := r.Conversation(); id != "" && !has(record, "conversation") {
			record.AddAttrs(slog.String("conversation", id))
		}
	}
	if span.IsValid() {
		record.AddAttrs(slog.String("trace", span.TraceID().String()))
	}
	return h.Handler.Handle(ctx, record)
}

func has(record slog.Record, key string) (found bool) {
	record.Attrs(func(a slog.Attr) bool {
		found = a.Key == key
		return !found
	})
	return found
}

// WithAttrs keeps what Handle adds.
func (h logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return logHandler{h.Handler.WithAttrs(attrs)}
}

// WithGroup keeps what Handle adds.
func (h logHandler) WithGroup(name string) slog.Handler {
	return logHandler{h.Handler.WithGroup(name)}
}
