/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
/**
 * The agent and the version that a client was made for. Rows are grouped into cards only where the conversation ran exactly
 * these.
 */
export type AgentPin = {
  /** The agent. */
  agentId: string;
  /** Its version, from 1. With null, and with the draft 0, the pin never holds. */
  agentVersion?: number | null | undefined;
};

/** How the agent's author meant a streamed artifact to be shown. */
export type ArtifactFormat =
  /** Source code. */
  | 'CODE'
  /** HTML. It was written by a model: never render it without a sandbox. */
  | 'HTML'
  /** A list of items. */
  | 'LIST'
  /** Markdown. */
  | 'MARKDOWN'
  /** Plain text. */
  | 'TEXT';

/** Whether a published value is still being made. */
export type BindingStatus =
  /** The value is still arriving; what is there now is the part that came so far. */
  | 'BUILDING'
  /** The value has settled. */
  | 'FINAL';

/**
 * Where a branch of a fan-out stands. It is the standing of the branch's entry node alone; nodes behind it may still be at
 * work.
 */
export type BranchStatus =
  /** The entry node finished. */
  | 'DONE'
  /** The entry node failed or was cancelled. */
  | 'FAILED'
  /** The entry node is at work. */
  | 'RUNNING'
  /** Nothing is known of the entry node. */
  | 'UNKNOWN';

/** Where a conversation stands: the one lifecycle answer. */
export type ChatStatus =
  /** The run waits until the client has answered a tool call. */
  | 'AWAITING_CLIENT_TOOL'
  /** The run was cancelled. */
  | 'CANCELLED'
  /** The run ended well. */
  | 'COMPLETED'
  /** The run ended in failure; error and retryable say more. */
  | 'FAILED'
  /** Nothing was seen of the conversation yet. */
  | 'IDLE'
  /** The run stands still and can go on. */
  | 'PAUSED'
  /** A run is under way. */
  | 'STREAMING';

/** How a feed was made. */
export type FeedMode =
  /** The pin holds: rows are grouped into cards. */
  | 'COMPOSED'
  /**
   * The pin does not hold, and reason says why: the whole timeline, rows of subgraphs included, without cards. Nothing is left
   * out.
   */
  | 'FLAT_GUARDED'
  /** No pin was given: the rows of the top level, without cards. */
  | 'FLAT_UNPINNED';

/** Where one node's current visit stands. */
export type NodeRunStatus =
  /** The node was cancelled, by itself or because its run stopped. */
  | 'CANCELLED'
  /** The node finished. */
  | 'COMPLETED'
  /** The node failed. */
  | 'FAILED'
  /** The node is at work. */
  | 'RUNNING';

/** How a repeating node goes through its tracks. */
export type RepeatMode =
  /** All at once: the samples of an ensemble. */
  | 'PARALLEL'
  /** One after the other: the items of a for-each. */
  | 'SEQUENTIAL';

/** A text field of a row that can grow. */
export type RowTextField =
  /** content of an assistant row. */
  | 'CONTENT'
  /** reasoning of an assistant row. A null one grows from the empty text. */
  | 'REASONING'
  /** value of an output row that is a string. */
  | 'VALUE';

/** A message to an agent. */
export type SendInput = {
  /** The agent. To go on with a conversation it is the conversation's own; another is BAD_USER_INPUT. */
  agentId: string;
  /** The agent's version, from 0; 0 is the draft. Null: the platform chooses. */
  agentVersion?: number | null | undefined;
  /**
   * Names this attempt to send, in 1 to 256 bytes, so that it can be repeated: for 10 minutes the same id of the same user sends
   * nothing again and answers the same; with another message it is CONFLICT. Null: nothing is remembered, and each call sends.
   */
  clientRequestId?: string | null | undefined;
  /** What the user says: from 1 byte of UTF-8 to 256 KiB, unless the server is set up for less or more. */
  content: string;
  /** The conversation to go on with; one that is over is replaced by a new one. Null: begin a new one. */
  conversationId?: string | null | undefined;
};

