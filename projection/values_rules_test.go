package projection_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlaygraph/projection"
)

func TestChatBindings(t *testing.T) {
	bound := func(s *projection.Snapshot) (out []string) {
		for _, b := range s.Bindings() {
			out = append(out, b.Name+" "+string(b.Value.AppendJSON(nil)))
		}
		for _, sub := range s.SubagentBindings() {
			for _, b := range sub.Bindings {
				out = append(out, strings.Join(sub.Path, "/")+" "+b.Name+" "+string(b.Value.AppendJSON(nil)))
			}
		}
		return out
	}
	const workingSet = head + `status=running working_set={"bindings":{"a":{"value":0,"status":"final"},"b":{"value":0,"status":"final"}},"subagent_bindings":[{"path":["g"],"name":"a","value":0,"status":"final"}]}` + "\n"
	for _, c := range []struct {
		name, in string
		want     []string
	}{
		{"the value of the last row with that name", `
			output.set id=o1 node_id=n name=a value=1 status=final complete=true
			output.set id=o2 node_id=n name=a value=2 status=final complete=true`, []string{"a 2"}},
		{"not the last touched", `
			output.set id=o1 node_id=n name=a value=1 status=final complete=true
			output.set id=o2 node_id=n name=a value=2 status=final complete=true
			output.set id=o1 node_id=n name=a value=3 status=final complete=true`, []string{"a 2"}},
		{"over all turns", `
			output.set id=o1 node_id=n name=a value=1 status=final complete=true
			user.message id=u content=Hi`, []string{"a 1"}},
		{"from top-level outputs and promoted ones", `
			output.set id=o1 node_id=n name=a value=1 status=final complete=true
			output.set id=o2 node_id=n subgraph_path=["g"] name=b value=2 status=final complete=true promoted=true`, []string{"a 1", "b 2"}},
		{"inner un-promoted ones by subagent and name", `
			output.set id=o1 node_id=n subgraph_path=["h"] name=a value=1 status=final complete=true
			output.set id=o2 node_id=n subgraph_path=["g","k"] name=b value=2 status=final complete=true
			output.set id=o3 node_id=m subgraph_path=["g","k"] name=a value=3 status=final complete=true`, []string{"g/k a 3", "g/k b 2", "h a 1"}},
		{"a delta counts", `
			output.delta id=o1 node_id=n name=a delta=x
			output.delta id=o1 node_id=n name=a delta=y`, []string{`a "xy"`}},
		{"a promoted row leaves its subagent", `
			output.delta id=o1 node_id=n subgraph_path=["g"] name=a delta=x
			output.delta id=o1 node_id=n subgraph_path=["g"] name=a delta=y promoted=true`, []string{`a "xy"`}},
		{"the working set fills in names that no row says", workingSet + `
			output.set id=o1 node_id=n name=a value=1 status=final complete=true
			output.set id=o2 node_id=n subgraph_path=["g"] name=b value=2 status=final complete=true`, []string{"a 1", "b 0", "g a 0", "g b 2"}},
		{"a later head replaces it", workingSet + head + `status=running working_set={"bindings":{"c":{"value":5,"status":"final"}}}`, []string{"c 5"}},
		{"one without leaves it", workingSet + head + `status=running`, []string{"a 0", "b 0", "g a 0"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := read(t, c.in)
			require.Equal(t, c.want, bound(s))
			for _, b := range s.Bindings() {
				require.Equal(t, b, s.Binding(nil, b.Name))
			}
			for _, sub := range s.SubagentBindings() {
				for _, b := range sub.Bindings {
					require.Equal(t, b, s.Binding(sub.Path, b.Name))
				}
			}
			require.Nil(t, s.Binding([]string{"nowhere"}, "a"))
			require.Nil(t, s.Binding(nil, "nothing"))
		})
	}
}

func TestChatTables(t *testing.T) {
	rows := func(s *projection.Snapshot) (out []string) {
		for _, table := range s.Tables() {
			words := []string{table.Name}
			for _, r := range table.Rows {
				words = append(words, r.RowID+"="+string(r.Value.AppendJSON(nil)))
			}
			out = append(out, strings.Join(words, " "))
		}
		return out
	}
	row := func(table, id, more string) string {
		return "table.row table=" + table + " row_id=" + id + " status=final " + more + "\n"
	}
	for _, c := range []struct {
		name, in string
		want     []string
	}{
		{"most recently moved first, tables by name", row("t", "r1", "value=1") + row("t", "r2", "value=2") + row("s", "r1", "value=3"), []string{"s r1=3", "t r2=2 r1=1"}},
		{"a row that moves goes first", row("t", "r1", "value=1") + row("t", "r2", "value=2") + row("t", "r1", "value=3"), []string{"t r1=3 r2=2"}},
		{"table.delete removes", row("t", "r1", "value=1") + row("t", "r2", "value=2") + "table.delete table=t row_id=r2", []string{"t r1=1"}},
		{"an emptied table stays", row("t", "r1", "value=1") + "table.delete table=t row_id=r1", []string{"t"}},
		{"deleting what nobody heard of makes nothing", "table.delete table=t row_id=r1", nil},
		{"the working set is the start, in its order", head + `status=running working_set={"tables":{"t":[{"row_id":"r1","value":1,"status":"final"},{"row_id":"r2","value":2,"status":"final"}]}}` + "\n" +
			row("t", "r3", "value=3"), []string{"t r3=3 r1=1 r2=2"}},
		{"a later head's replaces it", row("t", "r1", "value=1") + head + `status=running working_set={"tables":{"s":[]}}`, []string{"s"}},
	} {
		t.Run(c.name, func(t *testing.T) { require.Equal(t, c.want, rows(read(t, c.in))) })
	}
	t.Run("a row is whole each time it moves", func(t *testing.T) {
		s := read(t, row("t", "r1", `value=1 key=k links=[{"to":"x"}]`)+row("t", "r1", "value=1"))
		require.Nil(t, s.Table("t").Rows[0].Key)
		require.Nil(t, s.Table("t").Rows[0].Links())
	})
	t.Run("an unknown table is empty", func(t *testing.T) {
		require.Equal(t, &projection.Table{Name: "t", Rows: []*projection.TableRowView{}}, read(t, "").Table("t"))
	})
}
