package telemetry

import (
	"net/http"
	"regexp"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"inlaygraph/coded"
)

const (
	// Other is the value of a label for what is in no list.
	Other = "other"
	// OK is the code of operations without an error.
	OK = "OK"
	// maxEndpoints is how many endpoints of upstream are told apart.
	maxEndpoints = 64
)

// Metrics are the figures of a server, for Prometheus.
type Metrics struct {
	registry   *prometheus.Registry
	endpoints  *prometheus.HistogramVec // by endpoint and status class
	operations *prometheus.CounterVec   // by kind and code
	took       *prometheus.HistogramVec // by kind

	mu    sync.Mutex
	known map[string]bool // endpoints
}

// buckets are from what memory answers to what a person waits for, in seconds.
var buckets = []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}

// NewMetrics makes those that are counted here. Read adds those that are counted elsewhere.
func NewMetrics() *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(), known: map[string]bool{},
		endpoints: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "inlay_upstream_request_seconds", Buckets: buckets,
			Help: "Time until the header of upstream's answer, by endpoint and class of status (none: no answer).",
		}, []string{"endpoint", "status"}),
		operations: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "inlay_operations_total", Help: "GraphQL operations, by kind and the code of their first error (OK: none).",
		}, []string{"kind", "code"}),
		took: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "inlay_operation_seconds", Buckets: buckets,
			Help: "Time to the result of GraphQL operations, of subscriptions to the first one, by kind.",
		}, []string{"kind"}),
	}
	m.registry.MustRegister(
		collectors.NewBuildInfoCollector(), collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		m.endpoints, m.operations, m.took,
	)
	return m
}

// Handler answers a scrape (/metrics).
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4, Timeout: 10 * time.Second})
}

// Read has a scrape read what is counted elsewhere.
func (m *Metrics) Read(from Sources) { m.registry.MustRegister(newFigures(from)) }

var kinds = map[string]bool{"query": true, "mutation": true, "subscription": true}

// operation counts an operation. One that was not accepted has no kind.
func (m *Metrics) operation(kind string, code coded.Code, took time.Duration) {
	if !kinds[kind] {
		kind = "refused"
	}
	label := OK
	if code != "" {
		label = string(code) // one of package coded's, or transport.Left
	}
	m.operations.WithLabelValues(kind, label).Inc()
	m.took.WithLabelValues(kind).Observe(took.Seconds())
}

var endpointWord = regexp.MustCompile(`^[a-z][a-z/_ -]{0,40}$`)

// endpoint is what is asked of upstream, as a label: words of this project's own, of which there are a few.
func (m *Metrics) endpoint(op string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.known[op]:
		return op
	case len(m.known) >= maxEndpoints || !endpointWord.MatchString(op):
		return Other
	}
	m.known[op] = true
	return op
}

func (m *Metrics) upstream(endpoint string, status int, took time.Duration) {
	class := "none"
	if status >= 100 && status < 600 {
		class = strconv.Itoa(status/100) + "xx"
	}
	m.endpoints.WithLabelValues(endpoint, class).Observe(took.Seconds())
}
