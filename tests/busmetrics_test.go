package tests

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// busLog is the stream that has records of a conversation, and the subject that they are of.
func busLog(t *testing.T, js jetstream.JetStream) (jetstream.Stream, string) {
	t.Helper()
	for info := range js.ListStreams(t.Context()).Info() {
		if strings.HasPrefix(info.Config.Name, "INLAY_") && info.State.Msgs > 0 {
			stream, err := js.Stream(t.Context(), info.Config.Name)
			require.NoError(t, err)
			with, err := stream.Info(t.Context(), jetstream.WithSubjectFilter(">"))
			require.NoError(t, err)
			for subject := range with.State.Subjects {
				return stream, subject
			}
		}
	}
	require.Fail(t, "no stream has records")
	return nil, ""
}

// Every metric of the bus that docs/scaling.md lists moves when it should.
func TestEveryBusMetricMoves(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/scaling.md")
	require.NoError(t, err)
	left := map[string]bool{}
	for _, m := range regexp.MustCompile("`(inlay_bus_[a-z_]+)`").FindAllStringSubmatch(string(page), -1) {
		left[m[1]] = true
	}
	require.Greater(t, len(left), 12)
	broker := startNATS(t)
	p := newPlatform(t)
	c := talk(p, "talk", 600)
	c.tell(5)
	reads := p.instance(t, broker.ClientURL(), "--bus-gather-ms", "0")
	moves := func(before scraped, names ...string) {
		t.Helper()
		reads.moves(t, before, names...)
		for _, name := range names {
			delete(left, name)
		}
	}
	before := scrape(t, reads.base())
	reads.stream(t, timeline("").operation("talk")).message(t, 1)
	p.instance(t, broker.ClientURL())
	moves(before, "inlay_bus_instances", "inlay_bus_conversations_followed", "inlay_bus_takeovers_total")
	c.tell(5)
	moves(before, "inlay_bus_appended_total", "inlay_bus_appended_inputs_total", "inlay_bus_appended_bytes_total", "inlay_bus_delivered_total", "inlay_bus_lag_seconds")

	nc, err := nats.Connect(broker.ClientURL())
	require.NoError(t, err)
	defer nc.Close()
	js, err := jetstream.New(nc)
	require.NoError(t, err)
	stream, subject := busLog(t, js)
	before = scrape(t, reads.base())
	for began := time.Now(); scrape(t, reads.base()).sum("inlay_bus_behind_total") == 0 && time.Since(began) < patience; {
		_, err := js.PublishAsync(subject, []byte("no record")) // on its way together with one
		require.NoError(t, err)
		c.tell(1)
	}
	moves(before, "inlay_bus_behind_total", "inlay_bus_rejected_total")
	require.Positive(t, c.left(), "the rest is for what follows")

	appended := scrape(t, reads.base()).sum("inlay_bus_appended_total")
	for scrape(t, reads.base()).sum("inlay_bus_appended_total") < appended+5 && c.left() > 1 {
		c.tell(1)
		time.Sleep(20 * time.Millisecond)
	}
	require.NoError(t, stream.Purge(t.Context(), jetstream.WithPurgeSubject(subject), jetstream.WithPurgeKeep(2)))
	joins := p.instance(t, broker.ClientURL())
	joins.post(t, mediaJSON, request{Query: timeline("").query("talk")})
	joins.moves(t, scraped{}, "inlay_bus_gaps_total")
	delete(left, "inlay_bus_gaps_total")

	before = scrape(t, reads.base())
	broker.stop()
	c.tell(1)
	moves(before, "inlay_bus_outages_total")
	eventually(t, patience, func() string {
		if scrape(t, reads.base()).sum("inlay_bus_append_failures_total")+scrape(t, joins.base()).sum("inlay_bus_append_failures_total") == 0 {
			return "no append has failed" // of whichever of them reads by now
		}
		return ""
	})
	delete(left, "inlay_bus_append_failures_total")
	assert.InDelta(t, 0, scrape(t, reads.base()).sum("inlay_bus_ready"), 0)
	before = scrape(t, reads.base())
	broker.start(t)
	moves(before, "inlay_bus_ready")
	assert.Empty(t, left)
}
