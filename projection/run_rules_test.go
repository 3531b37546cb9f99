package projection_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"inlaygraph/projection"
)

// clock spells the second of a time, "-" for none.
func clock(at *time.Time) string {
	if at == nil {
		return "-"
	}
	return at.Format("05")
}

func TestNodeRun(t *testing.T) {
	const (
		startA = "node.start node_id=n activation=a kind=llm at=2026-03-01T09:00:01Z\n"
		endA   = `node.end node_id=n activation=a status=completed usage={"prompt_tokens":2,"completion_tokens":1} at=2026-03-01T09:00:02Z` + "\n"
		startB = "node.start node_id=n activation=b kind=tool at=2026-03-01T09:00:03Z\n"
		failB  = `node.end node_id=n activation=b status=failed error={"kind":"tool","message":"Broken."} usage={"prompt_tokens":5} at=2026-03-01T09:00:04Z` + "\n"
		bare   = "node.start node_id=n kind=llm\n"
		bareE  = `node.end node_id=n status=completed usage={"prompt_tokens":3}` + "\n"
		failed = "run.end status=failed\n"
	)
	for _, c := range []struct {
		name, in string
		want     string // status, visits, started-finished, activation, prompt tokens
	}{
		{"running from its start", startA, "RUNNING 1 01-- a -"},
		{"ended by its end", startA + endA, "COMPLETED 1 01-02 a 2"},
		{"a new activation resets status, finishedAt and error", startA + `node.end node_id=n activation=a status=failed error={"kind":"llm","message":"x"} at=2026-03-01T09:00:02Z` + "\n" + startB, "RUNNING 2 03-- b -"},
		{"an end of another activation adds usage and visit, and changes nothing else", startA + failB, "RUNNING 2 01-- a 5"},
		{"also of one before", startA + startB + endA, "RUNNING 2 03-- b 2"},
		{"while no start is known the latest end sets status", endA + failB, "FAILED 2 --04 b 7"},
		{"an end before its start: the start fills in", endA + startA, "COMPLETED 1 01-02 a 2"},
		{"a repeated start changes nothing", startA + endA + startA, "COMPLETED 1 01-02 a 2"},
		{"a repeated end adds no usage", startA + endA + strings.Replace(endA, "completed", "failed", 1), "COMPLETED 1 01-02 a 2"},
		{"usage is summed over visits, a missing member is 0", startA + endA + startB + failB, "FAILED 2 03-04 b 7"},
		{"without activations one visit per start", bare + bareE + bare, "RUNNING 2 --- - 3"},
		{"a bare end with no bare start open is a visit, once", bareE + bareE + bare, "RUNNING 2 --- - 3"},
		{"a bare end beside known activations too", startA + bareE + bareE, "RUNNING 2 01-- a 3"},
		{"a stopped run stops its nodes, without a finishedAt", runStart + startA + failed, "CANCELLED 1 01-- a -"},
		{"a cancelled one too", runStart + startA + "run.end status=cancelled", "CANCELLED 1 01-- a -"},
		{"a failed head too", startA + head + "status=failed", "CANCELLED 1 01-- a -"},
		{"also of what the log says after it", head + "status=failed\n" + strings.Replace(startA, "node.start", "node-start seq=1", 1), "CANCELLED 1 01-- a -"},
		{"for good in that activation", runStart + startA + failed + runStart + startA, "CANCELLED 1 01-- a -"},
		{"a late end still sets it", runStart + startA + failed + endA, "COMPLETED 1 01-02 a 2"},
		{"a new activation runs", runStart + startA + failed + runStart + startB, "RUNNING 2 03-- b -"},
		{"completed leaves it", runStart + startA + "run.end status=completed", "RUNNING 1 01-- a -"},
		{"so does a pause", runStart + startA + "run.pause status=paused", "RUNNING 1 01-- a -"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, _ := fold(t, c.in)
			s.CheckInvariants(t)
			n := s.Snapshot().NodeRun([]string{"n"})
			got := []string{nodeWords[n.Status], string(rune('0' + n.VisitCount)), clock(n.StartedAt) + "-" + clock(n.FinishedAt), "-", "-"}
			if n.Activation != nil {
				got[3] = *n.Activation
			}
			if n.Usage != nil {
				got[4] = string(rune('0' + n.Usage.PromptTokens))
			}
			require.Equal(t, c.want, strings.Join(got, " "))
			require.Equal(t, n.Status == 3, n.Error != nil, "an error only where the current activation failed")
		})
	}
	t.Run("kind is the current start's, null while no start is known", func(t *testing.T) {
		require.Nil(t, read(t, endA).NodeRun([]string{"n"}).Kind)
		require.Equal(t, "tool", *read(t, startA+startB).NodeRun([]string{"n"}).Kind)
	})
	t.Run("subgraphPath says []", func(t *testing.T) {
		require.Equal(t, []string{}, read(t, startA).NodeRun([]string{"n"}).SubgraphPath())
	})
	t.Run("a node that was not reached has none", func(t *testing.T) {
		require.Nil(t, read(t, startA).NodeRun([]string{"m"}))
		require.Nil(t, read(t, "edge.fired from=a to=b").NodeRun([]string{"a"}))
	})
}

