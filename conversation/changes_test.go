package conversation

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf16"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"inlaygraph/projection"
	"inlaygraph/tests/gen"
	"inlaygraph/wire"
)

// copied is a client's copy of a slice of the timeline: rows as JSON objects, and where it stands.
type copied struct {
	rows   []map[string]any
	cursor string
	resets int
}

func jsonRows(rows []projection.Row) []map[string]any {
	all := make([]map[string]any, len(rows))
	for i, r := range rows {
		all[i] = jsonRow(r)
	}
	return all
}

// spelled keeps what jsonRow made of a row: rows never change.
var spelled sync.Map

// jsonRow is a row as a client holds it. It is not to be changed.
func jsonRow(r projection.Row) map[string]any {
	if m, ok := spelled.Load(r); ok {
		return m.(map[string]any)
	}
	var m map[string]any
	if err := json.Unmarshal([]byte(rowText(r, true)), &m); err != nil {
		panic(err) // rowText spells JSON
	}
	spelled.Store(r, m)
	return m
}

var fieldNames = map[projection.TextField]string{
	projection.FieldContent: "content", projection.FieldReasoning: "reasoning", projection.FieldValue: "value",
}

// take applies a message as a client does: rows by index, text by UTF-16 offset.
func (c *copied) take(t require.TestingT, m *RowChanges) {
	c.cursor = m.Cursor
	for _, op := range m.Ops {
		switch op := op.(type) {
		case *projection.RowsReset:
			require.Len(t, m.Ops, 1)
			c.rows = jsonRows(op.Rows)
			c.resets++
		case *projection.RowInserted:
			c.rows = slices.Insert(c.rows, op.Index, jsonRow(op.Row))
		case *projection.RowReplaced:
			c.rows[op.Index] = jsonRow(op.Row)
		case *projection.RowRemoved:
			c.rows = slices.Delete(c.rows, op.Index, op.Index+1)
		case *projection.RowTextAppended:
			row, field := maps.Clone(c.rows[op.Index]), fieldNames[op.Field]
			had, isText := row[field].(string)
			require.True(t, isText || row[field] == nil)
			require.Len(t, utf16.Encode([]rune(had)), op.Offset)
			row[field] = had + op.Text
			c.rows[op.Index] = row
		}
	}
}

// next takes one message.
func (c *copied) next(t require.TestingT, changes *Changes) {
	m, err := changes.Next(context.Background())
	require.NoError(t, err)
	c.take(t, m)
}

// moved takes one message if there is one. There is none of rows that came and went.
func (c *copied) moved(t require.TestingT, changes *Changes) {
	if len(changes.sub.signal) == 0 {
		return
	}
	require.NoError(t, changes.sub.wait(context.Background()))
	if m := changes.message(); len(m.Ops) > 0 { // as Next, which otherwise waits on
		c.take(t, m)
	} else {
		require.Equal(t, c.cursor, m.Cursor)
	}
}

func rowsOf(l *Live, at projection.RowSlice) []map[string]any {
	c := l.Conversation()
	if at.All {
		return jsonRows(c.Timeline())
	}
	return jsonRows(c.RowsAt(at.Path, &at.Subtree))
}

var everything = projection.RowSlice{All: true}

// Promise 7: after every message the copy is the slice, for whoever stays, for whoever comes and goes, and for
// a slow one that reads now and then; whatever the platform sends.
func TestReplayIsTheSlice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		defer spelled.Clear()
		l := NewLive("")
		var inputs []projection.Input
		switch run := gen.NewRun(t); rapid.IntRange(0, 2).Draw(t, "told") {
		case 0:
			inputs = inputsOf(run.Live())
		case 1:
			inputs = inputsOf(run.Logged())
		default:
			inputs = inputsOf(gen.Chaos(t))
		}
		at := []projection.RowSlice{everything, {Subtree: true}, {}}
		for _, in := range inputs {
			if f, ok := in.(*wire.Frame); ok && f.NodeID != "" && len(at) < 6 {
				at = append(at, projection.RowSlice{Path: append(slices.Clone(f.SubgraphPath), f.NodeID), Subtree: len(at)%2 == 0})
			}
		}
		var stays, slow []*Changes
		staying, slowly, going := make([]copied, len(at)), make([]copied, len(at)), make([]copied, len(at))
		for i := range at {
			stays = append(stays, l.Changes(at[i], "", 0))
			slow = append(slow, l.Changes(at[i], "", 0))
			staying[i].next(t, stays[i])
			slowly[i].next(t, slow[i])
		}
		for _, in := range inputs {
			l.Apply(in)
			for i := range at {
				staying[i].moved(t, stays[i])
				require.Equal(t, rowsOf(l, at[i]), staying[i].rows)
				switch rapid.IntRange(0, 9).Draw(t, "then") {
				case 0: // comes back, and goes
					c := l.Changes(at[i], going[i].cursor, 0)
					going[i].next(t, c)
					c.Close()
					require.Equal(t, staying[i].rows, going[i].rows)
				case 1:
					slowly[i].moved(t, slow[i])
					require.Equal(t, staying[i].rows, slowly[i].rows)
				}
			}
		}
		for i := range at {
			require.LessOrEqual(t, going[i].resets, 1, "operations are enough")
			require.Equal(t, 1, staying[i].resets)
			require.Equal(t, 1, slowly[i].resets)
			stays[i].Close()
			slow[i].Close()
		}
	})
}

