package gen

import (
	"pgregory.net/rapid"

	"inlaygraph/wire"
)

// Live is the whole run as live frames.
func (r *Run) Live() []wire.Record {
	var recs []wire.Record
	for _, f := range r.Frames {
		recs = append(recs, f)
	}
	return recs
}

// Logged is the whole run as it is read later: the head, then every row.
func (r *Run) Logged() []wire.Record {
	recs := []wire.Record{r.Head(len(r.Frames))}
	for _, row := range r.Log {
		recs = append(recs, row)
	}
	return recs
}

// Reopened is a run that somebody comes to after some frames.
type Reopened struct {
	Head   *wire.Head
	Window []*wire.Row   // the tail of what is persisted
	Pages  []*wire.Page  // the rest, the latest first: what loadEarlier gets, one after the other
	Live   []*wire.Frame // the frames after the head's last_offset
}

// Records is the head, the window and the live frames, as a recording holds them.
func (o *Reopened) Records() []wire.Record {
	recs := []wire.Record{o.Head}
	for _, row := range o.Window {
		recs = append(recs, row)
	}
	for _, f := range o.Live {
		recs = append(recs, f)
	}
	return recs
}

// Whole is the same reopening with a window that holds all that was persisted.
func (o *Reopened) Whole() *Reopened {
	whole := &Reopened{Head: o.Head, Live: o.Live}
	head := *o.Head
	head.HasEarlier = false
	whole.Head = &head
	for i := len(o.Pages) - 1; i >= 0; i-- {
		whole.Window = append(whole.Window, o.Pages[i].Rows...)
	}
	whole.Window = append(whole.Window, o.Window...)
	return whole
}

// Reopen draws when somebody comes and how much of the log the window holds. A run whose frames cannot be
// recognised when they repeat (no ids, no seqs or no activations) is reopened where nothing repeats, if there
// is such a place; ok says whether there was.
func (r *Run) Reopen(t *rapid.T) (o *Reopened, ok bool) {
	recognised := r.Style.IDs && r.Style.Seqs && r.Style.Activations
	var places []int
	for n := 1; n < len(r.marks); n++ {
		if recognised || !r.marks[n].overlapped {
			places = append(places, n)
		}
	}
	if len(places) == 0 {
		return nil, false
	}
	n := places[upTo(t, "reopened after", len(places))]
	rows := r.Persisted(n)
	o = &Reopened{Head: r.Head(n)}
	o.Live = r.Frames[o.Head.LastOffset:]
	size := between(t, "window", 0, len(rows))
	o.Window = rows[len(rows)-size:]
	o.Head.HasEarlier = size < len(rows)
	for rest := rows[:len(rows)-size]; len(rest) > 0; {
		size := between(t, "page", 1, len(rest))
		o.Pages = append(o.Pages, &wire.Page{Rows: rest[len(rest)-size:], HasEarlier: size < len(rest)})
		rest = rest[:len(rest)-size]
	}
	return o, true
}
