package wire

// member names one member that some record type carries. The order is the order in which members are
// read, so it decides which of several faults is told, and it is the order in which they are written.
type member uint8

const (
	memberType member = iota
	memberOffset
	memberID
	memberSeq
	memberNodeID
	memberSubgraphPath
	memberActivation
	memberIteration
	memberAt
	memberRunID
	memberConversationID
	memberAgentID
	memberAgentVersion
	memberKind
	memberMessageID
	memberContent
	memberReasoning
	memberName
	memberDelta
	memberValue
	memberFormat
	memberStatus
	memberComplete
	memberPromoted
	memberToolCallID
	memberToolName
	memberInput
	memberOutput
	memberRequiresClientResponse
	memberTable
	memberRowID
	memberKey
	memberLinks
	memberFrom
	memberFromPort
	memberTo
	memberError
	memberUsage
	memberRetryable
	memberHasEarlier
	memberLastOffset
	memberTitle
	memberCreatedAt
	memberUpdatedAt
	memberWorkingSet
	memberCount
)

var memberNames = [memberCount]string{
	memberType:                   "type",
	memberOffset:                 "offset",
	memberID:                     "id",
	memberSeq:                    "seq",
	memberNodeID:                 "node_id",
	memberSubgraphPath:           "subgraph_path",
	memberActivation:             "activation",
	memberIteration:              "iteration",
	memberAt:                     "at",
	memberRunID:                  "run_id",
	memberConversationID:         "conversation_id",
	memberAgentID:                "agent_id",
	memberAgentVersion:           "agent_version",
	memberKind:                   "kind",
	memberMessageID:              "message_id",
	memberContent:                "content",
	memberReasoning:              "reasoning",
	memberName:                   "name",
	memberDelta:                  "delta",
	memberValue:                  "value",
	memberFormat:                 "format",
	memberStatus:                 "status",
	memberComplete:               "complete",
	memberPromoted:               "promoted",
	memberToolCallID:             "tool_call_id",
	memberToolName:               "tool_name",
	memberInput:                  "input",
	memberOutput:                 "output",
	memberRequiresClientResponse: "requires_client_response",
	memberTable:                  "table",
	memberRowID:                  "row_id",
	memberKey:                    "key",
	memberLinks:                  "links",
	memberFrom:                   "from",
	memberFromPort:               "from_port",
	memberTo:                     "to",
	memberError:                  "error",
	memberUsage:                  "usage",
	memberRetryable:              "retryable",
	memberHasEarlier:             "has_earlier",
	memberLastOffset:             "last_offset",
	memberTitle:                  "title",
	memberCreatedAt:              "created_at",
	memberUpdatedAt:              "updated_at",
	memberWorkingSet:             "working_set",
}

// membersByLength finds a member by the length of its name first: a handful of candidates at most.
var membersByLength = func() (byLength [32][]member) {
	for m, name := range memberNames {
		byLength[len(name)] = append(byLength[len(name)], member(m))
	}
	return byLength
}()

// memberOf answers the member of that name; false when no record type has one.
func memberOf(name []byte) (member, bool) {
	if len(name) >= len(membersByLength) {
		return 0, false
	}
	for _, m := range membersByLength[len(name)] {
		if memberNames[m] == string(name) {
			return m, true
		}
	}
	return 0, false
}

// members is a set of members.
type members uint64

func setOf(list ...member) (set members) {
	for _, m := range list {
		set |= 1 << m
	}
	return set
}

func (s members) has(m member) bool { return s&(1<<m) != 0 }

// statuses is a set of lifecycle words.
type statuses uint8

func statusesOf(list ...Status) (set statuses) {
	for _, s := range list {
		set |= 1 << s
	}
	return set
}

func (s statuses) has(status Status) bool { return s&(1<<status) != 0 }

// shape says which members a record type has. A member outside both sets is ignored, as unknown ones are.
type shape struct {
	required members
	optional members
	// statuses are the lifecycle words `status` may take; none: `status` is a binding status.
	statuses statuses
}

