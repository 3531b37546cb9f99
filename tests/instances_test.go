package tests

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	nats "github.com/nats-io/nats-server/v2/server"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"inlaygraph/tests/model"
	"inlaygraph/wire"
)

// natsServer is a NATS server in the test's process, which a test stops and starts again.
type natsServer struct {
	*nats.Server
	dir  string
	port int
}

func startNATS(t *testing.T) *natsServer {
	t.Helper()
	n := &natsServer{dir: t.TempDir(), port: nats.RANDOM_PORT}
	n.start(t)
	t.Cleanup(n.stop)
	return n
}

func (n *natsServer) start(t *testing.T) {
	t.Helper()
	s, err := nats.NewServer(&nats.Options{Host: "127.0.0.1", Port: n.port, JetStream: true, StoreDir: n.dir, NoSigs: true, NoLog: true})
	require.NoError(t, err)
	s.Start()
	require.True(t, s.ReadyForConnections(patience))
	n.Server, n.port = s, s.Addr().(*net.TCPAddr).Port
}

func (n *natsServer) stop() {
	n.Shutdown()
	n.WaitForShutdown()
}

// onBus has every server keep its conversations on a bus of its own, when TESTS_BUS is embedded: the same tests show that
// what clients see is the same. Nothing is gathered: of what they count, every frame is one message.
func onBus() []string {
	if os.Getenv("TESTS_BUS") != "embedded" {
		return nil
	}
	dir, err := os.MkdirTemp(filepath.Dir(binary), "bus")
	if err != nil {
		panic(err)
	}
	return []string{"INLAY_BUS=embedded", "INLAY_BUS_DIR=" + dir, "INLAY_BUS_MAX_MEGABYTES=256", "INLAY_BUS_GATHER_MS=0"}
}

// instance starts one of several servers of one platform.
func (p *platform) instance(t *testing.T, bus string, args ...string) *server {
	t.Helper()
	return start(t, nil, append([]string{
		"serve", "--listen", "127.0.0.1:0", "--upstream", p.http.URL, "--insecure", "--idle-poll-seconds", "1",
		"--bus", bus, "--bus-lease-seconds", "1", "--bus-max-megabytes", "256",
	}, args...)...)
}

// shown waits until a stream of rowChanges has led to the rows that the first n frames make.
func (c *play) shown(t *testing.T, s *stream, kept string, n int) Observation {
	t.Helper()
	want := model.Fold(c.records(n)).Timeline
	eventually(t, patience, func() string {
		values := resumed(t, s, kept).Values
		if len(values) == 0 {
			return "nothing came"
		}
		return model.Diff(want, withoutTypename(t, lastOf(values)))
	})
	return resumed(t, s, kept)
}

// Whoever follows from whichever of three servers sees every value in order, while the one that reads upstream is killed,
// and the next; whoever was on a killed one goes on at another at its cursor.
func TestInstances(t *testing.T) {
	t.Parallel()
	broker := startNATS(t)
	p := newPlatform(t)
	desk := p.add(t, "desk.ndjson", "")
	told := desk.tell(6)
	const firstRun = 46
	history := desk.history(t, firstRun, "timeline", timeline("").operation("desk"))
	var servers []*server
	for range 3 {
		servers = append(servers, p.instance(t, broker.ClientURL()))
	}
	follow := func(s *server, f following) *stream {
		changes := dial(t, s).subscribe(t, f.operation("desk"))
		changes.message(t, 1)
		return changes
	}
	var changes, values []*stream
	for _, s := range servers {
		changes, values = append(changes, follow(s, rowChanges())), append(values, follow(s, timeline("")))
	}
	for told < 20 {
		told = desk.tell(1)
		time.Sleep(time.Millisecond)
	}
	for i := range 2 {
		for _, s := range changes[i:] {
			desk.shown(t, s, "", told)
		}
		seen := desk.shown(t, changes[i], "", told)
		streams := desk.streams()
		require.NoError(t, servers[i].cmd.Process.Kill()) // the first that asked reads; after it perhaps the last
		told = desk.tell(5)
		if i == 0 {
			desk.awaitStream(t, streams)
		}
		again := follow(servers[2], rowChanges().after(cursorOf(t, lastOf(seen.Changes))))
		o := desk.shown(t, again, lastOf(seen.Values), told)
		require.NoError(t, Validate(o), "the cursor of a server that is gone holds")
	}
	told = desk.tell(firstRun - told)
	o := desk.shown(t, changes[2], "", told)
	o.History, o.Final = history, timeline("").read(t, servers[2], "desk")
	require.NoError(t, Validate(o))
	o = timeline("").observe(t, values[2])
	o.History, o.Final = history, timeline("").read(t, servers[2], "desk")
	require.NoError(t, Validate(o))
	assert.Equal(t, 0, servers[2].stop(t))
}

// While NATS is away what is in memory is read; when it is back the followers go on, with no reset.
func TestInstancesWithoutTheBus(t *testing.T) {
	t.Parallel()
	broker := startNATS(t)
	p := newPlatform(t)
	desk := p.add(t, "desk.ndjson", "")
	other := p.add(t, "desk.ndjson", "other")
	other.tell(3)
	told := desk.tell(10)
	const firstRun = 46
	s := p.instance(t, broker.ClientURL())
	changes := dial(t, s).subscribe(t, rowChanges().operation("desk"))
	desk.shown(t, changes, "", told)
	broker.stop()
	time.Sleep(100 * time.Millisecond)
	desk.tell(5)
	assert.True(t, same(lastOf(resumed(t, changes, "").Values), timeline("").read(t, s, "desk")))
	r := parse(t, s.post(t, mediaResponse, request{Query: timeline("").query("other")}).body)
	assert.Equal(t, []string{"UPSTREAM_UNAVAILABLE"}, codes(r.Errors))
	broker.start(t)
	told = desk.tell(5)
	desk.shown(t, changes, "", told)
	desk.tell(firstRun - told)
	o := desk.shown(t, changes, "", firstRun)
	o.Final = timeline("").read(t, s, "desk")
	require.NoError(t, Validate(o))
	assert.Equal(t, 0, s.stop(t))
}