/** The result of a tool that the client ran. */
export type ToolResultInput = {
  /** The conversation's id. */
  conversationId: string;
  /**
   * What the tool returned. A string is sent as it is, anything else as its JSON text: numbers as they were spelled, members by
   * name; at most 256 KiB of either, unless the server is set up for less or more. When the tool failed this says so: a failure is
   * delivered as the output too.
   */
  output: unknown;
  /** The call that this answers, as pendingTools has it. An unknown one is BAD_USER_INPUT. */
  toolCallId: string;
};

type Row_AssistantRow_Fragment = { __typename: 'AssistantRow', content: string, reasoning: string | null, complete: boolean, id: string | null, type: string, path: Array<string> | null };

type Row_OutputRow_Fragment = { __typename: 'OutputRow', name: string, value: unknown, status: BindingStatus, format: ArtifactFormat | null, complete: boolean, id: string | null, type: string, path: Array<string> | null };

type Row_ToolCallRow_Fragment = { __typename: 'ToolCallRow', toolCallId: string, toolName: string, input: string, id: string | null, type: string, path: Array<string> | null };

type Row_ToolResultRow_Fragment = { __typename: 'ToolResultRow', toolCallId: string, output: string, id: string | null, type: string, path: Array<string> | null };

type Row_UserRow_Fragment = { __typename: 'UserRow', content: string, id: string | null, type: string, path: Array<string> | null };

export type RowFragment =
  | Row_AssistantRow_Fragment
  | Row_OutputRow_Fragment
  | Row_ToolCallRow_Fragment
  | Row_ToolResultRow_Fragment
  | Row_UserRow_Fragment
;

type FeedRow_AssistantRow_Fragment = { __typename: 'AssistantRow', content: string, reasoning: string | null, complete: boolean, id: string | null, type: string, path: Array<string> | null };

type FeedRow_FanOutRow_Fragment = { __typename: 'FanOutRow', key: string, type: string, nodeName: string | null, hasEarlier: boolean, branchStatus: Array<BranchStatus> | null };

type FeedRow_OutputRow_Fragment = { __typename: 'OutputRow', name: string, value: unknown, status: BindingStatus, format: ArtifactFormat | null, complete: boolean, id: string | null, type: string, path: Array<string> | null };

type FeedRow_RepeatRow_Fragment = { __typename: 'RepeatRow', key: string, type: string, nodeName: string | null, hasEarlier: boolean, mode: RepeatMode, done: number, total: number | null };

type FeedRow_SubagentRow_Fragment = { __typename: 'SubagentRow', key: string, type: string, nodeName: string | null, hasEarlier: boolean, nodeStatus: NodeRunStatus | null, runningCount: number | null, doneCount: number | null, failedCount: number | null };

type FeedRow_ToolCallRow_Fragment = { __typename: 'ToolCallRow', toolCallId: string, toolName: string, input: string, id: string | null, type: string, path: Array<string> | null };

type FeedRow_ToolResultRow_Fragment = { __typename: 'ToolResultRow', toolCallId: string, output: string, id: string | null, type: string, path: Array<string> | null };

type FeedRow_UserRow_Fragment = { __typename: 'UserRow', content: string, id: string | null, type: string, path: Array<string> | null };

export type FeedRowFragment =
  | FeedRow_AssistantRow_Fragment
  | FeedRow_FanOutRow_Fragment
  | FeedRow_OutputRow_Fragment
  | FeedRow_RepeatRow_Fragment
  | FeedRow_SubagentRow_Fragment
  | FeedRow_ToolCallRow_Fragment
  | FeedRow_ToolResultRow_Fragment
  | FeedRow_UserRow_Fragment
;

export type FeedSubscriptionVariables = Exact<{
  id: string;
  pin?: AgentPin | null | undefined;
}>;


