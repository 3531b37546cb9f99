package telemetry

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"inlaygraph/coded"
	"inlaygraph/transport"
)

// canary stands in everything that a client says beside names and ids.
const canary = "canary-7f3a"

// scene is what operations are observed by.
type scene struct {
	*Operations
	upstream *Upstream
	spans    *tracetest.InMemoryExporter
	log      *bytes.Buffer
}

func newScene(t *testing.T, ratio float64) *scene {
	t.Helper()
	s := &scene{spans: tracetest.NewInMemoryExporter(), log: &bytes.Buffer{}}
	tracing, err := newTracing(t.Context(), ratio, sdk.WithSyncer(s.spans))
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, tracing.Close(context.Background())) })
	log := slog.New(LogHandler(slog.NewJSONHandler(s.log, &slog.HandlerOptions{Level: slog.LevelDebug})))
	metrics := NewMetrics()
	s.Operations = &Operations{Metrics: metrics, Tracer: tracing.Tracer(), Logger: log}
	s.upstream = &Upstream{Metrics: metrics, Tracing: tracing}
	return s
}

// lines are the log lines so far.
func (s *scene) lines(t *testing.T) (all []map[string]any) {
	t.Helper()
	for line := range strings.Lines(s.log.String()) {
		var members map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &members))
		all = append(all, members)
	}
	return all
}

func accepted(kind, name, field string, arguments map[string]any) transport.Accepted {
	return transport.Accepted{Kind: kind, Name: name, Field: field, Arguments: func() map[string]any { return arguments }}
}

func attributesOf(span tracetest.SpanStub) map[string]string {
	all := map[string]string{}
	for _, a := range span.Attributes {
		all[string(a.Key)] = a.Value.String()
	}
	return all
}

// Promises 1, 3 and 5: an operation that fails, with a request to upstream: two spans of one trace, one line, a count.
func TestOneOperation(t *testing.T) {
	s := newScene(t, 1)
	ctx, o := s.Begin(withRequest(t.Context(), &Request{ID: "r1", Client: "203.0.113.9"}))
	o.Accept(accepted("mutation", strings.Repeat("N", 100), "send", map[string]any{
		"input": map[string]any{"conversationId": "c1", "content": canary}, "output": canary,
	}))
	header := http.Header{}
	s.upstream.Observe(Carry(t.Context(), ctx), "execute", header)(503)
	o.End(coded.UpstreamUnavailable)

	spans := s.spans.GetSpans()
	require.Len(t, spans, 2)
	asked, operation := spans[0], spans[1]
	assert.Equal(t, "upstream execute", asked.Name)
	assert.Equal(t, "mutation send", operation.Name)
	assert.Equal(t, operation.SpanContext.TraceID(), asked.SpanContext.TraceID())
	assert.Equal(t, operation.SpanContext.SpanID(), asked.Parent.SpanID())
	assert.Equal(t, "00-"+asked.SpanContext.TraceID().String()+"-"+asked.SpanContext.SpanID().String()+"-01", header.Get("Traceparent"))
	assert.Equal(t, map[string]string{"inlay.endpoint": "execute", "http.response.status_code": "503"}, attributesOf(asked))
	assert.Equal(t, map[string]string{
		"graphql.operation.type": "mutation", "graphql.operation.name": strings.Repeat("N", maxName), "inlay.field": "send",
		"inlay.conversation": "c1", "inlay.code": "UPSTREAM_UNAVAILABLE",
	}, attributesOf(operation))
	assert.Equal(t, codes.Error, operation.Status.Code)
	assert.Contains(t, operation.Resource.Attributes(), attribute.String("service.name", "inlaygraph"))

	lines := s.lines(t)
	require.Len(t, lines, 1)
	assert.InDelta(t, 1000, lines[0]["ms"], 1000)
	delete(lines[0], "ms")
	delete(lines[0], "time")
	assert.Equal(t, map[string]any{
		"level": "INFO", "msg": "operation", "kind": "mutation", "field": "send", "name": strings.Repeat("N", maxName),
		"code": "UPSTREAM_UNAVAILABLE", "client": "203.0.113.9", "request": "r1", "conversation": "c1",
		"trace": operation.SpanContext.TraceID().String(),
	}, lines[0])
	assert.InDelta(t, 1, testutil.ToFloat64(s.Metrics.operations.WithLabelValues("mutation", "UPSTREAM_UNAVAILABLE")), 0)
	assert.NotContains(t, s.log.String(), canary)
}

