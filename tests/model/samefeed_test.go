package model_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlaygraph/tests/model"
	"inlaygraph/wire"
)

// reworded is a feed as JSON in which every opaque key has other words.
func reworded(t *testing.T, f *model.Feed) string {
	t.Helper()
	b, err := json.Marshal(f)
	require.NoError(t, err)
	said := string(b)
	for i, e := range f.Entries {
		if e.Row.Card == nil {
			continue
		}
		key, err := json.Marshal(e.Key)
		require.NoError(t, err)
		said = strings.ReplaceAll(said, string(key), fmt.Sprintf(`"card:%d"`, i))
	}
	return said
}

// Promise 6: SameFeed takes other words for opaque keys, and finds every other difference.
func TestSameFeedFindsDifferences(t *testing.T) {
	f := lived(t, "user k.a l.b v.c.2 v.c.1 g/n.d").Feed(planned(t, oneRegion), pin(1))
	require.Equal(t, "user k.a k[l.b g{g/n.d} | v(1: v.c.1 2: v.c.2)]", shown(f.Rows))
	said := reworded(t, f)
	same := func(said string) string {
		require.True(t, json.Valid([]byte(said)), "%s", said)
		return model.SameFeed(f, json.RawMessage(said))
	}
	require.Empty(t, same(said))
	require.NotContains(t, said, "card 0", "all keys have other words")

	for _, c := range []struct{ name, old, new string }{
		{"a key comes twice", `"card:4"`, `"card:2"`},
		{"a card's key is a row's id", `"card:4"`, `"l.b"`},
		{"a row's key is not its id", `{"key":"l.b"`, `{"key":"m.b"`},
		{"a card has another key than its entry", `{"key":"card:4"`, `{"key":"card:x"`},
		{"another parent", `"parent":"card:4"`, `"parent":"card:2"`},
		{"another mode", `"COMPOSED"`, `"FLAT_GUARDED"`},
		{"a reason", `"reason":null`, `"reason":"why"`},
		{"another row", `"content":"text"`, `"content":"other"`},
		{"another branch status", `"UNKNOWN"`, `"DONE"`},
		{"another count", `"doneCount":0`, `"doneCount":1`},
		{"another name", `"The g"`, `"g"`},
		{"another join", `["m"]`, `["n"]`},
		{"another mode of a repeat", `"PARALLEL"`, `"SEQUENTIAL"`},
		{"another iteration of an entry", `"track":0,"iteration":1`, `"track":0,"iteration":2`},
		{"another track of an entry", `"track":0,"iteration":null`, `"track":1,"iteration":null`},
		{"another index of an entry", `"index":2`, `"index":3`},
		{"an earlier part", `"hasEarlier":false`, `"hasEarlier":true`},
		{"another total", `"total":null`, `"total":2`},
	} {
		t.Run(c.name, func(t *testing.T) {
			planted := strings.Replace(said, c.old, c.new, 1)
			require.NotEqual(t, said, planted)
			require.NotEmpty(t, same(planted))
		})
	}
	guarded := lived(t, "k.a").Feed(nil, pin(1))
	b, err := json.Marshal(guarded)
	require.NoError(t, err)
	silent := strings.Replace(string(b), fmt.Sprintf("%q", *guarded.Reason), "null", 1)
	require.NotEmpty(t, model.SameFeed(guarded, json.RawMessage(silent)), "a guarded feed says why")
}

// Promise 6: an entry keeps the key it opened with, an opaque one too.
func TestKeptKeysFindsChanges(t *testing.T) {
	plan := planned(t, oneRegion)
	m, _ := folded(t, runStart+`
		node.start node_id=l activation=b kind=llm
		message.delta node_id=r activation=c content=text`)
	before := m.Feed(plan, pin(1))
	require.Equal(t, "k[- | -]", shown(before.Rows))
	more, _ := folded(t, runStart)
	for _, e := range []string{"message.end node_id=l activation=b id=m1 content=x", "message.end node_id=r activation=c content=text id=m2"} {
		rec, err := wire.Decode([]byte(expand(e)))
		require.NoError(t, err)
		more.Apply(rec)
		m.Apply(rec)
	}
	after := m.Feed(plan, pin(1))
	require.Equal(t, "k[m1 | m2]", shown(after.Rows))
	require.Empty(t, model.KeptKeys(before, before, after, after))
	require.Empty(t, model.SameFeed(after, after))

	said := reworded(t, after)
	require.NotEmpty(t, model.KeptKeys(before, before, after, json.RawMessage(said)), "the card's key changed")
	require.Equal(t, []string{"m1", "m2"}, []string{more.Feed(plan, pin(1)).Entries[1].Key, more.Feed(plan, pin(1)).Entries[2].Key}, "the ids they opened with")
}