func inputsOf(records []wire.Record) []projection.Input {
	inputs := make([]projection.Input, len(records))
	for i, r := range records {
		inputs[i] = r
	}
	return inputs
}

// Promise 7: with a cursor, exactly the operations that are missing, were there watchers meanwhile or not.
func TestGoingOnAfterACursor(t *testing.T) {
	for _, watched := range []bool{false, true} {
		t.Run(fmt.Sprint("watched ", watched), func(t *testing.T) {
			l := NewLive(conv)
			first := l.Changes(everything, "", 0)
			var client copied
			l.Apply(token("n", "a"))
			client.next(t, first)
			assert.Equal(t, 1, client.resets)
			first.Close()
			if watched {
				defer l.Changes(everything, "", 0).Close()
			}
			back := func() *RowChanges {
				c := l.Changes(everything, client.cursor, 0)
				defer c.Close()
				m, err := c.Next(t.Context())
				require.NoError(t, err)
				client.take(t, m)
				return m
			}
			assert.Equal(t, []projection.RowOp{}, back().Ops, "nothing is missing, and it is told at once")
			l.Apply(token("n", "b"))
			l.Apply(token("n", "😀"))
			l.Apply(token("m", "c"))
			require.Equal(t, rowsOf(l, everything)[1], jsonRow(back().Ops[1].(*projection.RowInserted).Row))
			assert.Equal(t, rowsOf(l, everything), client.rows)
			assert.Equal(t, 1, client.resets)
		})
	}
}

// Promise 7: the last 1,000 operations are kept, and not for ever more.
func TestHowFarACursorReaches(t *testing.T) {
	for behind, resets := range map[int]int{0: 0, 1: 0, projection.JournalDepth: 0, 5 * projection.JournalDepth: 1} {
		l := NewLive(conv)
		c := l.Changes(everything, "", 0)
		l.Apply(token("n", "-"))
		var client copied
		client.next(t, c)
		c.Close()
		for i := range behind {
			l.Apply(token([]string{"n", "m"}[i%2], "é😀"))
		}
		c = l.Changes(everything, client.cursor, 0)
		client.next(t, c)
		c.Close()
		assert.Equal(t, 1+resets, client.resets, "%d operations behind", behind)
		assert.Equal(t, rowsOf(l, everything), client.rows)
	}
}

// Promise 7: a cursor that is not good for the slice, or no longer, means one reset.
func TestBadCursors(t *testing.T) {
	l, other := NewLive(conv), NewLive("other")
	l.Apply(token("n", "x"))
	other.Apply(token("n", "x"))
	cursorOf := func(l *Live, at projection.RowSlice) string {
		c := l.Changes(at, "", 0)
		defer c.Close()
		m, err := c.Next(t.Context())
		require.NoError(t, err)
		return m.Cursor
	}
	good := cursorOf(l, everything)
	ahead := parseCursor(good)
	ahead.version += 1000
	bad := map[string]string{
		"none": "", "garbage": "not a cursor", "cut": good[:len(good)-1], "longer": good + "A", "broken up": good[:4] + "\n" + good[4:],
		"long": string(make([]byte, 1<<20)), "ahead": ahead.String(),
		"another slice": cursorOf(l, projection.RowSlice{Path: []string{"n"}}), "another conversation": cursorOf(other, everything),
	}
	for name, cursor := range bad {
		var client copied
		c := l.Changes(everything, cursor, 0)
		client.next(t, c)
		assert.Equal(t, 1, client.resets, name)
		l.Apply(token("n", "y"))
		client.next(t, c)
		assert.Equal(t, rowsOf(l, everything), client.rows)
		assert.Equal(t, 1, client.resets, name)
		c.Close()
	}
	c := l.Changes(everything, good, 0)
	defer c.Close()
	client := copied{rows: []map[string]any{jsonRow(l.Conversation().Timeline()[0])}}
	m, err := c.Next(t.Context())
	require.NoError(t, err)
	client.cursor = m.Cursor
	assert.NotContains(t, m.Ops, &projection.RowsReset{}, "the good one is still good")

	l.Replace(projection.New(conv))
	for _, cursor := range []string{good, client.cursor} {
		c := l.Changes(everything, cursor, 0)
		client.resets = 0
		client.next(t, c)
		assert.Equal(t, 1, client.resets, "another epoch")
		assert.Empty(t, client.rows)
		c.Close()
	}
	client.resets = 0
	client.next(t, c) // who was there is told too
	assert.Equal(t, 1, client.resets)
	l.Apply(token("n", "z"))
	client.next(t, c)
	assert.Equal(t, rowsOf(l, everything), client.rows)
	assert.Equal(t, 1, client.resets)
}

