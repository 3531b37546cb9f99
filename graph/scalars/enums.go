package scalars

import (
	"context"
	"fmt"
	"io"

	"github.com/99designs/gqlgen/graphql"

	"inlaygraph/feed"
	"inlaygraph/projection"
	"inlaygraph/wire"
)

// The names of each enum's values in the schema, by the Go value they are bound to. The wire's words are mapped where
// frames are decoded, and never seen here.
var (
	bindingStatus = newEnum("BindingStatus", map[wire.BindingStatus]string{
		wire.Building: "BUILDING",
		wire.Final:    "FINAL",
	})
	artifactFormat = newEnum("ArtifactFormat", map[wire.ArtifactFormat]string{
		wire.FormatText:     "TEXT",
		wire.FormatMarkdown: "MARKDOWN",
		wire.FormatCode:     "CODE",
		wire.FormatHTML:     "HTML",
		wire.FormatList:     "LIST",
	})
	publicErrorKind = newEnum("PublicErrorKind", map[wire.ErrorKind]string{
		wire.ErrorLLM:       "LLM",
		wire.ErrorTool:      "TOOL",
		wire.ErrorCondition: "CONDITION",
		wire.ErrorInternal:  "INTERNAL",
	})
	chatStatus = newEnum("ChatStatus", map[projection.ChatStatus]string{
		projection.ChatIdle:               "IDLE",
		projection.ChatStreaming:          "STREAMING",
		projection.ChatAwaitingClientTool: "AWAITING_CLIENT_TOOL",
		projection.ChatPaused:             "PAUSED",
		projection.ChatCompleted:          "COMPLETED",
		projection.ChatFailed:             "FAILED",
		projection.ChatCancelled:          "CANCELLED",
	})
	toolCallStatus = newEnum("ToolCallStatus", map[projection.ToolCallStatus]string{
		projection.ToolPending:    "PENDING",
		projection.ToolSubmitting: "SUBMITTING",
		projection.ToolSubmitted:  "SUBMITTED",
		projection.ToolFailed:     "FAILED",
		projection.ToolCancelled:  "CANCELLED",
	})
	runStatus = newEnum("RunStatus", map[projection.RunStatus]string{
		projection.RunIdle:      "IDLE",
		projection.RunRunning:   "RUNNING",
		projection.RunPaused:    "PAUSED",
		projection.RunCompleted: "COMPLETED",
		projection.RunFailed:    "FAILED",
		projection.RunCancelled: "CANCELLED",
	})
	conversationStatus = newEnum("ConversationStatus", map[wire.Status]string{
		wire.Running:            "RUNNING",
		wire.Completed:          "COMPLETED",
		wire.Failed:             "FAILED",
		wire.Cancelled:          "CANCELLED",
		wire.Paused:             "PAUSED",
		wire.AwaitingClientTool: "AWAITING_CLIENT_TOOL",
	})
	// A node is never paused: of the wire's lifecycle words it has four.
	nodeRunStatus = newEnum("NodeRunStatus", map[wire.Status]string{
		wire.Running:   "RUNNING",
		wire.Completed: "COMPLETED",
		wire.Failed:    "FAILED",
		wire.Cancelled: "CANCELLED",
	})
	rowTextField = newEnum("RowTextField", map[projection.TextField]string{
		projection.FieldContent:   "CONTENT",
		projection.FieldReasoning: "REASONING",
		projection.FieldValue:     "VALUE",
	})
	repeatMode = newEnum("RepeatMode", map[feed.RepeatMode]string{
		feed.RepeatParallel:   "PARALLEL",
		feed.RepeatSequential: "SEQUENTIAL",
	})
	branchStatus = newEnum("BranchStatus", map[feed.BranchStatus]string{
		feed.BranchRunning: "RUNNING",
		feed.BranchDone:    "DONE",
		feed.BranchFailed:  "FAILED",
		feed.BranchUnknown: "UNKNOWN",
	})
	feedMode = newEnum("FeedMode", map[feed.Mode]string{
		feed.Composed:     "COMPOSED",
		feed.FlatGuarded:  "FLAT_GUARDED",
		feed.FlatUnpinned: "FLAT_UNPINNED",
	})
	nodeViewStatus = newEnum("NodeViewStatus", map[projection.NodeStatus]string{
		projection.NodeIdle:      "IDLE",
		projection.NodeRunning:   "RUNNING",
		projection.NodeCompleted: "COMPLETED",
		projection.NodeFailed:    "FAILED",
		projection.NodeCancelled: "CANCELLED",
	})
	branchFlag = newEnum("BranchFlag", map[projection.BranchFlag]string{
		projection.BranchTaken:   "TAKEN",
		projection.BranchUntaken: "UNTAKEN",
		projection.BranchPending: "PENDING",
	})
)

