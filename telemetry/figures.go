package telemetry

import (
	"regexp"
	"slices"

	"github.com/prometheus/client_golang/prometheus"

	"inlaygraph/conversation"
	"inlaygraph/graph/encoded"
	"inlaygraph/session"
	"inlaygraph/transport"
)

// Sources are where figures are counted. All are read when somebody scrapes.
type Sources struct {
	Hub       *conversation.Hub
	Transport *transport.Handler
	Gate      *session.Gate
	Rows      *encoded.Cache
	Health    *Health
}

// figures reads all sources for a scrape.
type figures struct {
	from Sources

	live, watched, streams, connections, subscribers, groups, members, queueBytes, queueMessages *prometheus.Desc
	deliveries, coalesced, executions, frames, rejected, duplicates, openers, reconnects, resets *prometheus.Desc
	authFailures, refused, closes, hits, misses, cacheBytes, cacheRows, draining, evicted, short *prometheus.Desc

	all []*prometheus.Desc
}

func newFigures(from Sources) *figures {
	f := &figures{from: from}
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		d := prometheus.NewDesc("inlay_"+name, help, labels, nil)
		f.all = append(f.all, d)
		return d
	}
	f.live = desc("conversations_live", "Conversations in memory.")
	f.watched = desc("conversations_watched", "Conversations that somebody subscribes to.")
	f.streams = desc("upstream_streams", "Streams of runs that are read from upstream.")
	f.connections = desc("connections", "Open connections of clients, by transport.", "transport")
	f.subscribers = desc("subscribers", "Open subscriptions, by root field.", "field")
	f.groups = desc("groups", "Executions that subscribers share.")
	f.members = desc("group_members", "Subscribers that share an execution.")
	f.queueBytes = desc("queue_bytes", "Bytes of results that wait for connections to take them, or are being written; shared ones count for each.")
	f.queueMessages = desc("queue_messages", "Results that wait for connections to take them.")
	f.deliveries = desc("deliveries_total", "Results written to connections, by transport.", "transport")
	f.coalesced = desc("coalesced_total", "Changes that went out with a newer one: before they were read, or before they were written.", "where")
	f.executions = desc("group_executions_total", "Readings and encodings by shared executions.")
	f.frames = desc("frames_total", "Frames from upstream's streams, by type.", "type")
	f.rejected = desc("rejected_total", "Frames and rows that were not taken, by reason.", "reason")
	f.duplicates = desc("duplicates_total", "Frames that were known already.")
	f.openers = desc("other_openers_total", "Runs of another agent or version than their conversation's.")
	f.reconnects = desc("reconnects_total", "Streams that had broken and were open again.")
	f.resets = desc("resets_total", "Times that what subscribers of a conversation read was replaced, by reason.", "reason")
	f.authFailures = desc("auth_failures_total", "Callers that were not let in over their token, by reason.", "reason")
	f.refused = desc("requests_refused_total", "Requests and connections turned away before any operation, by reason.", "reason")
	f.closes = desc("websocket_closes_total", "WebSockets closed, by code (peer: the client closed).", "code")
	f.hits = desc("row_cache_hits_total", "Rows whose encoding was kept.")
	f.misses = desc("row_cache_misses_total", "Rows whose encoding was looked for in vain.")
	f.cacheBytes = desc("row_cache_bytes", "What the cache of encoded rows takes.")
	f.cacheRows = desc("row_cache_rows", "Rows in the cache of encoded rows.")
	f.evicted = desc("evicted_for_memory_total", "Conversations that left memory early because it was short.")
	f.short = desc("memory_short", "1 while no conversation is let in for want of memory, else 0.")
	f.draining = desc("draining", "1 once the server shuts down, else 0.")
	return f
}

// Describe implements prometheus.Collector.
func (f *figures) Describe(to chan<- *prometheus.Desc) {
	for _, d := range f.all {
		to <- d
	}
}

// Collect implements prometheus.Collector.
func (f *figures) Collect(to chan<- prometheus.Metric) {
	s := scrape{to}
	hub, more := f.from.Hub.Stats(), f.from.Hub.Figures()
	s.gauge(f.live, hub.Conversations)
	s.gauge(f.watched, more.Watched)
	s.count(f.evicted, hub.EvictedForMemory)
	short := 0
	if hub.Short {
		short = 1
	}
	s.gauge(f.short, short)
	s.gauge(f.streams, hub.Streams)
	s.counts(f.frames, more.Frames, nil)
	s.counts(f.rejected, bounded(hub.Rejected), nil)
	s.count(f.duplicates, hub.Duplicates)
	s.count(f.openers, hub.OtherOpeners)
	s.count(f.reconnects, more.Reconnects)
	s.counts(f.resets, more.Resets, conversation.Resets())

	t := f.from.Transport.Stats()
	s.gauge(f.connections, t.WebSockets, "websocket")
	s.gauge(f.connections, t.EventStreams, "sse")
	for field, n := range t.Subscribers {
		s.gauge(f.subscribers, int(n), field)
	}
	s.gauge(f.groups, t.Groups)
	s.gauge(f.members, t.GroupMembers)
	s.gauge(f.queueBytes, t.QueuedBytes)
	s.gauge(f.queueMessages, t.QueuedMessages)
	s.count(f.deliveries, t.SentToWebSockets, "websocket")
	s.count(f.deliveries, t.SentToStreams, "sse")
	s.count(f.coalesced, more.Coalesced, "read")
	s.count(f.coalesced, t.Coalesced, "write")
	s.count(f.executions, t.GroupExecutions)
	s.counts(f.refused, t.Refused, transport.RefusedReasons())
	s.counts(f.closes, t.Closes, append(transport.CloseCodes(), transport.ClosedByPeer))

	s.counts(f.authFailures, f.from.Gate.Refusals(), session.RefusalReasons())

	rows := f.from.Rows.Stats()
	s.count(f.hits, int64(rows.Hits))
	s.count(f.misses, int64(rows.Misses))
	s.gauge(f.cacheBytes, rows.Bytes)
	s.gauge(f.cacheRows, rows.Texts)

	draining := 0
	if f.from.Health.Draining() {
		draining = 1
	}
	s.gauge(f.draining, draining)
}

// scrape takes figures.
type scrape struct{ to chan<- prometheus.Metric }

func (s scrape) gauge(d *prometheus.Desc, n int, labels ...string) {
	s.to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, float64(n), labels...)
}

func (s scrape) count(d *prometheus.Desc, n int64, labels ...string) {
	s.to <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(n), labels...)
}

// counts are counters of one label. Values of the list are there from the beginning, so that a first event is seen as a
// change; where there is a list, what is not in it counts as Other.
func (s scrape) counts(d *prometheus.Desc, by map[string]int64, list []string) {
	all := map[string]int64{}
	for _, value := range list {
		all[value] = 0
	}
	for value, n := range by {
		if list != nil && !slices.Contains(list, value) {
			value = Other
		}
		all[value] += n
	}
	for value, n := range all {
		s.count(d, n, value)
	}
}

// maxReasons is how many reasons for which frames are rejected are told apart: there are fewer.
const maxReasons = 40

var reasonWord = regexp.MustCompile(`^[a-z][a-z_]{0,40}$`)

// bounded are rejections by reasons that are words.
func bounded(rejected map[string]int64) map[string]int64 {
	all := map[string]int64{}
	for reason, n := range rejected {
		if !reasonWord.MatchString(reason) || len(all) >= maxReasons {
			reason = Other
		}
		all[reason] += n
	}
	return all
}