export type FeedSubscription = { feed: { mode: FeedMode, reason: string | null, entries: Array<{ key: string, parent: string | null, track: number | null, iteration: number | null, row:
        | { __typename: 'AssistantRow', content: string, reasoning: string | null, complete: boolean, id: string | null, type: string, path: Array<string> | null }
        | { __typename: 'FanOutRow', key: string, type: string, nodeName: string | null, hasEarlier: boolean, branchStatus: Array<BranchStatus> | null }
        | { __typename: 'OutputRow', name: string, value: unknown, status: BindingStatus, format: ArtifactFormat | null, complete: boolean, id: string | null, type: string, path: Array<string> | null }
        | { __typename: 'RepeatRow', key: string, type: string, nodeName: string | null, hasEarlier: boolean, mode: RepeatMode, done: number, total: number | null }
        | { __typename: 'SubagentRow', key: string, type: string, nodeName: string | null, hasEarlier: boolean, nodeStatus: NodeRunStatus | null, runningCount: number | null, doneCount: number | null, failedCount: number | null }
        | { __typename: 'ToolCallRow', toolCallId: string, toolName: string, input: string, id: string | null, type: string, path: Array<string> | null }
        | { __typename: 'ToolResultRow', toolCallId: string, output: string, id: string | null, type: string, path: Array<string> | null }
        | { __typename: 'UserRow', content: string, id: string | null, type: string, path: Array<string> | null }
       }> } };

export type TimelineQueryVariables = Exact<{
  id: string;
}>;


export type TimelineQuery = { conversation: { id: string, timeline: Array<
      | { __typename: 'AssistantRow', content: string, reasoning: string | null, complete: boolean, id: string | null, type: string, path: Array<string> | null }
      | { __typename: 'OutputRow', name: string, value: unknown, status: BindingStatus, format: ArtifactFormat | null, complete: boolean, id: string | null, type: string, path: Array<string> | null }
      | { __typename: 'ToolCallRow', toolCallId: string, toolName: string, input: string, id: string | null, type: string, path: Array<string> | null }
      | { __typename: 'ToolResultRow', toolCallId: string, output: string, id: string | null, type: string, path: Array<string> | null }
      | { __typename: 'UserRow', content: string, id: string | null, type: string, path: Array<string> | null }
    > } };

export type ChatSubscriptionVariables = Exact<{
  id: string;
}>;


export type ChatSubscription = { chat: { status: ChatStatus, capabilities: { canSend: boolean }, pendingTools: Array<{ toolCallId: string, toolName: string, args: unknown }> } };

export type RowChangesSubscriptionVariables = Exact<{
  id: string;
  path?: Array<string> | string | null | undefined;
  after?: string | null | undefined;
}>;