// MarshalBindingStatus writes a BindingStatus.
func MarshalBindingStatus(v wire.BindingStatus) graphql.Marshaler { return bindingStatus.marshal(v) }

// UnmarshalBindingStatus reads a BindingStatus.
func UnmarshalBindingStatus(v any) (wire.BindingStatus, error) { return bindingStatus.unmarshal(v) }

// MarshalArtifactFormat writes an ArtifactFormat.
func MarshalArtifactFormat(v wire.ArtifactFormat) graphql.ContextMarshaler {
	return artifactFormat.marshalNullable(v)
}

// UnmarshalArtifactFormat reads an ArtifactFormat.
func UnmarshalArtifactFormat(_ context.Context, v any) (wire.ArtifactFormat, error) {
	return artifactFormat.unmarshal(v)
}

// MarshalPublicErrorKind writes a PublicErrorKind.
func MarshalPublicErrorKind(v wire.ErrorKind) graphql.Marshaler { return publicErrorKind.marshal(v) }

// UnmarshalPublicErrorKind reads a PublicErrorKind.
func UnmarshalPublicErrorKind(v any) (wire.ErrorKind, error) { return publicErrorKind.unmarshal(v) }

// MarshalChatStatus writes a ChatStatus.
func MarshalChatStatus(v projection.ChatStatus) graphql.Marshaler { return chatStatus.marshal(v) }

// UnmarshalChatStatus reads a ChatStatus.
func UnmarshalChatStatus(v any) (projection.ChatStatus, error) { return chatStatus.unmarshal(v) }

// MarshalToolCallStatus writes a ToolCallStatus.
func MarshalToolCallStatus(v projection.ToolCallStatus) graphql.Marshaler {
	return toolCallStatus.marshal(v)
}

// UnmarshalToolCallStatus reads a ToolCallStatus.
func UnmarshalToolCallStatus(v any) (projection.ToolCallStatus, error) {
	return toolCallStatus.unmarshal(v)
}

// MarshalRunStatus writes a RunStatus.
func MarshalRunStatus(v projection.RunStatus) graphql.Marshaler { return runStatus.marshal(v) }

// UnmarshalRunStatus reads a RunStatus.
func UnmarshalRunStatus(v any) (projection.RunStatus, error) { return runStatus.unmarshal(v) }

// MarshalConversationStatus writes a ConversationStatus.
func MarshalConversationStatus(v wire.Status) graphql.ContextMarshaler {
	return conversationStatus.marshalNullable(v)
}

// UnmarshalConversationStatus reads a ConversationStatus.
func UnmarshalConversationStatus(_ context.Context, v any) (wire.Status, error) {
	return conversationStatus.unmarshal(v)
}

// MarshalNodeRunStatus writes a NodeRunStatus.
func MarshalNodeRunStatus(v wire.Status) graphql.ContextMarshaler {
	return nodeRunStatus.marshalNullable(v)
}

// UnmarshalNodeRunStatus reads a NodeRunStatus.
func UnmarshalNodeRunStatus(_ context.Context, v any) (wire.Status, error) {
	return nodeRunStatus.unmarshal(v)
}

