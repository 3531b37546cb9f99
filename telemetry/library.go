package telemetry

import (
	"bytes"
	"io"
	"log/slog"
)

// LibraryLog is where Go's own log may be led to: each line that a library writes there becomes a record. Libraries quote
// what they were sent, as net/http does with bytes of upstream that belong to no answer: a line is cut at its first quote
// (docs/service.md, "Safe defaults").
func LibraryLog(log *slog.Logger) io.Writer { return libraryLog{log} }

type libraryLog struct{ log *slog.Logger }

// Write takes one line, as Go's log does.
func (l libraryLog) Write(line []byte) (int, error) {
	text, _, _ := bytes.Cut(line, []byte(`"`))
	text, _, _ = bytes.Cut(text, []byte("`"))
	l.log.Warn("library", "detail", string(bytes.TrimSpace(text)))
	return len(line), nil
}
