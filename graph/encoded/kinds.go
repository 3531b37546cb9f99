package encoded

import (
	"maps"
	"time"

	"github.com/vektah/gqlparser/v2/ast"

	"inlaygraph/graph/scalars"
	"inlaygraph/projection"
	"inlaygraph/wire"
)

// The kinds of rows.

var userRow = kind[*projection.UserRow]{name: "UserRow", leaves: rowWith(map[string]writer[*projection.UserRow]{
	"content": stringOf(func(r *projection.UserRow) string { return r.Content }),
})}

var assistantRow = kind[*projection.AssistantRow]{name: "AssistantRow", leaves: rowWith(map[string]writer[*projection.AssistantRow]{
	"content":   stringOf(func(r *projection.AssistantRow) string { return r.Content }),
	"reasoning": optionalStringOf((*projection.AssistantRow).Reasoning),
	"complete":  boolOf(func(r *projection.AssistantRow) bool { return r.Complete }),
})}

var outputRow = kind[*projection.OutputRow]{name: "OutputRow", leaves: rowWith(map[string]writer[*projection.OutputRow]{
	"name":         stringOf(func(r *projection.OutputRow) string { return r.Name }),
	"value":        jsonOf(func(r *projection.OutputRow) projection.Value { return r.Value }),
	"status":       enumOf(scalars.MarshalBindingStatus, func(r *projection.OutputRow) wire.BindingStatus { return r.Status }),
	"format":       optionalEnumOf(scalars.MarshalArtifactFormat, (*projection.OutputRow).Format),
	"complete":     boolOf(func(r *projection.OutputRow) bool { return r.Complete }),
	"schemaErrors": optionalStringsOf((*projection.OutputRow).SchemaErrors),
})}

var toolCallRow = kind[*projection.ToolCallRow]{name: "ToolCallRow", leaves: rowWith(map[string]writer[*projection.ToolCallRow]{
	"toolCallId":             stringOf(func(r *projection.ToolCallRow) string { return r.ToolCallID }),
	"toolName":               stringOf(func(r *projection.ToolCallRow) string { return r.ToolName }),
	"input":                  stringOf(func(r *projection.ToolCallRow) string { return r.Input }),
	"requiresClientResponse": boolOf(func(r *projection.ToolCallRow) bool { return r.RequiresClientResponse }),
})}

var toolResultRow = kind[*projection.ToolResultRow]{name: "ToolResultRow", leaves: rowWith(map[string]writer[*projection.ToolResultRow]{
	"toolCallId": stringOf(func(r *projection.ToolResultRow) string { return r.ToolCallID }),
	"output":     stringOf(func(r *projection.ToolResultRow) string { return r.Output }),
})}

// rowWith adds what every row has.
func rowWith[R projection.Row](own map[string]writer[R]) map[string]writer[R] {
	maps.Copy(own, map[string]writer[R]{
		"type":         stringOf(R.Type),
		"id":           optionalStringOf(func(r R) *string { return r.Common().ID() }),
		"seq":          optionalSafeIntOf(func(r R) *int64 { return r.Common().Seq() }),
		"nodeId":       optionalStringOf(func(r R) *string { return r.Common().NodeID() }),
		"subgraphPath": optionalStringsOf(func(r R) []string { return r.Common().SubgraphPath() }),
		"path":         optionalStringsOf(func(r R) []string { return r.Common().Path() }),
		"activation":   optionalStringOf(func(r R) *string { return r.Common().Activation() }),
		"iteration":    optionalIntOf(func(r R) *int32 { return r.Common().Iteration() }),
		"at":           optionalTimeOf(func(r R) *time.Time { return r.Common().At() }),
	})
	return own
}

// The view of a node, and what it holds.

