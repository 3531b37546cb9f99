package demo

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
)

// backlink is a row that links to another.
type backlink struct {
	Table string  `json:"table"`
	RowID string  `json:"row_id"`
	Key   *string `json:"key,omitempty"`
	Rel   string  `json:"rel,omitempty"`
}

// serveBacklinks answers which rows of the conversation link to a row.
func serveBacklinks(w http.ResponseWriter, r *http.Request, _ string, c *conversation) {
	links, ok := c.backlinks(r.PathValue("table"), r.PathValue("row_id"))
	if !ok {
		unknown("no such table or row").answer(w)
		return
	}
	replyJSON(w, map[string]any{"backlinks": links})
}

// backlinks are the rows whose links have a `to` of "TABLE/ROW_ID", table by table. False: there is no such row, and
// nothing links to one.
func (c *conversation) backlinks(table, rowID string) (links []backlink, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	links = []backlink{}
	tables := c.ledger.working.tables
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		for _, row := range tables[name] {
			ok = ok || name == table && row.RowID == rowID
			var forward []struct{ Rel, To string }
			if row.Links == "" || json.Unmarshal([]byte(row.Links), &forward) != nil {
				continue // links of a shape that is not the demo's own
			}
			for _, link := range forward {
				if link.To != table+"/"+rowID {
					continue
				}
				b := backlink{Table: name, RowID: row.RowID, Rel: link.Rel}
				if row.HasKey {
					b.Key = &row.Key
				}
				links = append(links, b)
			}
		}
	}
	return links, ok || len(links) > 0
}
