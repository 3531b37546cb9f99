package scalars

import "inlaygraph/projection"

// ToolResultInput is the input object of that name. It stands here because nobody else has a use for it: what is
// delivered is text, and it is this package that knows how a JSON value is spelled.
type ToolResultInput struct {
	ConversationID string
	ToolCallID     string
	Output         projection.Value
}

// OutputText is the output as it is delivered: a string's own text, and the JSON text of anything else.
func (in *ToolResultInput) OutputText() string {
	if text, ok := in.Output.Text(); ok {
		return text
	}
	return string(in.Output.AppendJSON(nil))
}
