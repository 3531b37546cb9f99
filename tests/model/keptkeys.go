package model

import (
	"encoding/json"
	"fmt"
)

// KeptKeys says which keys of another feed changed between two moments of one conversation though docs/feed.md
// promises that they stay, one a line. before and after are this model's feeds of the two moments, gotBefore and
// gotAfter the other's, each the same by SameFeed. Without a page of earlier rows between the two, all keys stay;
// with one, those of the cards that had no earlier part, and of rows that have the id they opened with.
// A card is the same when what identifies it is: kind and path, the repeat's activation, the fan-out's region and
// the activation of its first item; and, without a page, when its first item still stands. Cards that need their
// number to be told apart are left out when earlier rows came.
func KeptKeys(before *Feed, gotBefore any, after *Feed, gotAfter any) string {
	var d differ
	paged := before.folded != after.folded
	first, err := entryKeys(gotBefore)
	if err != nil {
		return "before: " + err.Error()
	}
	second, err := entryKeys(gotAfter)
	if err != nil {
		return "after: " + err.Error()
	}
	then, now := keysOf(before, first, paged, paged), keysOf(after, second, paged, false)
	for who, key := range then {
		if kept, there := now[who]; there && kept != key {
			d.line(who, key, kept)
		}
	}
	return d.out.String()
}

// keysOf are another feed's keys by what they are the keys of.
func keysOf(f *Feed, got []string, paged, wholeOnly bool) map[string]string {
	keys := map[string]string{}
	for i, key := range got {
		if i >= len(f.Entries) {
			break
		}
		var who string
		switch w := &f.Entries[i]; {
		case w.Row.Card != nil:
			c := w.Row.Card
			if paged && c.named > 1 || wholeOnly && c.HasEarlier {
				continue
			}
			who = c.Key
			if !paged {
				who += fmt.Sprintf(" %p", c.first)
			}
		case !paged:
			who = fmt.Sprintf("row %p", w.Row.of)
		case !w.opaque() && w.Row.of.id == w.Row.of.born:
			who = "row " + w.Key
		default:
			continue
		}
		keys[who] = key
	}
	return keys
}

// entryKeys are the keys of a feed's entries, "" for one that has none.
func entryKeys(got any) ([]string, error) {
	var feed struct {
		Entries []struct {
			Key string `json:"key"`
		} `json:"entries"`
	}
	var keys []string
	if f, own := got.(*Feed); own {
		for _, e := range f.Entries {
			keys = append(keys, e.Key)
		}
		return keys, nil
	}
	b, err := json.Marshal(got)
	if err == nil {
		err = json.Unmarshal(b, &feed)
	}
	for _, e := range feed.Entries {
		keys = append(keys, e.Key)
	}
	return keys, err
}
