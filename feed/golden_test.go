package feed_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlaygraph/feed"
	"inlaygraph/projection"
	"inlaygraph/wire"
)

var update = flag.Bool("update", false, "write the expected feeds of testdata/demo anew")

const demo = "../upstream/demo/"

// The feeds of the demo's conversations, under the plans of its agents: at the end in whole, and on the way there as
// entries. What is expected stands in testdata/demo, to be read; -update writes it anew.
func TestDemoFeeds(t *testing.T) {
	files, err := filepath.Glob(demo + "scenarios/*.ndjson")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".ndjson")
		t.Run(name, func(t *testing.T) {
			got := demoFeeds(t, demoRecords(t, file))
			golden := filepath.Join("testdata", "demo", name+".json")
			if *update {
				require.NoError(t, os.MkdirAll(filepath.Dir(golden), 0o755))
				require.NoError(t, os.WriteFile(golden, got, 0o644))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			require.Equal(t, string(want), string(got))
		})
	}
}

func demoRecords(t testing.TB, file string) (recs []wire.Record) {
	t.Helper()
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	for lines := wire.NewReader(f, 0); ; {
		line, err := lines.Next()
		if err == io.EOF {
			return recs
		}
		require.NoError(t, err)
		require.Nil(t, line.Rejected)
		recs = append(recs, line.Record)
	}
}

// demoShape is the plan of the agent that a recording is of.
func demoShape(t testing.TB, recs []wire.Record) (*feed.Pin, *feed.Shape) {
	t.Helper()
	head := recs[0].(*wire.Head)
	text, err := os.ReadFile(demo + "plans/" + head.AgentID + ".json")
	require.NoError(t, err)
	plan, err := wire.DecodePlan(text)
	require.NoError(t, err)
	return &feed.Pin{AgentID: head.AgentID, AgentVersion: &head.AgentVersion}, shapeOf(t, plan)
}

// demoFeeds is what the feed says after each quarter of a recording. Keys are replaced by words that are given out
// once and for all, so that a key that changed would show.
func demoFeeds(t testing.TB, recs []wire.Record) []byte {
	pin, shape := demoShape(t, recs)
	state := projection.New("")
	var kept *feed.Composer
	words := map[string]string{}
	word := func(key string, r feed.Row) string {
		if row, isRow := r.(projection.Row); isRow && row.Common().ID() != nil {
			return key
		}
		if words[key] == "" {
			words[key] = fmt.Sprintf("%s %d", r.Type(), len(words)+1)
		}
		return words[key]
	}
	out := &bytes.Buffer{}
	out.WriteString("{\n")
	for i, rec := range recs {
		change := state.Apply(rec)
		if kept == nil {
			kept = feed.NewComposer(shape, state.Snapshot())
		} else {
			kept.Apply(state.Snapshot(), &change)
		}
		after := i + 1
		quarter := after * 4 / len(recs)
		if quarter == i*4/len(recs) {
			continue
		}
		f := feed.Compose(state.Snapshot(), pin, shape)
		require.Equal(t, dump(f), dump(kept.Feed()))
		fmt.Fprintf(out, " \"entries after %d of %d records\": [", after, len(recs))
		for n, e := range f.Entries() {
			line := object{"key": word(e.Key, e.Row), "parent": nil, "track": e.Track, "iteration": e.Iteration, "index": e.Index, "row": jsonRow(e.Row, true)}
			if e.Parent != nil {
				line["parent"] = words[*e.Parent]
			}
			rename(line, words)
			list(t, out, n, line)
		}
		out.WriteString("],\n")
		if after < len(recs) {
			continue
		}
		end := jsonFeed(f)
		rename(end, words)
		fmt.Fprintf(out, " \"mode\": %q,\n \"hasEarlier\": %v,\n \"rows\": [", end["mode"], end["hasEarlier"])
		for n, row := range end["rows"].([]object) {
			list(t, out, n, row)
		}
		out.WriteString("]\n}\n")
	}
	return out.Bytes()
}

// list writes one item of a list on a line of its own.
func list(t testing.TB, out *bytes.Buffer, n int, item object) {
	if n > 0 {
		out.WriteByte(',')
	}
	out.WriteString("\n  ")
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	require.NoError(t, enc.Encode(item))
	out.Truncate(out.Len() - 1)
}

// rename replaces the keys of cards, at any depth.
func rename(v any, words map[string]string) {
	switch v := v.(type) {
	case object:
		if key, ok := v["key"].(string); ok && words[key] != "" {
			v["key"] = words[key]
		}
		for _, m := range v {
			rename(m, words)
		}
	case []object:
		for _, m := range v {
			rename(m, words)
		}
	case [][]object:
		for _, m := range v {
			rename(m, words)
		}
	}
}
