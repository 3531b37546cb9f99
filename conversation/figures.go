package conversation

import (
	"errors"

	"inlaygraph/upstream"
	"inlaygraph/wire"
)

// UnknownFrame stands in Stats.Frames for what is of no type that is known.
const UnknownFrame = "unknown"

// Why what subscribers read was replaced, as Stats.Resets has it.
const (
	ResetGap      = "gap"             // frames were lost
	ResetCut      = "cut"             // a stream without offsets was cut
	ResetMissed   = "missed"          // frames were missing before a run that was asked for
	ResetReattach = "cannot_reattach" // upstream could not go on with the stream
	ResetHidden   = "hidden"          // upstream refused the stream that was followed
	ResetMoved    = "moved"           // a run that was not followed moved the log
	ResetRekeyed  = "rekeyed"         // places in the timeline were dealt anew
)

// Resets are all reasons that Stats.Resets has.
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
func (c *counts) frame(item upstream.Item) {
	kind := wire.FrameType(0)
	switch {
	case item.Frame != nil:
		kind = item.Frame.Type
	case item.Rejection != nil:
		kind = frameValues[item.Rejection.Type]
	}
	if int(kind) >= len(c.frames) {
		kind = 0
	}
	c.frames[kind].Add(1)
}

// reset counts that what subscribers read was replaced. Without a hub nothing is counted.
func (c *counts) reset(why string) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.resets == nil {
		c.resets = map[string]int64{}
	}
	c.resets[why]++
}

// late counts changes whose subscribers had not read the one before.
func (c *counts) late(n int) {
	if c != nil && n > 0 {
		c.coalesced.Add(int64(n))
	}
}
