//go:build recorded

package langgraph

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlaygraph/projection"
	"inlaygraph/wire"
)

// This check is run by hand over folders of raw recordings of a real server, which are not part of the project:
//
//	INLAY_LANGGRAPH_RECORDINGS=folder go test -tags recorded -run Recorded -v ./upstream/langgraph
//
// Streams (`x.sse` with `x.meta.json`, the request, and `x.state.json`, the state afterwards; graphs in
// `static/*.graph.json`) must translate without a rejected frame. Threads (folders with `run-1.sse`, …, `runs.json`,
// `history.json` by namespace, `state-1.json`, …, `assistant.json`, `graph.json`) must, besides, give the same from
// their history; what does not is listed. It also lists what stayed unknown and what was passed over, and why.
func recordings(t *testing.T) string {
	t.Helper()
	folder := os.Getenv("INLAY_LANGGRAPH_RECORDINGS")
	require.NotEmpty(t, folder, "INLAY_LANGGRAPH_RECORDINGS names the folder")
	return folder
}

func read(t *testing.T, parts ...string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(parts...))
	require.NoError(t, err)
	return data
}

func report(t *testing.T, r *Run) {
	t.Helper()
	for _, note := range r.Unknown() {
		t.Log("unknown:", note)
	}
	for _, why := range []Skip{SkipMalformed, SkipMode, SkipCustom, SkipTools, SkipMessageKind, SkipRepeated, SkipWrapped, SkipUnplaced} {
		if n := r.Skipped()[why]; n > 0 {
			t.Log("passed over:", n, why)
		}
	}
}

func TestRecordedStreams(t *testing.T) {
	folder := recordings(t)
	files, err := filepath.Glob(filepath.Join(folder, "*.sse"))
	require.NoError(t, err)
	known, given := map[string]*Known{}, map[string]*Known{}
	total := 0
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".sse")
		t.Run(name, func(t *testing.T) {
			events := eventsOf(read(t, file))
			info := RunInfo{ThreadID: "thread", RunID: "run", AgentID: "agent"}
			var meta struct {
				Request struct {
					Path string
					Body struct {
						AssistantID string `json:"assistant_id"`
						Input       json.RawMessage
						Command     json.RawMessage
					}
				}
			}
			if data, err := os.ReadFile(filepath.Join(folder, name+".meta.json")); err == nil {
				require.NoError(t, json.Unmarshal(data, &meta))
				body := meta.Request.Body
				if parts := strings.Split(meta.Request.Path, "/"); len(parts) > 2 && parts[1] == "threads" {
					info.ThreadID = parts[2]
				}
				run := fmt.Sprintf(`{"run_id":"run","kwargs":{"input":%s,"command":%s}}`, orNull(body.Input), orNull(body.Command))
				record, err := ParseRun([]byte(run))
				require.NoError(t, err)
				info.Human, info.Answers = record.Human, record.Answers
				info.Plan = plan(t, []byte(`{"assistant_id":"a","version":1}`), filepath.Join(folder, "static", body.AssistantID+".graph.json"))
			}
			for _, e := range events {
				if e.name == "metadata" {
					o, _ := asObject([]byte(e.data))
					info.RunID = o.text("run_id")
				}
			}
			if before, again := given[info.RunID]; again {
				info.Known = before // the same run, joined once more
			} else {
				info.Known = known[info.ThreadID]
				given[info.RunID] = info.Known
			}
			o := Outcome{Status: Succeeded}
			if data, err := os.ReadFile(filepath.Join(folder, name+".state.json")); err == nil {
				if state, err := ParseState(data); err == nil && (len(state.Interrupts) > 0 || len(state.Next) > 0) {
					o = Outcome{Status: Interrupted, Interrupts: state.Interrupts}
				}
			}
			for _, e := range events {
				if e.name == "error" {
					o = Outcome{Status: Failed}
				}
			}
			if strings.HasPrefix(name, "cancel.") {
				o = Outcome{Status: Cancelled}
			}
			frames, r := translate(info, events, o)
			if info.Known == nil {
				folded(t, frames)
			} else {
				onlyWire(t, frames)
			}
			known[info.ThreadID] = r.Known()
			total += len(frames)
			t.Logf("%d events, %d frames, %s", len(events), len(frames), frames[len(frames)-1].AppendJSON(nil))
			report(t, r)
		})
	}
	t.Logf("%d streams, %d frames, none rejected", len(files), total)
}

