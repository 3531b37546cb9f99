package demo

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"inlaygraph/wire"
)

// workingSet is the persisted latest value of bindings and tables (docs/wire.md, "Persisted rows").
type workingSet struct {
	bindings map[string]wire.WorkingBinding // by path and name; outputs whose rows were dropped
	tables   map[string][]wire.WorkingRow   // most recently moved first
}

func newWorkingSet(head *wire.Head) workingSet {
	w := workingSet{bindings: map[string]wire.WorkingBinding{}, tables: map[string][]wire.WorkingRow{}}
	if head == nil || head.WorkingSet == nil {
		return w
	}
	for _, b := range slices.Concat(head.WorkingSet.Bindings, head.WorkingSet.SubagentBindings) {
		w.bindings[bindingKey(b)] = b
	}
	for _, t := range head.WorkingSet.Tables {
		w.tables[t.Name] = slices.Clone(t.Rows)
	}
	return w
}

func bindingKey(b wire.WorkingBinding) string {
	return strings.Join(b.Path, "\x00") + "\x01" + b.Name
}

func bindingOf(o *output) wire.WorkingBinding {
	b := wire.WorkingBinding{Name: o.name, Value: o.json(), Status: o.status, Format: o.format}
	if o.inner() {
		b.Path = o.spine.SubgraphPath
	}
	return b
}

// bind keeps the value of an output whose row leaves the log.
func (w *workingSet) bind(o *output) {
	b := bindingOf(o)
	w.bindings[bindingKey(b)] = b
}

func workingRow(f *wire.Frame) wire.WorkingRow {
	return wire.WorkingRow{
		RowID: f.RowID, Key: f.Key, HasKey: f.HasKey, Value: f.Value, Status: f.ValueStatus, Links: f.Links,
	}
}

func (w *workingSet) moveRow(table string, row wire.WorkingRow) {
	w.deleteRow(table, row.RowID)
	w.tables[table] = slices.Insert(w.tables[table], 0, row)
}

// deleteRow takes a row out. A table that was never there is not made by it; one that is emptied stays.
func (w *workingSet) deleteRow(table, id string) {
	rows, ok := w.tables[table]
	if !ok {
		return
	}
	kept := make([]wire.WorkingRow, 0, len(rows))
	for _, row := range rows {
		if row.RowID != id {
			kept = append(kept, row)
		}
	}
	w.tables[table] = kept
}

// snapshot is the working set now: what left the log, overlaid with the persisted outputs in the order they
// were opened.
func (w *workingSet) snapshot(outputs []*output) *wire.WorkingSet {
	all := maps.Clone(w.bindings)
	for _, o := range outputs {
		if o.row != nil {
			b := bindingOf(o)
			all[bindingKey(b)] = b
		}
	}
	set := &wire.WorkingSet{}
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if b := all[key]; len(b.Path) == 0 {
			set.Bindings = append(set.Bindings, b)
		} else {
			set.SubagentBindings = append(set.SubagentBindings, b)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(w.tables)) {
		set.Tables = append(set.Tables, wire.WorkingTable{Name: name, Rows: slices.Clone(w.tables[name])})
	}
	return set
}

// stringJSON spells a string as JSON without the escapes that only HTML needs.
func stringJSON(s string) wire.JSON {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic(err) // a string always encodes
	}
	return wire.JSON(strings.TrimSuffix(b.String(), "\n"))
}

func stringOf(v wire.JSON) (string, bool) {
	if !strings.HasPrefix(string(v), `"`) {
		return "", false
	}
	var s string
	err := json.Unmarshal([]byte(v), &s)
	return s, err == nil
}
