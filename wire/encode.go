package wire

import (
	"math/bits"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// AppendJSON appends the frame as docs/wire.md spells it, on one line without an end: `type`, `offset`
// when it is not 0, then the members of its type in a fixed order. Absent members are left out; a
// required JSON value that is absent is written as null.
func (f *Frame) AppendJSON(dst []byte) []byte {
	w := object{dst: append(dst, '{')}
	w.text(memberType, f.Type.String())
	if f.Offset != 0 {
		w.integer(memberOffset, f.Offset)
	}
	if f.Type > 0 && int(f.Type) < len(frameShapes) {
		w.body(&f.Body, &frameShapes[f.Type])
	}
	return append(w.dst, '}')
}

// AppendJSON appends the row as docs/wire.md spells it, on one line without an end.
func (r *Row) AppendJSON(dst []byte) []byte {
	w := object{dst: append(dst, '{')}
	w.text(memberType, r.Type.String())
	if r.Type > 0 && int(r.Type) < len(rowShapes) {
		w.body(&r.Body, &rowShapes[r.Type])
	}
	return append(w.dst, '}')
}

// AppendJSON appends the page as GET /v1/conversations/{id}/rows answers it.
func (p *Page) AppendJSON(dst []byte) []byte {
	dst = append(dst, `{"rows":[`...)
	for i, row := range p.Rows {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = row.AppendJSON(dst)
	}
	dst = append(dst, `],"has_earlier":`...)
	dst = strconv.AppendBool(dst, p.HasEarlier)
	return append(dst, '}')
}

// object writes the members of one JSON object, whose opening brace is written.
type object struct {
	dst     []byte
	started bool
}

func (w *object) name(name string) {
	if w.started {
		w.dst = append(w.dst, ',')
	}
	w.started = true
	w.dst = appendString(w.dst, name)
	w.dst = append(w.dst, ':')
}

func (w *object) text(m member, value string) {
	w.name(memberNames[m])
	w.dst = appendString(w.dst, value)
}

func (w *object) integer(m member, value int64) {
	w.name(memberNames[m])
	w.dst = strconv.AppendInt(w.dst, value, 10)
}

func (w *object) boolean(m member, value bool) {
	w.name(memberNames[m])
	w.dst = strconv.AppendBool(w.dst, value)
}

func (w *object) instant(m member, value time.Time) {
	w.name(memberNames[m])
	w.dst = append(w.dst, '"')
	w.dst = value.UTC().AppendFormat(w.dst, time.RFC3339Nano)
	w.dst = append(w.dst, '"')
}

func (w *object) json(m member, value JSON) {
	w.name(memberNames[m])
	w.dst = appendJSON(w.dst, value)
}

func (w *object) names(m member, list []string) {
	w.name(memberNames[m])
	w.dst = appendNames(w.dst, list)
}

func (w *object) publicError(failure *PublicError) {
	w.name(memberNames[memberError])
	w.dst = append(w.dst, `{"kind":`...)
	w.dst = appendString(w.dst, failure.Kind.String())
	w.dst = append(w.dst, `,"message":`...)
	w.dst = appendString(w.dst, failure.Message)
	w.dst = append(w.dst, '}')
}

// body writes the members of the shape, the optional ones where they are there.
func (w *object) body(b *Body, sh *shape) {
	for todo := sh.required | sh.optional; todo != 0; todo &= todo - 1 {
		m := member(bits.TrailingZeros64(uint64(todo)))
		if sh.required.has(m) || b.has(m) {
			w.member(b, sh, m)
		}
	}
}

// has tells whether an optional member is there.
func (b *Body) has(m member) bool {
	switch m {
	case memberID:
		return b.ID != ""
	case memberSeq:
		return b.Seq != 0
	case memberNodeID:
		return b.NodeID != ""
	case memberSubgraphPath:
		return len(b.SubgraphPath) > 0
	case memberActivation:
		return b.Activation != ""
	case memberIteration:
		return b.Iteration != 0
	case memberAt:
		return !b.At.IsZero()
	case memberMessageID:
		return b.MessageID != ""
	case memberContent:
		return b.HasContent || b.Content != ""
	case memberReasoning:
		return b.HasReasoning || b.Reasoning != ""
	case memberFormat:
		return b.Format != 0
	case memberPromoted:
		return b.HasPromoted || b.Promoted
	case memberKey:
		return b.HasKey || b.Key != ""
	case memberLinks:
		return b.Links != ""
	case memberFromPort:
		return b.HasFromPort || b.FromPort != ""
	case memberError:
		return b.Error != nil
	case memberUsage:
		return b.Usage != nil
	case memberRetryable:
		return b.Retryable
	}
	return false
}

func (w *object) member(b *Body, sh *shape, m member) {
	switch m {
	case memberID:
		w.text(m, b.ID)
	case memberSeq:
		w.integer(m, b.Seq)
	case memberNodeID:
		w.text(m, b.NodeID)
	case memberSubgraphPath:
		w.names(m, b.SubgraphPath)
	case memberActivation:
		w.text(m, b.Activation)
	case memberIteration:
		w.integer(m, int64(b.Iteration))
	case memberAt:
		w.instant(m, b.At)
	case memberRunID:
		w.text(m, b.RunID)
	case memberConversationID:
		w.text(m, b.ConversationID)
	case memberAgentID:
		w.text(m, b.AgentID)
	case memberAgentVersion:
		w.integer(m, int64(b.AgentVersion))
	case memberKind:
		w.text(m, b.Kind)
	case memberMessageID:
		w.text(m, b.MessageID)
	case memberContent:
		w.text(m, b.Content)
	case memberReasoning:
		w.text(m, b.Reasoning)
	case memberName:
		w.text(m, b.Name)
	case memberDelta:
		w.text(m, b.Delta)
	case memberValue:
		w.json(m, b.Value)
	case memberFormat:
		w.text(m, b.Format.String())
	case memberStatus:
		if sh.statuses == 0 {
			w.text(m, b.ValueStatus.String())
		} else {
			w.text(m, b.Status.String())
		}
	case memberComplete:
		w.boolean(m, b.Complete)
	case memberPromoted:
		w.boolean(m, b.Promoted)
	case memberToolCallID:
		w.text(m, b.ToolCallID)
	case memberToolName:
		w.text(m, b.ToolName)
	case memberInput:
		w.text(m, b.Input)
	case memberOutput:
		w.text(m, b.Output)
	case memberRequiresClientResponse:
		w.boolean(m, b.RequiresClientResponse)
	case memberTable:
		w.text(m, b.Table)
	case memberRowID:
		w.text(m, b.RowID)
	case memberKey:
		w.text(m, b.Key)
	case memberLinks:
		w.json(m, b.Links)
	case memberFrom:
		w.text(m, b.From)
	case memberFromPort:
		w.text(m, b.FromPort)
	case memberTo:
		w.text(m, b.To)
	case memberError:
		w.publicError(b.Error)
	case memberUsage:
		w.usage(b.Usage)
	case memberRetryable:
		w.boolean(m, b.Retryable)
	}
}

func (w *object) usage(u *Usage) {
	w.name(memberNames[memberUsage])
	w.dst = append(w.dst, `{"prompt_tokens":`...)
	w.dst = strconv.AppendInt(w.dst, u.PromptTokens, 10)
	w.dst = append(w.dst, `,"completion_tokens":`...)
	w.dst = strconv.AppendInt(w.dst, u.CompletionTokens, 10)
	w.dst = append(w.dst, `,"reasoning_tokens":`...)
	w.dst = strconv.AppendInt(w.dst, u.ReasoningTokens, 10)
	w.dst = append(w.dst, '}')
}

// appendString appends a JSON string; invalid UTF-8 is written as U+FFFD, which the error would tell.
func appendString(dst []byte, value string) []byte {
	dst, _ = jsontext.AppendQuote(dst, value)
	return dst
}

func appendNames(dst []byte, list []string) []byte {
	dst = append(dst, '[')
	for i, name := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendString(dst, name)
	}
	return append(dst, ']')
}

func appendJSON(dst []byte, value JSON) []byte {
	if value == "" {
		return append(dst, "null"...)
	}
	return append(dst, value...)
}
