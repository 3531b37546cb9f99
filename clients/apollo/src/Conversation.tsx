// #region react
import type { ApolloClient } from '@apollo/client';
import { useApolloClient, useFragment, useMutation, useSubscription } from '@apollo/client/react';
import { memo, useEffect, useState } from 'react';

import { followRows } from './client.js';
import * as gql from './gql/graphql.js';

const Row = memo(({ row }: { row: gql.RowFragment }) => ('content' in row ? <p>{row.content}</p> : <small>{row.type}</small>));

/** The rows of a conversation, by rowChanges: only those that changed are rendered. */
export function Conversation({ id }: { id: string }) {
  const client: ApolloClient = useApolloClient();
  const [rows, setRows] = useState<readonly gql.RowFragment[]>([]);
  useEffect(() => followRows(client, id, setRows, console.error), [client, id]);
  return rows.map((row, i) => <Row key={row.id ?? i} row={row} />);
}

/** What waits for the user. */
export function Pending({ id }: { id: string }) {
  const { data, error } = useSubscription(gql.ChatDocument, { variables: { id }, context: { queryDeduplication: false } });
  const [submit] = useMutation(gql.SubmitToolResultDocument);
  if (error) return <p role="alert">{error.message}</p>;
  return data?.chat.pendingTools.map(({ toolCallId, toolName }) => (
    <button key={toolCallId} onClick={() => submit({ variables: { input: { conversationId: id, toolCallId, output: { approved: true } } } })}>
      {toolName}
    </button>
  ));
}

/** A row as the cache has it, whichever subscription brought it. */
export function CachedRow({ id }: { id: string }) {
  const { data, complete } = useFragment({
    fragment: gql.RowFragmentDoc, fragmentName: 'Row', from: { __typename: 'AssistantRow', id },
  });
  return complete ? <Row row={data} /> : null;
}
// #endregion
