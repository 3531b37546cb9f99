package conversation

import (
	"crypto/sha256"
	"fmt"

	"inlaygraph/projection"
)

// past is what moved since a state that all instances have was shown, and what that state is called. Cursors that it
// numbers mean the same everywhere.
type past struct {
	*projection.Past
	epoch  string
	resets int // of keys dealt anew since
}

func newPast(epoch string) *past { return &past{projection.NewPast(), epoch, 0} }

// reset is for keys that were dealt anew.
func (p *past) reset() { p.Past, p.resets = projection.NewPast(), p.resets+1 }

// journalID names a slice's journal, as every instance does.
func (p *past) journalID(slice projection.Slice) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %d %d %q %q", p.epoch, p.resets, slice.Kind, slice.Path, slice.Name))
	return string(sum[:journalIDBytes])
}

// journalLocked begins a slice's journal.
func (l *Live) journalLocked(rows projection.RowSlice) *journal {
	snap := l.viewLocked().snap
	if l.past == nil {
		return &journal{Journal: projection.NewJournal(snap, rows), id: newJournalID()}
	}
	return &journal{Journal: l.past.Journal(snap, rows), id: l.past.journalID(rows.Slice())}
}

// take records what a change did, of which the moves are numbered behind before where there is a past.
func (j *journal) take(p *past, before uint64, moves []projection.RowMove) {
	if p == nil {
		j.Add(moves)
	} else {
		j.AddFrom(before, moves)
	}
}

// sinceLocked are the operations of a journal behind a cursor's version, and versionLocked the version that it stands at.
func (l *Live) sinceLocked(j *journal, version uint64) ([]projection.RowOp, bool) {
	if l.past == nil {
		return j.Since(version)
	}
	if version > l.past.Version() {
		return nil, false
	}
	return j.SinceNumber(version)
}

func (l *Live) versionLocked(j *journal) uint64 {
	if l.past == nil {
		return j.Version()
	}
	return l.past.Version()
}
