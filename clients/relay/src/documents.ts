import { graphql } from 'relay-runtime';

// #region row
export const rowFragment = graphql`
  fragment documents_row on Row @inline {
    __typename id type path
    ... on UserRow { content }
    ... on AssistantRow { content reasoning complete }
    ... on OutputRow { name value status format complete }
    ... on ToolCallRow { toolCallId toolName input }
    ... on ToolResultRow { toolCallId output }
  }
`;
// #endregion

export const timelineQuery = graphql`
  query documentsTimelineQuery($id: ID!) {
    conversation(id: $id) { id timeline { ...documents_row } }
  }
`;

export const chatSubscription = graphql`
  subscription documentsChatSubscription($id: ID!) {
    chat(conversationId: $id) {
      status
      capabilities { canSend }
      pendingTools { toolCallId toolName args }
    }
  }
`;

// #region feed
export const feedSubscription = graphql`
  subscription documentsFeedSubscription($id: ID!, $pin: AgentPin) {
    feed(conversationId: $id, pin: $pin, minIntervalMs: 200) {
      mode
      reason
      entries { key parent track iteration row { ...documents_feedRow } }
    }
  }
`;

export const feedRowFragment = graphql`
  fragment documents_feedRow on FeedRow @inline {
    __typename
    ... on Row { id }
    ...documents_row @alias(as: "item")
    ... on CompositeRow { key type nodeName hasEarlier }
    ... on FanOutRow { branchStatus }
    ... on SubagentRow { nodeStatus runningCount doneCount failedCount }
    ... on RepeatRow { mode done total }
  }
`;
// #endregion

// #region rowChanges
export const rowChangesSubscription = graphql`
  subscription documentsRowChangesSubscription($id: ID!, $path: [ID!], $after: String) @raw_response_type {
    rowChanges(conversationId: $id, path: $path, after: $after, minIntervalMs: 100) {
      cursor
      ops {
        __typename
        ... on RowsReset { rows { ...documents_row } }
        ... on RowInserted { index row { ...documents_row } }
        ... on RowReplaced { index row { ...documents_row } }
        ... on RowRemoved { index }
        ... on RowTextAppended { index field offset text }
      }
    }
  }
`;
// #endregion

export const sendMutation = graphql`
  mutation documentsSendMutation($input: SendInput!) {
    send(input: $input) { fresh conversation { id } }
  }
`;

export const submitMutation = graphql`
  mutation documentsSubmitMutation($input: ToolResultInput!) {
    submitToolResult(input: $input) { conversation { id } }
  }
`;