export type RowChangesSubscription = { rowChanges: { cursor: string, ops: Array<
      | { __typename: 'RowInserted', index: number, row:
          | { __typename: 'AssistantRow', content: string, reasoning: string | null, complete: boolean, id: string | null, type: string, path: Array<string> | null }
          | { __typename: 'OutputRow', name: string, value: unknown, status: BindingStatus, format: ArtifactFormat | null, complete: boolean, id: string | null, type: string, path: Array<string> | null }
          | { __typename: 'ToolCallRow', toolCallId: string, toolName: string, input: string, id: string | null, type: string, path: Array<string> | null }
          | { __typename: 'ToolResultRow', toolCallId: string, output: string, id: string | null, type: string, path: Array<string> | null }
          | { __typename: 'UserRow', content: string, id: string | null, type: string, path: Array<string> | null }
         }
      | { __typename: 'RowRemoved', index: number }
      | { __typename: 'RowReplaced', index: number, row:
          | { __typename: 'AssistantRow', content: string, reasoning: string | null, complete: boolean, id: string | null, type: string, path: Array<string> | null }
          | { __typename: 'OutputRow', name: string, value: unknown, status: BindingStatus, format: ArtifactFormat | null, complete: boolean, id: string | null, type: string, path: Array<string> | null }
          | { __typename: 'ToolCallRow', toolCallId: string, toolName: string, input: string, id: string | null, type: string, path: Array<string> | null }
          | { __typename: 'ToolResultRow', toolCallId: string, output: string, id: string | null, type: string, path: Array<string> | null }
          | { __typename: 'UserRow', content: string, id: string | null, type: string, path: Array<string> | null }
         }
      | { __typename: 'RowTextAppended', index: number, field: RowTextField, offset: number, text: string }
      | { __typename: 'RowsReset', rows: Array<
          | { __typename: 'AssistantRow', content: string, reasoning: string | null, complete: boolean, id: string | null, type: string, path: Array<string> | null }
          | { __typename: 'OutputRow', name: string, value: unknown, status: BindingStatus, format: ArtifactFormat | null, complete: boolean, id: string | null, type: string, path: Array<string> | null }
          | { __typename: 'ToolCallRow', toolCallId: string, toolName: string, input: string, id: string | null, type: string, path: Array<string> | null }
          | { __typename: 'ToolResultRow', toolCallId: string, output: string, id: string | null, type: string, path: Array<string> | null }
          | { __typename: 'UserRow', content: string, id: string | null, type: string, path: Array<string> | null }
        > }
    > } };

export type SendMutationVariables = Exact<{
  input: SendInput;
}>;


export type SendMutation = { send: { fresh: boolean, conversation: { id: string } } };

export type SubmitToolResultMutationVariables = Exact<{
  input: ToolResultInput;
}>;


export type SubmitToolResultMutation = { submitToolResult: { conversation: { id: string } } };

export class TypedDocumentString<TResult, TVariables>
  extends String
  implements DocumentTypeDecoration<TResult, TVariables>
{
  __apiType?: NonNullable<DocumentTypeDecoration<TResult, TVariables>['__apiType']>;
  private value: string;
  public __meta__?: Record<string, any> | undefined;

  constructor(value: string, __meta__?: Record<string, any> | undefined) {
    super(value);
    this.value = value;
    this.__meta__ = __meta__;
  }

  override toString(): string & DocumentTypeDecoration<TResult, TVariables> {
    return this.value;
  }
}
export const RowFragmentDoc = new TypedDocumentString(`
    fragment Row on Row {
  __typename
  id
  type
  path
  ... on UserRow {
    content
  }
  ... on AssistantRow {
    content
    reasoning
    complete
  }
  ... on OutputRow {
    name
    value
    status
    format
    complete
  }
  ... on ToolCallRow {
    toolCallId
    toolName
    input
  }
  ... on ToolResultRow {
    toolCallId
    output
  }
}
    `, {"fragmentName":"Row"}) as unknown as TypedDocumentString<RowFragment, unknown>;