// onlyWire checks the frames of a later run by themselves: it may be one of which the earlier runs were not kept.
func onlyWire(t *testing.T, frames []*wire.Frame) {
	s := projection.New("")
	for i, f := range frames {
		f.Offset = int64(i + 1)
		back, err := wire.DecodeFrame(f.AppendJSON(nil))
		require.NoError(t, err)
		require.NotEqual(t, projection.Rejected, s.Apply(back).Outcome, "%s", f.AppendJSON(nil))
	}
}

func orNull(v json.RawMessage) string {
	if len(v) == 0 {
		return "null"
	}
	return string(v)
}

func plan(t *testing.T, assistant []byte, file string) *wire.PlanIndex {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	p, notes, err := Plan(assistant, data)
	require.NoError(t, err)
	for _, note := range notes {
		t.Log("plan:", note)
	}
	x, err := wire.NewPlanIndex(p)
	require.NoError(t, err)
	return x
}

func TestRecordedThreads(t *testing.T) {
	folder := recordings(t)
	files, err := filepath.Glob(filepath.Join(folder, "*", "runs.json"))
	require.NoError(t, err)
	for _, file := range files {
		for _, planned := range []bool{true, false} {
			dir := filepath.Dir(file)
			t.Run(fmt.Sprintf("%s plan=%v", filepath.Base(dir), planned), func(t *testing.T) { thread(t, dir, planned) })
		}
	}
}

func thread(t *testing.T, dir string, planned bool) {
	runs, err := ParseRuns(read(t, dir, "runs.json"))
	require.NoError(t, err)
	slices.SortStableFunc(runs, func(a, b RunRecord) int { return a.At.Compare(b.At) })
	assistant := read(t, dir, "assistant.json")
	var index *wire.PlanIndex
	if planned {
		index = plan(t, assistant, filepath.Join(dir, "graph.json"))
	}
	agent, version, _, err := AgentOf(assistant)
	require.NoError(t, err)
	o, _ := asObject(read(t, dir, "thread.json"))
	id := o.text("thread_id")
	var known *Known
	var live []*wire.Frame
	var last *Run
	for i, record := range runs {
		state, err := ParseState(read(t, dir, fmt.Sprintf("state-%d.json", i+1)))
		if err != nil {
			state = nil
		}
		o, ended := OutcomeOf(record, state)
		require.True(t, ended)
		frames, r := translate(RunInfo{
			ThreadID: id, RunID: record.RunID, AgentID: agent, AgentVersion: version, At: record.At,
			Human: record.Human, Answers: record.Answers, Known: known, Plan: index,
		}, eventsOf(read(t, dir, fmt.Sprintf("run-%d.sse", i+1))), o)
		live, known, last = append(live, frames...), r.Known(), r
		report(t, r)
	}
	whose := ThreadInfo{ThreadID: id, AgentID: agent, AgentVersion: version, Plan: index}
	past := recordedHistory(t, whose, runs, read(t, dir, "history.json")).Fold()
	for _, note := range past.Unknown {
		t.Log("unknown in history:", note)
	}
	require.Equal(t, last.Pending(), past.Pending)
	for _, d := range differences(facts(folded(t, live)), facts(foldedPast(t, past))) {
		t.Log(d)
	}
	grows(t, whose, dir)
}

// grows checks that histories of a thread, as it went on, only add to each other.
func grows(t *testing.T, whose ThreadInfo, dir string) {
	var before []string
	for n := 1; ; n++ {
		answer, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("history-%d.json", n)))
		if err != nil {
			return
		}
		runs, err := ParseRuns(read(t, dir, fmt.Sprintf("runs-%d.json", n)))
		require.NoError(t, err)
		var rows []string
		h := recordedHistory(t, whose, runs, answer)
		past := h.Fold()
		for _, r := range runs {
			if r.Status == "running" || r.Status == "pending" {
				past = h.FoldBefore(r.RunID)
			}
		}
		for _, r := range past.Rows {
			rows = append(rows, string(r.AppendJSON(nil)))
		}
		for i, row := range before {
			if i >= len(rows) || rows[i] != row {
				t.Logf("history %d does not add to the one before: row %d was %s", n, i+1, row)
				if i < len(rows) {
					t.Logf("  and is %s", rows[i])
				}
				break
			}
		}
		before = rows
	}
}

func recordedHistory(t *testing.T, whose ThreadInfo, runs []RunRecord, answers []byte) *History {
	h := NewHistory(whose, runs)
	var levels map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(answers, &levels))
	for wanted := h.Wanted(); len(wanted) > 0; wanted = h.Wanted() {
		for _, namespace := range wanted {
			answer := levels[namespace]
			if answer == nil {
				answer = []byte("[]")
			}
			require.NoError(t, h.Add(namespace, answer))
		}
	}
	return h
}
