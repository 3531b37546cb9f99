package session

import (
	"context"
	"log/slog"
)

// logHandler adds the session of a record's context to the record.
type logHandler struct{ slog.Handler }

// LogHandler returns a handler that passes records to next with whose session they are of: the subject and the tenant.
func LogHandler(next slog.Handler) slog.Handler { return logHandler{next} }

// Handle adds the session, where there is one.
func (h logHandler) Handle(ctx context.Context, record slog.Record) error {
	if s := From(ctx); s != nil {
		record = record.Clone()
		record.AddAttrs(slog.Any("session", s))
	}
	return h.Handler.Handle(ctx, record)
}

// WithAttrs keeps what Handle adds.
func (h logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return logHandler{h.Handler.WithAttrs(attrs)}
}

// WithGroup keeps what Handle adds.
func (h logHandler) WithGroup(name string) slog.Handler {
	return logHandler{h.Handler.WithGroup(name)}
}
