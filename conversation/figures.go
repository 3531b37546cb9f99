package conversation

import (
	"errors"
	"maps"
	"sync"
	"sync/atomic"

	"inlaygraph/upstream"
	"inlaygraph/wire"
)

// Figures are what an operator sees of a hub, beside its Stats: what is there at the moment, and what was counted since it
// began.
type Figures struct {
	// Watched is how many conversations somebody subscribes to.
	Watched int
	// Frames is how many frames came on streams, by type; what is of no known type is UnknownFrame.
	Frames map[string]int64
	// Reconnects is how often a stream that had broken was open again.
	Reconnects int64
	// Resets is how often what subscribers read was replaced, so that row changes began anew, by reason: one of Resets().
	Resets map[string]int64
	// Coalesced is how many changes found their subscriber not done yet with one before, and went out with it.
	Coalesced int64
}

// Figures counts.
func (h *Hub) Figures() Figures {
	f := h.counts.figures.read()
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, l := range h.adopted {
		f.watch(l)
	}
	for _, r := range h.live {
		f.watch(r.live)
	}
	return f
}

func (f *Figures) watch(l *Live) {
	if n, _ := l.following(); n > 0 {
		f.Watched++
	}
}

// figures are what a hub counts for Figures.
type figures struct {
	frames     [frameTypes + 1]atomic.Int64 // by wire.FrameType, 0 for what is of none
	reconnects atomic.Int64
	coalesced  atomic.Int64

	mu     sync.Mutex
	resets map[string]int64
}

func (f *figures) read() Figures {
	read := Figures{Frames: make(map[string]int64, len(frameWords)), Reconnects: f.reconnects.Load(), Coalesced: f.coalesced.Load()}
	for i, word := range frameWords {
		read.Frames[word] = f.frames[i].Load()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	read.Resets = maps.Clone(f.resets)
	return read
}

// UnknownFrame stands in Figures.Frames for what is of no type that is known.
const UnknownFrame = "unknown"

// Why what subscribers read was replaced, as Figures.Resets has it.
const (
	ResetGap      = "gap"             // frames were lost
	ResetCut      = "cut"             // a stream without offsets was cut
	ResetMissed   = "missed"          // frames were missing before a run that was asked for
	ResetReattach = "cannot_reattach" // upstream could not go on with the stream
	ResetHidden   = "hidden"          // upstream refused the stream that was followed
	ResetMoved    = "moved"           // a run that was not followed moved the log
	ResetRekeyed  = "rekeyed"         // places in the timeline were dealt anew
)

// Resets are all reasons that Figures.Resets has.
func Resets() []string {
	return []string{ResetGap, ResetCut, ResetMissed, ResetReattach, ResetHidden, ResetMoved, ResetRekeyed}
}

// resetReason is the figure under which a window that is loaded again is counted.
func resetReason(why error) string {
	switch {
	case errors.Is(why, errGap):
		return ResetGap
	case errors.Is(why, errCut):
		return ResetCut
	case errors.Is(why, errMissed):
		return ResetMissed
	case errors.Is(why, upstream.CannotReattach):
		return ResetReattach
	}
	return ResetHidden
}

// frameTypes is how many types of frames there are, and frameWords are their words by value, from UnknownFrame on.
const frameTypes = int(wire.RunEnd)

var (
	frameWords  = wordsOfFrames()
	frameValues = valuesOfFrames()
)

func wordsOfFrames() (words [frameTypes + 1]string) {
	words[0] = UnknownFrame
	for _, t := range wire.FrameTypes() {
		words[t] = t.String()
	}
	return words
}

func valuesOfFrames() map[string]wire.FrameType {
	values := map[string]wire.FrameType{}
	for _, t := range wire.FrameTypes() {
		values[t.String()] = t
	}
	return values
}

// frame counts what a stream said.
func (f *figures) frame(item upstream.Item) {
	kind := wire.FrameType(0)
	switch {
	case item.Frame != nil:
		kind = item.Frame.Type
	case item.Rejection != nil:
		kind = frameValues[item.Rejection.Type]
	}
	f.frames[kind].Add(1)
}

// reset counts that what subscribers read was replaced. Without a hub nothing is counted.
func (f *figures) reset(why string) {
	if f == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.resets == nil {
		f.resets = map[string]int64{}
	}
	f.resets[why]++
}

// late counts changes whose subscribers had not read the one before.
func (f *figures) late(n int) {
	if f != nil && n > 0 {
		f.coalesced.Add(int64(n))
	}
}