func TestFiredEdges(t *testing.T) {
	edges := func(in string) (out []string) {
		for _, e := range read(t, in).Run().Edges {
			port := ""
			if e.FromPort != nil {
				port = ":" + *e.FromPort
			}
			out = append(out, strings.Join(append(e.SubgraphPath, e.From), "/")+port+">"+e.To+" "+string(rune('0'+e.Count))+" "+clock(e.LastFiredAt))
		}
		return out
	}
	t.Run("by semantic identity, in order of last firing", func(t *testing.T) {
		require.Equal(t, []string{"a>b 1 -", "g/a:x>b 1 -", "a:>b 1 -", "a:x>b 2 07"}, edges(`
			edge.fired from=a from_port=x to=b
			edge.fired from=a to=b
			edge.fired subgraph_path=["g"] from=a from_port=x to=b
			edge.fired from=a from_port= to=b
			edge.fired from=a from_port=x to=b at=2026-03-01T09:00:07Z`))
	})
	t.Run("an earlier firing that is learnt later only counts", func(t *testing.T) {
		require.Equal(t, []string{"a>b 2 09"}, edges(`
			edge from=a to=b seq=5 at=2026-03-01T09:00:09Z
			edge from=a to=b seq=3 at=2026-03-01T09:00:01Z`))
	})
	t.Run("subgraphPath says []", func(t *testing.T) {
		require.Equal(t, []string{}, read(t, "edge.fired from=a to=b").Run().Edges[0].SubgraphPath)
	})
	exit := func(in string) string {
		n := read(t, "node.start node_id=a activation=v1 kind=router\n"+in).NodeRun([]string{"a"})
		if n.ExitedVia == nil {
			return "-"
		}
		return *n.ExitedVia
	}
	t.Run("exitedVia is the port of the last fired edge out", func(t *testing.T) {
		require.Equal(t, "y", exit("edge.fired from=a from_port=x to=b\nedge.fired from=a from_port=y to=c"))
	})
	t.Run("absent before any, and for one without a port", func(t *testing.T) {
		require.Equal(t, "-", exit("edge.fired from=b from_port=x to=a"))
		require.Equal(t, "-", exit("edge.fired from=a from_port=x to=b\nedge.fired from=a to=b"))
	})
	t.Run("not reset by a new visit", func(t *testing.T) {
		require.Equal(t, "x", exit("edge.fired from=a from_port=x to=b\nnode.start node_id=a activation=v2 kind=router"))
	})
	t.Run("by the timeline's order, not the order of learning", func(t *testing.T) {
		require.Equal(t, "y", exit("edge from=a from_port=y to=b seq=5\nedge from=a from_port=x to=b seq=3"))
	})
	t.Run("known of a node that is reached later", func(t *testing.T) {
		s := read(t, "edge.fired from=n from_port=x to=b\nnode.start node_id=n activation=a kind=router")
		require.Equal(t, "x", *s.NodeRun([]string{"n"}).ExitedVia)
	})
}

