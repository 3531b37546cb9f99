package projection_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"inlaygraph/projection"
)

// slicesMarked folds the inputs and answers with the slices that the last one marked.
func slicesMarked(t *testing.T, in string) []projection.Slice {
	_, c := fold(t, in)
	return c.Slices
}

func slice(kind projection.SliceKind, path ...string) projection.Slice {
	return projection.Slice{Kind: kind, Path: projection.PathKey(path)}
}

// docs/fold.md, "Slices and change": who is woken by what.
func TestSlices(t *testing.T) {
	const deep = `
		node.start node_id=a subgraph_path=["g"] activation=v1 kind=llm message_id=m1
		node.start node_id=b activation=v2 kind=llm message_id=m2
		`
	t.Run("a delta moves its rows, those of its ancestors, and the timeline", func(t *testing.T) {
		require.ElementsMatch(t, []projection.Slice{
			slice(projection.SliceTimeline), slice(projection.SliceRowsAt, "g", "a"),
			slice(projection.SliceSubtree, "g", "a"), slice(projection.SliceSubtree, "g"), slice(projection.SliceSubtree),
		}, slicesMarked(t, deep+`message.delta id=m1 node_id=a subgraph_path=["g"] activation=v1 content=x`))
	})
	t.Run("the transcript only when the node is top-level", func(t *testing.T) {
		require.ElementsMatch(t, []projection.Slice{
			slice(projection.SliceTimeline), slice(projection.SliceRowsAt, "b"), slice(projection.SliceSubtree, "b"), slice(projection.SliceSubtree),
			slice(projection.SliceTopLevel), slice(projection.SliceTranscript),
		}, slicesMarked(t, deep+`message.delta id=m2 node_id=b activation=v2 content=x`))
	})
	t.Run("an artifact moves its binding", func(t *testing.T) {
		marked := slicesMarked(t, `output.delta id=o node_id=n subgraph_path=["g"] name=r delta=x`)
		require.Contains(t, marked, projection.Slice{Kind: projection.SliceBinding, Path: projection.PathKey([]string{"g"}), Name: "r"})
		require.Contains(t, marked, slice(projection.SliceSubagentBindings))
		require.NotContains(t, marked, slice(projection.SliceBindings))
	})
	t.Run("a set that changes nothing moves nothing", func(t *testing.T) {
		require.Empty(t, slicesMarked(t, `
			output.set id=o node_id=n name=r value="x" status=final complete=true
			output.set id=o node_id=n name=r value="x" status=final complete=true`))
		require.Empty(t, slicesMarked(t, `
			table.row table=t row_id=r value=1 status=final
			table.row table=t row_id=r value=1 status=final`))
		require.Empty(t, slicesMarked(t, "delivery t PENDING\ndelivery t PENDING"))
		require.Empty(t, slicesMarked(t, "latch send on\nlatch send on"))
		require.Empty(t, slicesMarked(t, `
			message.end id=m node_id=n seq=3 content=x
			assistant id=m node_id=n seq=3 content=x`))
		require.Empty(t, slicesMarked(t, head+`status=running working_set={"bindings":{"b":{"value":1,"status":"final"}},"tables":{"t":[{"row_id":"r","value":1,"status":"final"}]}}`+
			"\n"+head+`status=running working_set={"bindings":{"b":{"value":1,"status":"final"}},"tables":{"t":[{"row_id":"r","value":1,"status":"final"}]}}`))
	})
	t.Run("the run is the same object until it moves", func(t *testing.T) {
		s, _ := fold(t, runStart+deep)
		before := s.Snapshot().Run()
		for _, in := range inputs(t, "message.delta id=m2 node_id=b activation=v2 content=x") {
			s.Apply(in)
		}
		require.Same(t, before, s.Snapshot().Run())
		for _, in := range inputs(t, "node.end node_id=b activation=v2 status=completed") {
			s.Apply(in)
		}
		require.NotSame(t, before, s.Snapshot().Run())
		require.Same(t, s.Snapshot().Run(), s.Snapshot().Run())
	})
	t.Run("so is a row", func(t *testing.T) {
		s, _ := fold(t, deep)
		before := s.Snapshot().Timeline()
		for _, in := range inputs(t, "message.delta id=m2 node_id=b activation=v2 content=x") {
			s.Apply(in)
		}
		after := s.Snapshot().Timeline()
		require.Same(t, before[0], after[0])
		require.NotSame(t, before[1], after[1])
	})
}