// Promises 2 and 7: publishing and replacing race with following and coming back.
func TestChangesRacePublish(t *testing.T) {
	const rounds, words = 300, 12
	for range rounds {
		l := NewLive(conv)
		var wg sync.WaitGroup
		wg.Go(func() {
			for i := range words {
				l.Apply(token("n", "é😀"))
				if i == words/2 {
					state := projection.New(conv)
					state.Apply(token("n", "new "))
					l.Replace(state)
				}
			}
		})
		var client copied
		var c *Changes
		last := "new " + strings.Repeat("é😀", words-words/2-1)
		for i := 0; len(client.rows) == 0 || client.rows[0]["content"] != last; i++ {
			if i%3 == 0 {
				if c != nil {
					c.Close()
				}
				c = l.Changes(everything, client.cursor, 0)
			}
			client.next(t, c)
		}
		c.Close()
		wg.Wait()
		require.Equal(t, rowsOf(l, everything), client.rows)
		require.LessOrEqual(t, client.resets, 2)
	}
}

// Promises 5 and 7: rows that came and went between two messages are no message, and whoever reads seldom is told of a row as
// it stands.
func TestRowsThatCameAndWent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLive(conv)
		c := l.Changes(everything, "", 0)
		defer c.Close()
		shared := l.ShareChanges(everything, 0)
		defer shared.Close()
		var client copied
		client.next(t, c)
		began := shared.Since("").Cursor
		visit := wire.Spine{NodeID: "n", Activation: "v"}
		l.Apply(&wire.Frame{Type: wire.NodeStart, Body: wire.Body{Spine: visit, Kind: "llm", MessageID: "m"}})
		require.Len(t, l.Conversation().Timeline(), 1)
		l.Apply(&wire.Frame{Type: wire.NodeEnd, Body: wire.Body{Spine: visit, Status: wire.Completed}})
		require.Empty(t, l.Conversation().Timeline())

		messages := make(chan *RowChanges, 1)
		go func() {
			m, _ := c.Next(t.Context())
			messages <- m
		}()
		synctest.Wait()
		assert.Empty(t, messages)
		assert.Equal(t, &RowChanges{Cursor: began, Ops: []projection.RowOp{}}, shared.Since(began), "whoever joins stands where it stood")

		l.Apply(token("n", "a"))
		l.Apply(token("n", "b"))
		m := <-messages
		client.take(t, m)
		assert.Len(t, m.Ops, 1)
		m = shared.Since(began)
		assert.Equal(t, []projection.RowOp{&projection.RowInserted{Index: 0, Row: l.Conversation().Timeline()[0]}}, m.Ops)
		l.Apply(token("n", "c"))
		assert.NotEqual(t, began, m.Cursor)
		assert.Len(t, shared.Since(m.Cursor).Ops, 1)
	})
}

// Promise 6 for row changes.
func TestChangesInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLive(conv)
		c := l.Changes(everything, "", time.Second)
		defer c.Close()
		var client copied
		client.next(t, c)
		began := time.Now()
		l.Apply(token("n", "a"))
		l.Apply(token("n", "b"))
		client.next(t, c)
		assert.Equal(t, time.Second, time.Since(began))
		assert.Equal(t, "ab", client.rows[0]["content"])
		time.Sleep(time.Minute)
		began = time.Now()
		l.Apply(token("n", "c"))
		client.next(t, c)
		assert.Zero(t, time.Since(began))
	})
}

// Promise 12: journals that nobody follows are bounded in number, and the longest unfollowed goes first.
func TestJournalsAreBounded(t *testing.T) {
	l := NewLive(conv)
	at := func(i int) projection.RowSlice { return projection.RowSlice{Path: []string{fmt.Sprint(i)}} }
	cursors := map[int]string{}
	follow := func(i int) (reset bool) {
		c := l.Changes(at(i), cursors[i], 0)
		defer c.Close()
		m, err := c.Next(t.Context())
		require.NoError(t, err)
		cursors[i] = m.Cursor
		return len(m.Ops) == 1
	}
	followed := l.Changes(at(-1), "", 0)
	defer followed.Close()
	for i := range 2 * keptJournals {
		require.True(t, follow(i))
		if i > 0 {
			require.False(t, follow(1), "followed again and again, it stays")
		}
	}
	assert.Len(t, l.journals, keptJournals+1)
	assert.Len(t, l.retired, keptJournals)
	assert.False(t, follow(2*keptJournals-1))
	assert.True(t, follow(0), "it is gone")
	assert.NotNil(t, l.journals[at(-1).Slice()])
}
