// #region react
import { memo, useEffect, useState } from 'react';
import { useMutation, useSubscription } from 'urql';

import type { open } from './client.js';
import * as gql from './gql/graphql.js';

const Row = memo(({ row }: { row: gql.RowFragment }) => ('content' in row ? <p>{row.content}</p> : <small>{row.type}</small>));

/** The rows of a conversation, by rowChanges: only those that changed are rendered. */
export function Conversation({ opened, id }: { opened: ReturnType<typeof open>; id: string }) {
  const [rows, setRows] = useState<readonly gql.RowFragment[]>([]);
  useEffect(() => opened.followRows(id, setRows, console.error), [opened, id]);
  return rows.map((row, i) => <Row key={row.id ?? i} row={row} />);
}

/** What waits for the user, under urql's own Provider. One of these for a conversation: a second joins the first's subscription late. */
export function Pending({ id }: { id: string }) {
  const [{ data, error }] = useSubscription({ query: gql.ChatDocument, variables: { id } });
  const [, submit] = useMutation(gql.SubmitToolResultDocument);
  if (error) return <p role="alert">{error.message}</p>;
  return data?.chat.pendingTools.map(({ toolCallId, toolName }) => (
    <button key={toolCallId} onClick={() => submit({ input: { conversationId: id, toolCallId, output: { approved: true } } })}>
      {toolName}
    </button>
  ));
}
// #endregion
