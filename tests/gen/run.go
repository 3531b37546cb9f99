package gen

import (
	"time"

	"pgregory.net/rapid"

	"inlaygraph/wire"
)

// Style says what a platform sends. Older ones leave out row ids, seqs on live frames, activations or times.
type Style struct{ IDs, Seqs, Activations, Times bool }

// Run is one conversation as the platform lived it.
type Run struct {
	Style  Style
	Frames []*wire.Frame // all live frames, offsets from 1
	Log    []*wire.Row   // all that was written, ascending seq
	marks  []mark        // marks[n] is how things stood after n frames
}

// mark is what a reader finds who comes after so many frames.
type mark struct {
	persisted  int       // rows of the log that were flushed
	head       wire.Head // its last_offset as docs/wire.md computes it
	overlapped bool      // frames that follow repeat what the rows hold, or rows are ahead of the frames
}

const (
	conversationID = "conv"
	agentID        = "agent"
	agentVersion   = 3
)

// NewRun plays one to three turns of a random agent graph. Runs are paused between turns, fail and are
// retried, and end in every way, or not at all.
func NewRun(t *rapid.T) *Run {
	style := Style{IDs: !chance(t, "no ids", 15), Seqs: !chance(t, "no seqs", 15), Activations: !chance(t, "no activations", 15), Times: !chance(t, "no times", 15)}
	return NewRunOf(t, style)
}

// NewRunOf is NewRun in a given style.
func NewRunOf(t *rapid.T, style Style) *Run {
	p := newPlatform(t, style)
	agent := newGraph(t, 3)
	return p.turns(func() script { return p.turn(agent) })
}

// turns plays one to three turns, each by a script of its own, and how each of them ends.
func (p *platform) turns(write func() script) *Run {
	t := p.t
	p.runStart()
	p.user()
	for turn, turns := 1, between(t, "turns", 1, 3); ; turn++ {
		last := turn == turns
		script := write()
		aborted := chance(t, "abort", 30)
		if aborted {
			script = script[:upTo(t, "abort at", len(script)+1)]
		}
		for _, step := range script {
			step()
		}
		switch {
		case aborted:
			p.abort(last)
		case last:
			p.close()
		default:
			p.pause(wire.Paused)
		}
		if last {
			return p.finish()
		}
		p.runStart() // the next turn, or the retry of a failed one
		if !aborted {
			p.user()
		}
	}
}

// Head is the conversation's head after n frames.
func (r *Run) Head(n int) *wire.Head {
	h := r.marks[n].head
	return &h
}

// Persisted are the rows that a reader finds after n frames.
func (r *Run) Persisted(n int) []*wire.Row { return r.Log[:r.marks[n].persisted] }

// strip leaves out what the run's style does not send.
func (r *Run) strip() {
	clean := func(b *wire.Body) {
		if !r.Style.IDs {
			b.ID, b.MessageID = "", ""
		}
		if !r.Style.Activations {
			b.Activation = ""
		}
		if !r.Style.Times {
			b.At = time.Time{}
		}
	}
	for _, f := range r.Frames {
		clean(&f.Body)
		if !r.Style.Seqs {
			f.Seq = 0
		}
	}
	for _, row := range r.Log {
		clean(&row.Body)
	}
}