var nodeView = kind[*projection.NodeView]{
	name: "NodeView",
	leaves: map[string]writer[*projection.NodeView]{
		"path":       stringsOf(func(v *projection.NodeView) []string { return v.Path }),
		"nodeId":     stringOf((*projection.NodeView).NodeID),
		"name":       optionalStringOf(func(v *projection.NodeView) *string { return v.Name }),
		"status":     enumOf(scalars.MarshalNodeViewStatus, func(v *projection.NodeView) projection.NodeStatus { return v.Status }),
		"exitedVia":  optionalStringOf(func(v *projection.NodeView) *string { return v.ExitedVia }),
		"visitCount": intOf(func(v *projection.NodeView) int { return v.VisitCount }),
		"hasEarlier": boolOf(func(v *projection.NodeView) bool { return v.HasEarlier }),
		"kind":       optionalStringOf(func(v *projection.NodeView) *string { return v.Kind }),
		"active":     boolOf((*projection.NodeView).Active),
		"done":       boolOf((*projection.NodeView).Done),
		"failed":     boolOf((*projection.NodeView).Failed),
		"content":    stringOf((*projection.NodeView).Content),
		"reasoning":  optionalStringOf((*projection.NodeView).Reasoning),
		"startedAt":  optionalTimeOf(func(v *projection.NodeView) *time.Time { return v.StartedAt }),
		"finishedAt": optionalTimeOf(func(v *projection.NodeView) *time.Time { return v.FinishedAt }),
	},
	nested: map[string]func(*compiler, ast.SelectionSet) writer[*projection.NodeView]{
		"error":    optionalObjectOf(&publicError, func(v *projection.NodeView) *wire.PublicError { return v.Error }),
		"usage":    optionalObjectOf(&tokenUsage, func(v *projection.NodeView) *wire.Usage { return v.Usage }),
		"branches": objectsOf(&branch, (*projection.NodeView).Branches),
		"rows": func(c *compiler, sel ast.SelectionSet) writer[*projection.NodeView] {
			rows := c.op.rowsOf(sel)
			c.rows = append(c.rows, rows)
			return func(b []byte, v *projection.NodeView) []byte { return appendRows(rows, b, v.Rows()) }
		},
	},
}

var branch = kind[*projection.Branch]{name: "Branch", leaves: map[string]writer[*projection.Branch]{
	"port": optionalStringOf(func(v *projection.Branch) *string { return v.Port }),
	"to":   stringOf(func(v *projection.Branch) string { return v.To }),
	"flag": enumOf(scalars.MarshalBranchFlag, func(v *projection.Branch) projection.BranchFlag { return v.Flag }),
}}

var publicError = kind[*wire.PublicError]{name: "PublicError", leaves: map[string]writer[*wire.PublicError]{
	"kind":    enumOf(scalars.MarshalPublicErrorKind, func(v *wire.PublicError) wire.ErrorKind { return v.Kind }),
	"message": stringOf(func(v *wire.PublicError) string { return v.Message }),
}}

var tokenUsage = kind[*wire.Usage]{name: "TokenUsage", leaves: map[string]writer[*wire.Usage]{
	"promptTokens":     safeIntOf(func(v *wire.Usage) int64 { return v.PromptTokens }),
	"completionTokens": safeIntOf(func(v *wire.Usage) int64 { return v.CompletionTokens }),
	"reasoningTokens":  safeIntOf(func(v *wire.Usage) int64 { return v.ReasoningTokens }),
}}

// optionalObjectOf writes an object that may be null.
func optionalObjectOf[T, O any](k *kind[*O], read func(T) *O) func(*compiler, ast.SelectionSet) writer[T] {
	return func(c *compiler, sel ast.SelectionSet) writer[T] {
		o := compile(c, k, sel)
		return func(b []byte, v T) []byte {
			if inner := read(v); inner != nil {
				return o.append(b, inner)
			}
			return appendNull(b)
		}
	}
}

// objectsOf writes a list of objects.
func objectsOf[T, O any](k *kind[*O], read func(T) []*O) func(*compiler, ast.SelectionSet) writer[T] {
	return func(c *compiler, sel ast.SelectionSet) writer[T] {
		o := compile(c, k, sel)
		return func(b []byte, v T) []byte { return appendObjects(b, read(v), o) }
	}
}
