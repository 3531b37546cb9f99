package telemetry

import (
	"github.com/prometheus/client_golang/prometheus"

	"inlaygraph/bus"
	"inlaygraph/conversation"
)

// ReadBus adds the figures of what a server shares with others. A server that is alone has none of them.
func (m *Metrics) ReadBus(b *bus.Bus, hub *conversation.Hub) {
	m.registry.MustRegister(newBusFigures(b, hub))
}

// busFigures reads a bus for a scrape (docs/scaling.md, "Metrics").
type busFigures struct {
	bus *bus.Bus
	hub *conversation.Hub

	ready, instances, following, lag, takeovers, appended, inputs, bytes, behind, failed, delivered, rejected, gaps, outages *prometheus.Desc
	all                                                                                                                      []*prometheus.Desc
}

func newBusFigures(b *bus.Bus, hub *conversation.Hub) *busFigures {
	f := &busFigures{bus: b, hub: hub}
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		d := prometheus.NewDesc("inlay_bus_"+name, help, labels, nil)
		f.all = append(f.all, d)
		return d
	}
	f.ready = desc("ready", "1 while the bus can be used, else 0.")
	f.instances = desc("instances", "Servers on the bus, this one included.")
	f.following = desc("conversations_followed", "Conversations whose logs are followed.")
	f.lag = desc("lag_seconds", "How long the latest record was under way, by the clocks of the bus and of this server.")
	f.takeovers = desc("takeovers_total", "Times that this server began to read a conversation from upstream.")
	f.appended = desc("appended_total", "Records that this server appended.")
	f.inputs = desc("appended_inputs_total", "Inputs in the records that this server appended.")
	f.bytes = desc("appended_bytes_total", "Bytes of the records that this server appended.")
	f.behind = desc("behind_total", "Appends that came too late: another server was first.")
	f.failed = desc("append_failures_total", "Appends that the bus did not take.")
	f.delivered = desc("delivered_total", "Records that came from the bus, this server's own included.")
	f.rejected = desc("rejected_total", "Messages on the bus that were passed over, by reason.", "reason")
	f.gaps = desc("gaps_total", "Times that records were missing.")
	f.outages = desc("outages_total", "Times that the connection to the bus was lost.")
	return f
}

// Describe implements prometheus.Collector.
func (f *busFigures) Describe(to chan<- *prometheus.Desc) {
	for _, d := range f.all {
		to <- d
	}
}

// Collect implements prometheus.Collector.
func (f *busFigures) Collect(to chan<- prometheus.Metric) {
	s, stats := scrape{to}, f.bus.Stats()
	ready := 0
	if stats.Ready {
		ready = 1
	}
	s.gauge(f.ready, ready)
	s.gauge(f.instances, stats.Instances)
	s.gauge(f.following, stats.Following)
	to <- prometheus.MustNewConstMetric(f.lag, prometheus.GaugeValue, stats.Lag.Seconds())
	s.count(f.takeovers, f.hub.Stats().Takeovers)
	s.count(f.appended, stats.Appended)
	s.count(f.inputs, stats.Inputs)
	s.count(f.bytes, stats.Bytes)
	s.count(f.behind, stats.Behind)
	s.count(f.failed, stats.Failed)
	s.count(f.delivered, stats.Delivered)
	s.counts(f.rejected, stats.Rejected, bus.RejectedReasons())
	s.count(f.gaps, stats.Gaps)
	s.count(f.outages, stats.Outages)
}
