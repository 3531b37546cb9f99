package telemetry

import (
	"bytes"
	"log"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestWhatALibraryQuotesIsNotLogged(t *testing.T) {
	var out bytes.Buffer
	logger := log.New(LibraryLog(slog.New(slog.NewJSONHandler(&out, nil))), "", 0)
	logger.Printf("Unsolicited response received on idle HTTP channel starting with %q; err=%v", "a `private` text", nil)
	logger.Printf("header %#q", "a private text")
	assert.NotContains(t, out.String(), "private")
	assert.Contains(t, out.String(), `"msg":"library","detail":"Unsolicited response received on idle HTTP channel starting with"`)
	assert.Equal(t, 2, bytes.Count(out.Bytes(), []byte("\n")))
}