func TestRunSnapshot(t *testing.T) {
	t.Run("nodes in order of first start, of first end where no start is known", func(t *testing.T) {
		var got []string
		for _, n := range read(t, `
			node.start node_id=a activation=v1 kind=tool
			node.end node_id=b activation=v2 status=completed
			node.start node_id=c activation=v3 kind=tool
			node.start node_id=b activation=v2 kind=tool
			node.start node_id=a activation=v4 kind=tool`).Run().Nodes {
			got = append(got, n.NodeID())
		}
		require.Equal(t, []string{"a", "c", "b"}, got)
	})
	t.Run("totalUsage is the per-node sum", func(t *testing.T) {
		s := read(t, `
			node.end node_id=a activation=v1 status=completed usage={"prompt_tokens":1}
			node.end node_id=b activation=v2 status=completed
			node.end node_id=c activation=v3 status=completed usage={"prompt_tokens":2,"reasoning_tokens":4}`)
		require.Equal(t, int64(3), s.Run().TotalUsage.PromptTokens)
		require.Equal(t, int64(4), s.Run().TotalUsage.ReasoningTokens)
		require.Nil(t, read(t, "node.end node_id=b activation=v2 status=completed").Run().TotalUsage)
	})
	const lifecycle = "\nnode-start seq=1 node_id=n activation=a kind=tool"
	for _, c := range []struct{ name, in, want string }{
		{"idle while no run frame was seen", "user.message id=u content=Hi", "IDLE"},
		{"running while a run is open", runStart, "RUNNING"},
		{"paused", "run.pause status=paused", "PAUSED"},
		{"paused also for awaiting a client tool", "run.pause status=awaiting_client_tool", "PAUSED"},
		{"completed", "run.end status=completed", "COMPLETED"},
		{"failed", "run.end status=failed", "FAILED"},
		{"cancelled", "run.end status=cancelled", "CANCELLED"},
		{"idle with a head but no lifecycle row", head + "status=running\nuser id=u seq=1 content=Hi", "IDLE"},
		{"the head's word with one", head + "status=running" + lifecycle, "RUNNING"},
		{"also failed", head + "status=failed" + lifecycle, "FAILED"},
		{"an edge is a lifecycle row", head + "status=completed\nedge seq=1 from=a to=b", "COMPLETED"},
		{"lifecycle rows alone say nothing", lifecycle, "IDLE"},
	} {
		t.Run("status: "+c.name, func(t *testing.T) { require.Equal(t, c.want, runOf(read(t, c.in).Run()).Status) })
	}
	t.Run("IDLE_RUN is the stable empty one", func(t *testing.T) {
		require.Same(t, projection.IdleRun, read(t, "").Run())
		require.Same(t, projection.IdleRun, read(t, "user.message id=u content=Hi").Run())
	})
	t.Run("without lifecycle rows the run is empty, not approximate", func(t *testing.T) {
		run := read(t, head+`status=completed
			user id=u seq=1 content=Hi
			assistant id=m seq=2 node_id=n subgraph_path=["g"] activation=a content=x`).Run()
		require.Empty(t, run.Nodes)
		require.Empty(t, run.Edges)
		require.Empty(t, run.Subagents)
	})
}

func TestSubagents(t *testing.T) {
	counts := func(in string) (out []string) {
		for _, a := range read(t, in).Run().Subagents {
			out = append(out, strings.Join(a.Path, "/")+" "+string(rune('0'+a.RunningCount))+string(rune('0'+a.DoneCount))+string(rune('0'+a.FailedCount)))
		}
		return out
	}
	for _, c := range []struct {
		name, in string
		want     []string
	}{
		{"a run of kind subgraph, black boxes included", "node.start node_id=g activation=a kind=subgraph", []string{"g 000"}},
		{"any node run below the path", `node.start node_id=n subgraph_path=["g","h"] activation=a kind=tool`, []string{"g 100", "g/h 100"}},
		{"in order of first evidence", `
			node.start node_id=n subgraph_path=["b"] activation=a kind=tool
			node.start node_id=a activation=b kind=subgraph`, []string{"b 100", "a 000"}},
		{"strict descendants at any depth; cancelled counts as failed", `
			node.start node_id=g activation=a kind=subgraph
			node.start node_id=h subgraph_path=["g"] activation=b kind=subgraph
			node.end node_id=x subgraph_path=["g","h"] activation=c status=completed
			node.end node_id=y subgraph_path=["g","h"] activation=d status=cancelled
			node.end node_id=z subgraph_path=["g"] activation=e status=failed`, []string{"g 112", "g/h 011"}},
		{"a stopped run's nodes are failed", runStart + `
			node.start node_id=n subgraph_path=["g"] activation=a kind=tool
			run.end status=cancelled`, []string{"g 001"}},
		{"an edge is no evidence", `edge.fired subgraph_path=["g"] from=a to=b`, nil},
	} {
		t.Run(c.name, func(t *testing.T) { require.Equal(t, c.want, counts(c.in)) })
	}
}