export const FeedRowFragmentDoc = new TypedDocumentString(`
    fragment FeedRow on FeedRow {
  ... on Row {
    ...Row
  }
  ... on CompositeRow {
    __typename
    key
    type
    nodeName
    hasEarlier
  }
  ... on FanOutRow {
    branchStatus
  }
  ... on SubagentRow {
    nodeStatus
    runningCount
    doneCount
    failedCount
  }
  ... on RepeatRow {
    mode
    done
    total
  }
}
    fragment Row on Row {
  __typename
  id
  type
  path
  ... on UserRow {
    content
  }
  ... on AssistantRow {
    content
    reasoning
    complete
  }
  ... on OutputRow {
    name
    value
    status
    format
    complete
  }
  ... on ToolCallRow {
    toolCallId
    toolName
    input
  }
  ... on ToolResultRow {
    toolCallId
    output
  }
}`, {"fragmentName":"FeedRow"}) as unknown as TypedDocumentString<FeedRowFragment, unknown>;
export const FeedDocument = new TypedDocumentString(`
    subscription Feed($id: ID!, $pin: AgentPin) {
  feed(conversationId: $id, pin: $pin, minIntervalMs: 200) {
    mode
    reason
    entries {
      key
      parent
      track
      iteration
      row {
        ...FeedRow
      }
    }
  }
}
    fragment Row on Row {
  __typename
  id
  type
  path
  ... on UserRow {
    content
  }
  ... on AssistantRow {
    content
    reasoning
    complete
  }
  ... on OutputRow {
    name
    value
    status
    format
    complete
  }
  ... on ToolCallRow {
    toolCallId
    toolName
    input
  }
  ... on ToolResultRow {
    toolCallId
    output
  }
}
fragment FeedRow on FeedRow {
  ... on Row {
    ...Row
  }
  ... on CompositeRow {
    __typename
    key
    type
    nodeName
    hasEarlier
  }
  ... on FanOutRow {
    branchStatus
  }
  ... on SubagentRow {
    nodeStatus
    runningCount
    doneCount
    failedCount
  }
  ... on RepeatRow {
    mode
    done
    total
  }
}`) as unknown as TypedDocumentString<FeedSubscription, FeedSubscriptionVariables>;
export const TimelineDocument = new TypedDocumentString(`
    query Timeline($id: ID!) {
  conversation(id: $id) {
    id
    timeline {
      ...Row
    }
  }
}
    fragment Row on Row {
  __typename
  id
  type
  path
  ... on UserRow {
    content
  }
  ... on AssistantRow {
    content
    reasoning
    complete
  }
  ... on OutputRow {
    name
    value
    status
    format
    complete
  }
  ... on ToolCallRow {
    toolCallId
    toolName
    input
  }
  ... on ToolResultRow {
    toolCallId
    output
  }
}`) as unknown as TypedDocumentString<TimelineQuery, TimelineQueryVariables>;
export const ChatDocument = new TypedDocumentString(`
    subscription Chat($id: ID!) {
  chat(conversationId: $id) {
    status
    capabilities {
      canSend
    }
    pendingTools {
      toolCallId
      toolName
      args
    }
  }
}
    `) as unknown as TypedDocumentString<ChatSubscription, ChatSubscriptionVariables>;
export const RowChangesDocument = new TypedDocumentString(`
    subscription RowChanges($id: ID!, $path: [ID!], $after: String) {
  rowChanges(conversationId: $id, path: $path, after: $after, minIntervalMs: 100) {
    cursor
    ops {
      __typename
      ... on RowsReset {
        rows {
          ...Row
        }
      }
      ... on RowInserted {
        index
        row {
          ...Row
        }
      }
      ... on RowReplaced {
        index
        row {
          ...Row
        }
      }
      ... on RowRemoved {
        index
      }
      ... on RowTextAppended {
        index
        field
        offset
        text
      }
    }
  }
}
    fragment Row on Row {
  __typename
  id
  type
  path
  ... on UserRow {
    content
  }
  ... on AssistantRow {
    content
    reasoning
    complete
  }
  ... on OutputRow {
    name
    value
    status
    format
    complete
  }
  ... on ToolCallRow {
    toolCallId
    toolName
    input
  }
  ... on ToolResultRow {
    toolCallId
    output
  }
}`) as unknown as TypedDocumentString<RowChangesSubscription, RowChangesSubscriptionVariables>;
export const SendDocument = new TypedDocumentString(`
    mutation Send($input: SendInput!) {
  send(input: $input) {
    fresh
    conversation {
      id
    }
  }
}
    `) as unknown as TypedDocumentString<SendMutation, SendMutationVariables>;
export const SubmitToolResultDocument = new TypedDocumentString(`
    mutation SubmitToolResult($input: ToolResultInput!) {
  submitToolResult(input: $input) {
    conversation {
      id
    }
  }
}
    `) as unknown as TypedDocumentString<SubmitToolResultMutation, SubmitToolResultMutationVariables>;