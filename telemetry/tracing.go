package telemetry

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"inlaygraph/upstream"
)

// endpoints are the variables that turn tracing on, the one that wins first. The exporter reads them, and the other
// OTEL_EXPORTER_OTLP_… variables, itself.
var endpoints = []string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"}

// Traced tells whether the environment asks for traces. An error tells of a variable that makes no sense.
func Traced() (bool, error) {
	if off, err := strconv.ParseBool(os.Getenv("OTEL_SDK_DISABLED")); err == nil && off {
		return false, nil
	}
	for _, name := range endpoints {
		text := os.Getenv(name)
		if text == "" {
			continue
		}
		if u, err := url.Parse(text); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			return false, fmt.Errorf("%s is not a URL like http://localhost:4318", name)
		}
		return true, nil
	}
	return false, nil
}

// Tracing makes spans and sends them. The nil Tracing makes none.
type Tracing struct {
	provider *sdk.TracerProvider
	tracer   trace.Tracer
}

// NewTracing begins to trace, when the environment asks for it; else it returns nil. ratio is how much of what has no traced
// parent is traced, between 0 and 1. What goes wrong with sending is logged.
func NewTracing(ctx context.Context, ratio float64, log *slog.Logger) (*Tracing, error) {
	on, err := Traced()
	if err != nil || !on {
		return nil, err
	}
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return nil, fmt.Errorf("traces: %w", err)
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { log.Warn("traces", "error", err) }))
	return newTracing(ctx, ratio, sdk.WithBatcher(exporter))
}

func newTracing(ctx context.Context, ratio float64, to sdk.TracerProviderOption) (*Tracing, error) {
	about, err := resource.New(ctx, resource.WithAttributes(attribute.String("service.name", "inlaygraph")), resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	provider := sdk.NewTracerProvider(to, sdk.WithResource(about), sdk.WithSampler(sdk.ParentBased(sdk.TraceIDRatioBased(ratio))))
	return &Tracing{provider, provider.Tracer("inlaygraph")}, nil
}

// Tracer makes the spans of operations; nil when there are none.
func (t *Tracing) Tracer() trace.Tracer {
	if t == nil {
		return nil
	}
	return t.tracer
}

// Close sends what is left, as long as ctx allows.
func (t *Tracing) Close(ctx context.Context) error {
	if t == nil {
		return nil
	}
	if err := t.provider.Shutdown(ctx); err != nil && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled) {
		return fmt.Errorf("traces: %w", err)
	}
	return nil
}

// Upstream times and traces requests to upstream.
type Upstream struct {
	Metrics *Metrics
	Tracing *Tracing
}

// Observe implements upstream.Observe: a span until the answer's header, whose id goes with the request.
func (u *Upstream) Observe(ctx context.Context, op string, header http.Header) (answered func(status int)) {
	began := time.Now()
	endpoint := u.Metrics.endpoint(op)
	var span trace.Span
	if tracer := u.Tracing.Tracer(); tracer != nil {
		ctx, span = tracer.Start(ctx, "upstream "+endpoint, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(attribute.String("inlay.endpoint", endpoint)))
		propagation.TraceContext{}.Inject(ctx, propagation.HeaderCarrier(header))
	}
	return func(status int) {
		u.Metrics.upstream(endpoint, status, time.Since(began))
		if span == nil {
			return
		}
		if status != 0 {
			span.SetAttributes(attribute.Int("http.response.status_code", status))
		}
		if status == 0 || status >= http.StatusInternalServerError {
			span.SetStatus(codes.Error, "")
		}
		span.End()
	}
}

var _ upstream.Observe = (*Upstream)(nil).Observe
