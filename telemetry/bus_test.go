package telemetry

import (
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/bus"
	"inlaygraph/conversation"
	"inlaygraph/projection"
)

// A server on a bus tells how that is, every figure of it is on the scaling page, and they move.
func TestBusFigures(t *testing.T) {
	b, err := bus.Open(t.Context(), bus.Options{URL: bus.Embedded, Dir: t.TempDir(), MaxBytes: 64 << 20})
	require.NoError(t, err)
	defer b.Close()
	hub := conversation.NewHub(conversation.Options{Bus: b})
	defer hub.Close()
	m := NewMetrics()
	m.ReadBus(b, hub)
	_, err = b.Log("t", "c").Append(t.Context(), 0, &bus.Record{Kind: bus.Told, Inputs: []projection.Input{projection.Skipped{Offset: 1}}})
	require.NoError(t, err)
	answer := httptest.NewRecorder()
	m.Handler().ServeHTTP(answer, httptest.NewRequest("GET", "/metrics", nil))
	text := answer.Body.String()
	for _, line := range []string{
		"inlay_bus_ready 1", "inlay_bus_instances 1", "inlay_bus_appended_total 1", "inlay_bus_appended_inputs_total 1",
		`inlay_bus_rejected_total{reason="foreign"} 0`, "inlay_bus_takeovers_total 0",
	} {
		assert.Contains(t, text, line+"\n")
	}
	page, err := os.ReadFile("../docs/scaling.md")
	require.NoError(t, err)
	for _, name := range busNames() {
		assert.Contains(t, string(page), "`"+name+"`")
		assert.True(t, strings.Contains(text, "\n"+name+" ") || strings.Contains(text, "\n"+name+"{"), name)
	}
}