// docs/fold.md, "rowChanges": what moves of rows become.
func TestMoves(t *testing.T) {
	kinds := map[projection.MoveKind]string{
		projection.MoveInsert: "insert", projection.MoveReplace: "replace", projection.MoveAppend: "append", projection.MoveRemove: "remove",
	}
	for _, c := range []struct {
		name, in string
		want     []string
	}{
		{"a first delta inserts", "message.delta id=m node_id=n content=a", []string{"insert"}},
		{"growth of one field appends", "message.delta id=m node_id=n content=a\nmessage.delta id=m node_id=n content=b", []string{"append"}},
		{"of two fields, twice", "message.delta id=m node_id=n content=a\nmessage.delta id=m node_id=n content=b reasoning=c", []string{"append", "append"}},
		{"text that names the row replaces it", "message.delta node_id=n content=a\nmessage.delta id=m node_id=n content=b", []string{"replace"}},
		{"an artifact's growth appends", "output.delta id=o node_id=n name=r delta=a\noutput.delta id=o node_id=n name=r delta=b", []string{"append"}},
		{"with a format replaces", "output.delta id=o node_id=n name=r delta=a\noutput.delta id=o node_id=n name=r delta=b format=code", []string{"replace"}},
		{"an end replaces", "message.delta id=m node_id=n content=a\nmessage.end id=m node_id=n", []string{"replace"}},
		{"a swept turn is removed", "node.start node_id=n kind=llm\nrun.pause status=paused", []string{"remove"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, change := fold(t, c.in)
			var got []string
			for _, m := range change.Rows {
				got = append(got, kinds[m.Kind])
			}
			require.Equal(t, c.want, got)
		})
	}
	t.Run("null plus text has offset 0", func(t *testing.T) {
		_, c := fold(t, "message.delta id=m node_id=n content=a\nmessage.delta id=m node_id=n reasoning=b")
		require.Equal(t, projection.FieldReasoning, c.Rows[0].Field)
		require.Zero(t, c.Rows[0].Offset)
	})
	t.Run("a cursor from before the journal has nothing", func(t *testing.T) {
		s, _ := fold(t, "")
		j := projection.NewJournal(s.Snapshot(), projection.RowSlice{All: true})
		_, ok := j.Since(1)
		require.False(t, ok)
	})
}

// docs/wire.md, "Live frames": what an offset tells.
func TestOffsets(t *testing.T) {
	for _, c := range []struct {
		name, in string
		want     string
		lost     int64
	}{
		{"the next one", "user.message offset=1 content=a\nuser.message offset=2 content=b", "applied", 0},
		{"a repeat is dropped", "user.message offset=1 content=a\nuser.message offset=1 content=b", "duplicate", 0},
		{"a jump is a gap", "user.message offset=1 content=a\nuser.message offset=5 content=b", "applied", 3},
		{"so is a late beginning", "user.message offset=3 content=a", "applied", 2},
		{"but not behind rows", "user id=u seq=1 content=a\nuser.message offset=3 content=b", "applied", 0},
		{"the head says where it goes on", head + "status=running last_offset=4\nuser.message offset=5 content=b", "applied", 0},
		{"and what is lost then", head + "status=running last_offset=4\nuser.message offset=7 content=b", "applied", 2},
		{"a lost one may still come", "user.message offset=1 content=a\nuser.message offset=5 content=b\nuser.message offset=3 content=c", "applied", 0},
		{"once", "user.message offset=5 content=b\nuser.message offset=3 content=c\nuser.message offset=3 content=c", "duplicate", 0},
		{"a frame that can't be read uses its own up", "skip 1\nuser.message offset=2 content=a", "applied", 0},
		{"so does a rejected one", "user.message offset=1 id=u content=a\nmessage.delta offset=2 id=u node_id=n content=x\nuser.message offset=3 content=b", "applied", 0},
		{"a frame without one is never a repeat", "user.message content=a\nuser.message content=a", "applied", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, change := fold(t, c.in)
			require.Equal(t, c.want, short(change))
			require.Equal(t, c.lost, change.Lost)
		})
	}
	s, _ := fold(t, "")
	next, known := s.NextOffset()
	require.Equal(t, []any{int64(1), true}, []any{next, known})
	s, _ = fold(t, head+"status=running")
	_, known = s.NextOffset()
	require.False(t, known)
	s, _ = fold(t, head+"status=running last_offset=4\nskip 6")
	next, _ = s.NextOffset()
	require.EqualValues(t, 7, next)
	require.EqualValues(t, 6, s.LastOffset())
}