// A server on a bus of its own goes on after a restart where it was, cursors too.
func TestEmbeddedBusAfterRestart(t *testing.T) {
	t.Parallel()
	p := newPlatform(t)
	desk := p.add(t, "desk.ndjson", "")
	told := desk.tell(15)
	dir := t.TempDir()
	s := p.instance(t, "embedded", "--bus-dir", dir)
	c := dial(t, s)
	seen := desk.shown(t, c.subscribe(t, rowChanges().operation("desk")), "", told)
	require.NoError(t, s.cmd.Process.Kill())
	s.exit(t)
	told = desk.tell(10)
	s = p.instance(t, "embedded", "--bus-dir", dir)
	again := dial(t, s).subscribe(t, rowChanges().after(cursorOf(t, lastOf(seen.Changes))).operation("desk"))
	o := desk.shown(t, again, lastOf(seen.Values), told)
	require.NoError(t, Validate(o), "the cursor holds")
	second := run(t, nil, "serve", "--listen", "127.0.0.1:0", "--upstream", p.http.URL, "--insecure", "--bus", "embedded", "--bus-dir", dir)
	assert.NotZero(t, second.code)
	assert.Contains(t, second.stderr, "another process")
	assert.Equal(t, 0, s.stop(t))
}

// What --bus can't be is said before anything is served.
func TestBusFlags(t *testing.T) {
	t.Parallel()
	serve := []string{"serve", "--listen", "127.0.0.1:0", "--upstream", "http://127.0.0.1:9", "--insecure"}
	for _, c := range []struct{ args, says string }{
		{"--bus nats://127.0.0.1:1", "--bus: joining the bus"},
		{"--bus http://user:secret@127.0.0.1:1", "nats://host:port"},
		{"--bus embedded", "a folder"},
		{"--bus-dir x", "are for a --bus"},
		{"--bus nats://127.0.0.1:1 --bus-replicas 2", "1, 3 or 5"},
		{"--bus embedded --bus-dir x --bus-replicas 3", "no replicas"},
		{"--bus embedded --bus-dir x --bus-gather-ms 1001", "--bus-gather-ms: take 1000 or less"},
	} {
		r := run(t, nil, append(serve, strings.Fields(c.args)...)...)
		assert.Equal(t, 2, r.code, c.args)
		assert.Contains(t, r.stderr, c.says, c.args)
		assert.NotContains(t, r.stderr, "secret")
	}
	r := run(t, nil, "serve", "--listen", "127.0.0.1:0", "--bus", "nats://127.0.0.1:1")
	assert.Equal(t, 2, r.code)
	assert.Contains(t, r.stderr, "--upstream")
}

// With --bus-optional a server begins without NATS, and reads conversations once it is there.
func TestBusOptional(t *testing.T) {
	t.Parallel()
	broker := startNATS(t)
	url := broker.ClientURL()
	broker.stop()
	p := newPlatform(t)
	desk := p.add(t, "desk.ndjson", "")
	told := desk.tell(10)
	s := p.instance(t, url, "--bus-optional")
	r := parse(t, s.post(t, mediaResponse, request{Query: timeline("").query("desk")}).body)
	assert.Equal(t, []string{"UPSTREAM_UNAVAILABLE"}, codes(r.Errors))
	broker.start(t)
	want := model.Fold(desk.records(told)).Timeline
	eventually(t, patience, func() string {
		r := parse(t, s.post(t, mediaResponse, request{Query: timeline("").query("desk")}).body)
		if len(r.Errors) > 0 {
			return fmt.Sprint(codes(r.Errors))
		}
		return model.Diff(want, withoutTypename(t, timeline("").pick(t, r.Data)))
	})
	assert.Equal(t, 0, s.stop(t))
}

// Two servers get the same tool result at the same time, many times over: upstream gets one.
func TestInstancesDeliverOnce(t *testing.T) {
	t.Parallel()
	broker := startNATS(t)
	p := newTenancy(t)
	token := p.enrol(t, "ann", "acme", time.Now().Add(time.Hour))
	args := []string{"--bus", broker.ClientURL(), "--bus-lease-seconds", "1", "--bus-max-megabytes", "256"}
	servers := []*server{p.front(t, args...), p.front(t, args...)}
	c := p.add("acme", "asks", "ann")
	c.say(starting...)
	c.say(calling("call"), pausing(wire.AwaitingClientTool))
	var clicks sync.WaitGroup
	for i := range 10 {
		clicks.Go(func() {
			answer := servers[i%2].askFor(t, mediaJSON, token, `mutation { submitToolResult(input: {conversationId: "asks", toolCallId: "call", output: "yes"}) { conversation { id } } }`)
			var r struct{ Errors []json.RawMessage }
			assert.Equal(t, http.StatusOK, answer.status)
			assert.NoError(t, json.Unmarshal([]byte(answer.body), &r))
			assert.Empty(t, r.Errors)
		})
	}
	clicks.Wait()
	assert.Equal(t, 1, p.count("POST /v1/agents/helper/execute"))
}
