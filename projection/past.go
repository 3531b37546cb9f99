package projection

import (
	"sort"
	"strings"
)

// Past keeps the latest moves of the whole timeline, numbered from 1, so that a journal of any slice can begin with what
// moved before anybody asked for it. Whoever applies the same inputs to the same state numbers the same moves alike.
type Past struct {
	moves   []pastMove
	rows    map[uint64]Row // those of the moves that are still there, as they stand now
	version uint64
}

// pastMove is a move, and where its row was.
type pastMove struct {
	move
	place  string
	placed bool
}

// NewPast returns an empty one.
func NewPast() *Past { return &Past{rows: map[uint64]Row{}} }

// Version is the number of the latest move, 0 before any.
func (p *Past) Version() uint64 { return p.version }

// Add records what a change did.
func (p *Past) Add(moves []RowMove) {
	for _, m := range moves {
		if len(p.moves) >= 2*JournalDepth { // before the row of this move is there, which no move is of yet
			p.forget(len(p.moves) - JournalDepth)
		}
		if m.Kind == MoveRemove {
			delete(p.rows, m.Key)
		} else {
			p.rows[m.Key] = m.Row
		}
		one := pastMove{move: move{m.Key, m.Kind, m.Field, m.Offset, len(m.Text)}}
		if pl := m.Row.Common().place; pl != nil {
			one.place, one.placed = pl.key, true
		}
		p.moves = append(p.moves, one)
		p.version++
	}
}

// forget drops the first n moves, and the rows that no other move is of.
func (p *Past) forget(n int) {
	p.moves = p.moves[:copy(p.moves, p.moves[n:])]
	rows := make(map[uint64]Row, len(p.rows))
	for _, m := range p.moves {
		if r, here := p.rows[m.key]; here {
			rows[m.key] = r
		}
	}
	p.rows = rows
}

// Journal returns the journal of a slice that stands as snap says, with the moves that are kept. It is to be fed by
// AddFrom, and read by SinceNumber.
func (p *Past) Journal(snap *Snapshot, slice RowSlice) *Journal {
	j := NewJournal(snap, slice)
	first := p.version - uint64(len(p.moves))
	j.since = first
	for i, m := range p.moves {
		if !j.covers(m.place, m.placed) {
			continue
		}
		if r, here := p.rows[m.key]; here {
			j.rows[m.key] = r
		}
		j.moves = append(j.moves, m.move)
		j.numbers = append(j.numbers, first+uint64(i)+1)
		j.version++
	}
	return j
}

// covers tells whether a row at a place is of the slice.
func (j *Journal) covers(place string, placed bool) bool {
	switch {
	case j.slice.All:
		return true
	case !placed:
		return false
	case j.slice.Subtree:
		return strings.HasPrefix(place, j.path)
	}
	return place == j.path
}

// AddFrom is Add for moves of which the first has the number behind before.
func (j *Journal) AddFrom(before uint64, moves []RowMove) {
	for i, m := range moves {
		if j.has(m.Row) {
			j.add(m)
			j.numbers = append(j.numbers, before+uint64(i)+1)
			if forgotten := len(j.numbers) - len(j.moves); forgotten > 0 {
				j.since = j.numbers[forgotten-1]
				j.numbers = j.numbers[:copy(j.numbers, j.numbers[forgotten:])]
			}
		}
	}
}

// SinceNumber is Since for what moved behind a number.
func (j *Journal) SinceNumber(number uint64) (ops []RowOp, ok bool) {
	if number < j.since {
		return nil, false
	}
	known := sort.Search(len(j.numbers), func(i int) bool { return j.numbers[i] > number })
	return j.Since(j.version - uint64(len(j.numbers)-known))
}