var (
	// spine is what every frame and row may carry but those of the user's turn, which never has a node.
	spine = setOf(memberNodeID, memberSubgraphPath, memberActivation, memberIteration, memberAt)

	ended  = statusesOf(Completed, Failed, Cancelled)
	halted = statusesOf(Paused, AwaitingClientTool)
	anyOf  = ended | halted | statusesOf(Running)
)

// frameShapes is the table of docs/wire.md, "Live frames". `id` and `seq` are optional wherever a frame
// has them: servers that predate them leave them out.
var frameShapes = [...]shape{
	RunStart: {
		required: setOf(memberRunID, memberConversationID, memberAgentID, memberAgentVersion),
		optional: spine,
	},
	UserMessage: {
		required: setOf(memberContent),
		optional: setOf(memberID, memberSeq, memberAt),
	},
	NodeStart: {
		required: setOf(memberNodeID, memberKind),
		optional: spine | setOf(memberMessageID),
	},
	MessageDelta: {
		optional: spine | setOf(memberID, memberContent, memberReasoning),
	},
	MessageEnd: {
		optional: spine | setOf(memberID, memberSeq, memberContent, memberReasoning),
	},
	OutputDelta: {
		required: setOf(memberName, memberDelta),
		optional: spine | setOf(memberID, memberFormat, memberPromoted),
	},
	OutputSet: {
		required: setOf(memberName, memberValue, memberStatus, memberComplete),
		optional: spine | setOf(memberID, memberSeq, memberFormat, memberPromoted),
	},
	ToolCall: {
		required: setOf(memberToolCallID, memberToolName, memberInput, memberRequiresClientResponse),
		optional: spine | setOf(memberID, memberSeq),
	},
	ToolResult: {
		required: setOf(memberToolCallID, memberOutput),
		optional: spine | setOf(memberID, memberSeq),
	},
	TableRow: {
		required: setOf(memberTable, memberRowID, memberValue, memberStatus),
		optional: spine | setOf(memberKey, memberLinks),
	},
	TableDelete: {
		required: setOf(memberTable, memberRowID),
		optional: spine,
	},
	EdgeFired: {
		required: setOf(memberFrom, memberTo),
		optional: spine | setOf(memberSeq, memberFromPort),
	},
	NodeEnd: {
		required: setOf(memberNodeID, memberStatus),
		optional: spine | setOf(memberSeq, memberError, memberUsage),
		statuses: ended,
	},
	RunPause: {
		required: setOf(memberStatus),
		optional: spine,
		statuses: halted,
	},
	RunEnd: {
		required: setOf(memberStatus),
		optional: spine | setOf(memberError, memberRetryable),
		statuses: ended,
	},
}

// rowShapes is docs/wire.md, "Persisted rows": the members of the live frame, with `seq` always and `id`
// on any of them.
var rowShapes = [...]shape{
	RowUser:       rowShape(frameShapes[UserMessage]),
	RowAssistant:  rowShape(shape{required: setOf(memberContent), optional: spine | setOf(memberReasoning)}),
	RowOutput:     rowShape(frameShapes[OutputSet]),
	RowToolCall:   rowShape(frameShapes[ToolCall]),
	RowToolResult: rowShape(frameShapes[ToolResult]),
	RowNodeStart:  rowShape(frameShapes[NodeStart]),
	RowNodeEnd:    rowShape(frameShapes[NodeEnd]),
	RowEdge:       rowShape(frameShapes[EdgeFired]),
}

func rowShape(frame shape) shape {
	frame.required |= setOf(memberSeq)
	frame.optional |= setOf(memberID)
	return frame
}

// headShape is docs/wire.md, "The head".
var headShape = shape{
	required: setOf(memberConversationID, memberAgentID, memberAgentVersion, memberStatus),
	optional: setOf(memberRetryable, memberError, memberHasEarlier, memberLastOffset, memberTitle,
		memberCreatedAt, memberUpdatedAt, memberWorkingSet),
	statuses: anyOf,
}
