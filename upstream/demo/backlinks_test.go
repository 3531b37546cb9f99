package demo

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"inlaygraph/upstream"
)

// Promise 16.
func TestBacklinks(t *testing.T) {
	row := func(table, id, more string) string {
		return `{"type":"table.row","table":"` + table + `","row_id":"` + id + `","value":1,"status":"final",` + more + n + `}`
	}
	d, client := start(t, quick, builtIn(t, "artifacts"), record(t, "c", opened, said,
		row("trips", "t/1", ""),
		row("bills", "b1", `"key":"","links":[{"rel":"of","to":"trips/t/1"},{"rel":"and","to":"trips/t/1"},{"to":"bills/b2"}],`),
		row("bills", "b2", `"links":[{"to":"trips/t/1"}],`),
		row("bills", "b3", `"links":{"to":"trips/t/1"},`),
		row("bills", "b4", `"links":[{"to":"trips/t/1"}],`),
		`{"type":"table.delete","table":"bills","row_id":"b4",`+n+`}`, paused))
	for _, c := range d.looping {
		over(t, c)
	}
	for _, c := range []struct{ id, table, row, want string }{
		{"demo-artifacts", "shops", "corner", `[{"table":"pantry","row_id":"milk","key":"milk","rel":"bought_at"}]`},
		{"demo-artifacts", "pantry", "milk", `[]`},
		{"c", "trips", "t/1", `[{"table":"bills","row_id":"b2"},{"table":"bills","row_id":"b1","key":"","rel":"of"},{"table":"bills","row_id":"b1","key":"","rel":"and"}]`},
		{"c", "bills", "b2", `[{"table":"bills","row_id":"b1","key":""}]`},
		{"c", "bills", "b1", `[]`},
		{"c", "bills", "b4", ""}, {"c", "bills", "nope", ""}, {"c", "nope", "b1", ""}, {"nope", "bills", "b1", ""},
		{"demo-artifacts", "pantry", "jam", ""},
	} {
		links, err := client.Backlinks(t.Context(), "", c.id, c.table, c.row)
		if c.want == "" {
			assert.ErrorIs(t, err, upstream.NotFound, "%v", c)
			continue
		}
		assert.NoError(t, err, "%v", c)
		assert.Equal(t, c.want, string(links), "%v", c)
	}
}