// Promise 5: what is well is a line at debug; what was refused has no kind.
func TestLevelsAndKinds(t *testing.T) {
	s := newScene(t, 0)
	_, fine := s.Begin(t.Context())
	fine.Accept(accepted("query", "", "session", nil))
	fine.End("")
	_, refused := s.Begin(t.Context())
	refused.End(coded.ValidationFailed)
	_, left := s.Begin(t.Context())
	left.Accept(accepted("subscription", "", "rowsAt", map[string]any{"conversationId": "c2"}))
	left.End(transport.Left)
	var levels []any
	for _, line := range s.lines(t) {
		levels = append(levels, line["level"])
	}
	assert.Equal(t, []any{"DEBUG", "INFO", "DEBUG"}, levels)
	for labels, want := range map[[2]string]float64{{"query", OK}: 1, {"refused", "GRAPHQL_VALIDATION_FAILED"}: 1, {"subscription", "CLIENT_LEFT"}: 1} {
		assert.InDelta(t, want, testutil.ToFloat64(s.Metrics.operations.WithLabelValues(labels[0], labels[1])), 0, labels)
	}
	assert.Empty(t, s.spans.GetSpans(), "a ratio of 0 traces nothing")
}

// A parent that is traced has its operation traced whatever the ratio.
func TestTheParentDecides(t *testing.T) {
	for _, traced := range []bool{true, false} {
		s := newScene(t, map[bool]float64{true: 0, false: 1}[traced])
		parent := trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{2}, Remote: true}
		if traced {
			parent.TraceFlags = trace.FlagsSampled
		}
		_, o := s.Begin(trace.ContextWithRemoteSpanContext(t.Context(), trace.NewSpanContext(parent)))
		o.End("")
		assert.Equal(t, traced, len(s.spans.GetSpans()) == 1)
	}
}

// Promise 1: labels are of fixed lists, whatever is asked and however many there are.
func TestLabelsAreBounded(t *testing.T) {
	m := NewMetrics()
	for _, op := range []string{"conversations/" + canary, "", "UPPER", strings.Repeat("x", 50), "täg"} {
		assert.Equal(t, Other, m.endpoint(op), op)
	}
	for i := range 200 {
		m.upstream(m.endpoint("op "+strings.Repeat("a", i%30)+string(rune('a'+i/30))), 200, 0)
	}
	assert.LessOrEqual(t, testutil.CollectAndCount(m.endpoints), maxEndpoints+1)
	m.operation(canary, coded.Internal, 0)
	assert.InDelta(t, 1, testutil.ToFloat64(m.operations.WithLabelValues("refused", "INTERNAL")), 0)
	assert.Equal(t, map[string]int64{"wrong_type": 2, Other: 4}, bounded(map[string]int64{"wrong_type": 2, "a b": 1, canary: 3}))
}

// Promise 4.
func TestTracingIsAskedFor(t *testing.T) {
	for name, c := range map[string]struct {
		env  map[string]string
		on   bool
		says string
	}{
		"nothing":    {nil, false, ""},
		"endpoint":   {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"}, true, ""},
		"traces":     {map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "https://collector.example/v1/traces"}, true, ""},
		"off":        {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318", "OTEL_SDK_DISABLED": "true"}, false, ""},
		"no URL":     {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "127.0.0.1:4318"}, false, "OTEL_EXPORTER_OTLP_ENDPOINT"},
		"other kind": {map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "grpc://127.0.0.1:4317"}, false, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, variable := range append([]string{"OTEL_SDK_DISABLED"}, endpoints...) {
				t.Setenv(variable, c.env[variable])
			}
			on, err := Traced()
			assert.Equal(t, c.on, on)
			if c.says != "" {
				assert.ErrorContains(t, err, c.says)
			} else {
				assert.NoError(t, err)
			}
			if !on {
				tracing, _ := NewTracing(t.Context(), 1, slog.New(slog.DiscardHandler))
				assert.Nil(t, tracing.Tracer())
				assert.NoError(t, tracing.Close(t.Context()))
			}
		})
	}
}
