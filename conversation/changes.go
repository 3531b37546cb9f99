package conversation

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"slices"
	"time"

	"inlaygraph/projection"
)

// RowChanges is one message of a row changes subscription: operations that lead to the slice as it stood
// when the message was made, and the cursor to go on from.
type RowChanges struct {
	Cursor string
	Ops    []projection.RowOp
}

// keptJournals is how many journals that nobody follows a conversation keeps, so that a client that lost
// its connection can go on where it was.
const keptJournals = 256

// journal is a slice's journal while the conversation is live. Its id is the epoch of the cursors: a
// journal begun anew, for whatever reason, has another.
type journal struct {
	*projection.Journal
	id        string
	followers int
}

// Changes follows a slice by operations. Next is for one goroutine.
type Changes struct {
	sub     *Subscription
	rows    projection.RowSlice
	after   cursor
	journal *journal // the one followed; another stands in its place after a reset
	started bool
}

// Changes follows the rows of a slice by operations. after is the cursor of the last message a client
// applied, or "": a cursor that is not, or no longer, good for this slice begins with a reset.
func (l *Live) Changes(rows projection.RowSlice, after string, minInterval time.Duration) *Changes {
	c := &Changes{rows: rows, after: parseCursor(after)}
	l.mu.Lock()
	c.journal = l.followLocked(rows)
	l.mu.Unlock()
	c.sub = l.Subscribe([]projection.Slice{rows.Slice()}, minInterval)
	return c
}

// followLocked makes sure that the slice has a journal and counts a follower.
func (l *Live) followLocked(rows projection.RowSlice) *journal {
	slice := rows.Slice()
	j := l.journals[slice]
	if j == nil {
		j = &journal{Journal: projection.NewJournal(l.viewLocked().snap, rows), id: l.newID()}
		l.journals[slice] = j
	} else if j.followers == 0 {
		l.retired = slices.DeleteFunc(l.retired, func(s projection.Slice) bool { return s == slice })
	}
	j.followers++
	return j
}

// Next returns what changed since the last message. The first answers at once: with the operations missing
// after the cursor (perhaps none), else with one reset. Errors are those of Subscription.Next.
func (c *Changes) Next(ctx context.Context) (*RowChanges, error) {
	for {
		if err := c.sub.wait(ctx); err != nil {
			return nil, err
		}
		if m := c.message(); m != nil {
			return m, nil
		}
	}
}

// message makes the message, nil when there is nothing to say. live.mu is held and let go.
func (c *Changes) message() *RowChanges {
	l := c.sub.live
	defer l.mu.Unlock()
	if l.journals[c.rows.Slice()] != c.journal { // the state was replaced, and every journal with it
		c.journal = l.followLocked(c.rows)
	}
	j := c.journal
	var ops []projection.RowOp
	ok := c.after.journal == j.id
	if ok {
		ops, ok = j.Since(c.after.version)
	}
	if !ok {
		ops = []projection.RowOp{&projection.RowsReset{Rows: j.Rows(l.viewLocked().snap)}}
	} else if len(ops) == 0 && c.started {
		return nil
	}
	c.started, c.after = true, cursor{j.id, j.Version()}
	return &RowChanges{Cursor: c.after.String(), Ops: ops}
}

// Close ends the subscription. It may be called more than once.
func (c *Changes) Close() {
	l := c.sub.live
	l.mu.Lock()
	if slice := c.rows.Slice(); !c.sub.closed && l.journals[slice] == c.journal {
		l.unfollowLocked(slice)
	}
	l.mu.Unlock()
	c.sub.Close()
}

func (l *Live) unfollowLocked(slice projection.Slice) {
	j := l.journals[slice]
	j.followers--
	if j.followers > 0 {
		return
	}
	l.retired = append(l.retired, slice)
	if len(l.retired) > keptJournals {
		delete(l.journals, l.retired[0])
		l.retired = l.retired[1:]
	}
}

// cursor says where a client stands: the journal (which is one slice in one epoch) and its version. It
// carries no authority: whoever holds one may read nothing that it may not read without it.
type cursor struct {
	journal string
	version uint64
}

func (c cursor) String() string {
	return base64.RawURLEncoding.EncodeToString(binary.AppendUvarint([]byte(c.journal), c.version))
}

// cursorIDBytes is the length of a journal's id.
const cursorIDBytes = 12

// parseCursor reads a cursor; one it can't read is as good as none.
func parseCursor(s string) cursor {
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil || len(b) <= cursorIDBytes {
		return cursor{}
	}
	version, n := binary.Uvarint(b[cursorIDBytes:])
	if n != len(b)-cursorIDBytes {
		return cursor{}
	}
	return cursor{string(b[:cursorIDBytes]), version}
}

func randomID() string {
	var b [cursorIDBytes]byte
	_, _ = rand.Read(b[:]) // never fails
	return string(b[:])
}
