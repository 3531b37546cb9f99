package conversation

import (
	"context"
	"slices"
	"time"

	"inlaygraph/projection"
	"inlaygraph/session"
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
	sub   *Subscription
	rows  projection.RowSlice
	begun bool // the first message was made

	// Guarded by the conversation's lock.
	journal *journal // the one followed; another stands in its place after a reset
	after   cursor
}

// Changes follows the rows of a slice by operations. after is the cursor of the last message a client
// applied, or "": a cursor that is not, or no longer, good for this slice begins with a reset.
func (l *Live) Changes(rows projection.RowSlice, after string, minInterval time.Duration) *Changes {
	return l.changes(nobody, rows, after, minInterval)
}

func (l *Live) changes(who *session.Session, rows projection.RowSlice, after string, minInterval time.Duration) *Changes {
	c := &Changes{rows: rows, after: parseCursor(after)}
	l.mu.Lock()
	c.journal = l.followLocked(rows)
	c.sub = l.subscribeLocked(who, []projection.Slice{rows.Slice()}, minInterval)
	l.mu.Unlock()
	l.attended()
	return c
}

// followLocked makes sure that the slice has a journal and counts a follower.
func (l *Live) followLocked(rows projection.RowSlice) *journal {
	slice := rows.Slice()
	j := l.journals[slice]
	if j == nil {
		j = l.journalLocked(rows)
		l.journals[slice] = j
	} else if j.followers == 0 {
		l.retired = slices.DeleteFunc(l.retired, func(s projection.Slice) bool { return s == slice })
	}
	j.followers++
	return j
}

// Next returns what changed since the last message. The first answers at once: with the operations missing
// after the cursor (perhaps none), else with one reset. Rows that came and went in between are no message.
// Errors are those of Subscription.Next.
func (c *Changes) Next(ctx context.Context) (*RowChanges, error) {
	for {
		if err := c.sub.wait(ctx); err != nil {
			return nil, err
		}
		if m := c.message(); len(m.Ops) > 0 || !c.begun {
			c.begun = true
			c.sub.pace.sent()
			return m, nil
		}
	}
}

// message makes the message. live.mu is held and let go.
func (c *Changes) message() *RowChanges {
	l := c.sub.live
	if l.journals[c.rows.Slice()] != c.journal { // the state was replaced, and every journal with it
		c.journal = l.followLocked(c.rows)
	}
	j := c.journal
	var ops []projection.RowOp
	known := c.after.journal == j.id
	if known {
		ops, known = l.sinceLocked(j, c.after.version)
	}
	if !known || len(ops) > 0 { // else the list stands where it stood
		c.after = cursor{j.id, l.versionLocked(j)}
	}
	m := &RowChanges{Cursor: c.after.String(), Ops: ops}
	if known {
		l.mu.Unlock()
		return m
	}
	snap := l.viewLocked().snap
	l.mu.Unlock()
	m.Ops = []projection.RowOp{&projection.RowsReset{Rows: j.Rows(snap)}} // gathered without holding anybody up
	return m
}

// Close ends the subscription. It may be called more than once, and from anywhere.
func (c *Changes) Close() {
	l := c.sub.live
	l.mu.Lock()
	defer l.mu.Unlock()
	if slice := c.rows.Slice(); c.sub.closeLocked() && l.journals[slice] == c.journal {
		l.unfollowLocked(slice)
	}
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
		l.retired = slices.Delete(l.retired, 0, 1)
	}
}
