package projection

import "inlaygraph/wire"

// Short spellings of frames for tests.

func frame(t wire.FrameType, b wire.Body) *wire.Frame { return &wire.Frame{Type: t, Body: b} }

func delta(id, content string) *wire.Frame {
	return frame(wire.MessageDelta, wire.Body{Spine: wire.Spine{NodeID: "n", Activation: "a"}, ID: id, Content: content, HasContent: true})
}
