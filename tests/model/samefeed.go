package model

import (
	"fmt"
	"slices"
)

// SameFeed says where another feed differs from this model's, one place a line; "" when it does not. got is
// anything that marshals to JSON under the names of the contract; the row of an entry may be a whole card or one
// without tracks and rows. The words of a reason and of opaque keys are got's own: what is asked of keys is that
//   - none comes twice, and an opaque one is no row's id;
//   - a row that opened with an id has it as its key (after a page of earlier rows it may also be opaque, because
//     the longer window may open the row otherwise than it once opened);
//   - a card and its entry have the same one, and a parent is the key of the card around.
func SameFeed(want *Feed, got any) string {
	w, err := decoded(want)
	if err != nil {
		return "want: " + err.Error()
	}
	g, err := decoded(got)
	if err != nil {
		return "got: " + err.Error()
	}
	wf := w.(map[string]any)
	gf, ok := g.(map[string]any)
	if !ok {
		return "got: no object but " + short(g)
	}
	var d differ
	sameReason(&d, want.Mode, gf["reason"])
	sameKeys(&d, want, gf)
	delete(wf, "reason")
	delete(gf, "reason")
	d.compare("", plain(wf), plain(gf))
	return d.out.String()
}

// sameReason: a guarded feed says why, a composed one has nothing to say.
func sameReason(d *differ, mode string, reason any) {
	words, isText := reason.(string)
	switch {
	case mode == FlatGuarded && words == "":
		d.line(".reason", "some words", short(reason))
	case mode == Composed && reason != nil, reason != nil && !isText:
		d.line(".reason", "null", short(reason))
	}
}

// sameKeys checks got's keys.
func sameKeys(d *differ, want *Feed, got map[string]any) {
	listed, _ := got["entries"].([]any)
	ids, seen := map[any]bool{}, map[any]bool{}
	for _, e := range listed {
		if id := member(member(e, "row"), "id"); id != nil {
			ids[id] = true
		}
	}
	for i, e := range listed {
		at := fmt.Sprintf(".entries[%d].key", i)
		key, row := member(e, "key"), member(e, "row")
		if text, ok := key.(string); !ok || text == "" || seen[key] {
			d.line(at, "a key that no other entry has", short(key))
		}
		seen[key] = true
		if i >= len(want.Entries) {
			continue // the lists are compared below
		}
		w := &want.Entries[i]
		switch {
		case w.Row.Card != nil:
			if key != member(row, "key") {
				d.line(at, "the card's own key "+short(member(row, "key")), short(key))
			}
			if ids[key] {
				d.line(at, "no row's id", short(key))
			}
		case w.opaque() || want.folded > 0 && key != w.Key:
			if ids[key] {
				d.line(at, "no row's id", short(key))
			}
		case key != w.Key:
			d.line(at, fmt.Sprintf("%q, with which the row opened", w.Key), short(key))
		}
	}
}

func member(v any, name string) any {
	m, ok := v.(map[string]any)
	if !ok {
		return nil
	}
	return m[name]
}

// plain is a feed without the words of its keys: every key is replaced by the place of its entry, and so is every
// parent. Cards and entries are then compared as they are, which holds the keys of one list against the other.
func plain(feed map[string]any) map[string]any {
	places := map[any]string{nil: "no entry"}
	listed, _ := feed["entries"].([]any)
	for i, e := range listed {
		if key := member(e, "key"); places[key] == "" {
			places[key] = fmt.Sprintf("entry %d", i)
		}
	}
	place := func(key any) string {
		if p := places[key]; p != "" {
			return p
		}
		return "unlisted " + short(key)
	}
	var whole func(v any) any
	whole = func(v any) any {
		switch v := v.(type) {
		case []any:
			out := make([]any, len(v))
			for i := range v {
				out[i] = whole(v[i])
			}
			return out
		case map[string]any:
			row := map[string]any{}
			for name, m := range v {
				switch {
				case name == "schemaErrors" || name == "__typename":
				case name == "key" && composite(v):
					row[name] = place(m)
				case (name == "rows" || name == "tracks") && composite(v):
					row[name] = whole(m)
				default:
					row[name] = m
				}
			}
			return row
		}
		return v
	}
	out := map[string]any{}
	for name, m := range feed {
		switch name {
		case "rows":
			out[name] = whole(m)
		case "entries":
			out[name] = entriesOf(listed, place, whole)
		case "__typename":
		default:
			out[name] = m
		}
	}
	return out
}

func entriesOf(listed []any, place func(any) string, whole func(any) any) []any {
	out := []any{}
	for _, e := range listed {
		in, ok := e.(map[string]any)
		if !ok {
			out = append(out, e)
			continue
		}
		entry := map[string]any{}
		for name, m := range in {
			entry[name] = m
		}
		delete(entry, "__typename")
		entry["key"], entry["parent"] = place(in["key"]), place(in["parent"])
		if row, ok := whole(in["row"]).(map[string]any); ok {
			if composite(row) {
				delete(row, "rows")
				delete(row, "tracks")
			}
			entry["row"] = row
		}
		out = append(out, entry)
	}
	return out
}

func composite(row map[string]any) bool {
	kind, _ := row["type"].(string)
	return slices.Contains([]string{"fan-out", "subagent", "repeat"}, kind)
}