// MarshalRowTextField writes a RowTextField.
func MarshalRowTextField(v projection.TextField) graphql.Marshaler { return rowTextField.marshal(v) }

// UnmarshalRowTextField reads a RowTextField.
func UnmarshalRowTextField(v any) (projection.TextField, error) { return rowTextField.unmarshal(v) }

// MarshalRepeatMode writes a RepeatMode.
func MarshalRepeatMode(v feed.RepeatMode) graphql.Marshaler { return repeatMode.marshal(v) }

// UnmarshalRepeatMode reads a RepeatMode.
func UnmarshalRepeatMode(v any) (feed.RepeatMode, error) { return repeatMode.unmarshal(v) }

// MarshalBranchStatus writes a BranchStatus.
func MarshalBranchStatus(v feed.BranchStatus) graphql.Marshaler { return branchStatus.marshal(v) }

// UnmarshalBranchStatus reads a BranchStatus.
func UnmarshalBranchStatus(v any) (feed.BranchStatus, error) { return branchStatus.unmarshal(v) }

// MarshalFeedMode writes a FeedMode.
func MarshalFeedMode(v feed.Mode) graphql.Marshaler { return feedMode.marshal(v) }

// UnmarshalFeedMode reads a FeedMode.
func UnmarshalFeedMode(v any) (feed.Mode, error) { return feedMode.unmarshal(v) }

// MarshalNodeViewStatus writes a NodeViewStatus.
func MarshalNodeViewStatus(v projection.NodeStatus) graphql.Marshaler {
	return nodeViewStatus.marshal(v)
}

// UnmarshalNodeViewStatus reads a NodeViewStatus.
func UnmarshalNodeViewStatus(v any) (projection.NodeStatus, error) {
	return nodeViewStatus.unmarshal(v)
}

// MarshalBranchFlag writes a BranchFlag.
func MarshalBranchFlag(v projection.BranchFlag) graphql.Marshaler { return branchFlag.marshal(v) }

// UnmarshalBranchFlag reads a BranchFlag.
func UnmarshalBranchFlag(v any) (projection.BranchFlag, error) { return branchFlag.unmarshal(v) }

// enum is one closed set, both ways.
type enum[E ~uint8] struct {
	name    string
	values  map[string]E
	written map[E]graphql.Marshaler
}

func newEnum[E ~uint8](name string, names map[E]string) *enum[E] {
	e := &enum[E]{name: name, values: map[string]E{}, written: map[E]graphql.Marshaler{}}
	for value, word := range names {
		e.values[word], e.written[value] = value, quoted(`"`+word+`"`)
	}
	return e
}

// quoted is a name as it is written.
type quoted string

// MarshalGQL implements graphql.Marshaler.
func (q quoted) MarshalGQL(w io.Writer) { _, _ = io.WriteString(w, string(q)) }

// marshal answers graphql.Null for a value without a name, which is an error where the schema says non-null.
func (e *enum[E]) marshal(v E) graphql.Marshaler {
	if m, ok := e.written[v]; ok {
		return m
	}
	return graphql.Null
}

// marshalNullable is for enums that are nullable somewhere in the schema: there a null alone would not tell a value without
// a name from an absent one, so that it is an error by itself.
func (e *enum[E]) marshalNullable(v E) graphql.ContextMarshaler {
	return graphql.ContextWriterFunc(func(_ context.Context, w io.Writer) error {
		m, ok := e.written[v]
		if !ok {
			return fmt.Errorf("%s has no name for %d", e.name, uint8(v))
		}
		m.MarshalGQL(w)
		return nil
	})
}

func (e *enum[E]) unmarshal(v any) (E, error) {
	if word, ok := v.(string); ok {
		if value, ok := e.values[word]; ok {
			return value, nil
		}
	}
	var none E
	return none, fmt.Errorf("%s takes one of its names", e.name)
}
