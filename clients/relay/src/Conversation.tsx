// #region react
import { memo, useEffect, useMemo, useState } from 'react';
import { useMutation, useRelayEnvironment, useSubscription } from 'react-relay';

import type { documentsChatSubscription } from './__generated__/documentsChatSubscription.graphql.js';
import type { documentsSubmitMutation } from './__generated__/documentsSubmitMutation.graphql.js';
import { followRows, type Row as RowData } from './client.js';
import { chatSubscription, submitMutation } from './documents.js';

const Row = memo(({ row }: { row: RowData }) => ('content' in row ? <p>{row.content}</p> : <small>{row.type}</small>));

/** The rows of a conversation, by rowChanges: only those that changed are rendered. */
export function Conversation({ id }: { id: string }) {
  const environment = useRelayEnvironment();
  const [rows, setRows] = useState<readonly RowData[]>([]);
  useEffect(() => followRows(environment, id, setRows, console.error), [environment, id]);
  return rows.map((row, i) => <Row key={row.id ?? i} row={row} />);
}

/** What waits for the user. */
export function Pending({ id }: { id: string }) {
  const [chat, setChat] = useState<documentsChatSubscription['response']['chat']>();
  useSubscription<documentsChatSubscription>(useMemo(() => ({
    subscription: chatSubscription, variables: { id }, onNext: (data) => setChat(data?.chat), onError: console.error,
  }), [id]));
  const [submit] = useMutation<documentsSubmitMutation>(submitMutation);
  return chat?.pendingTools.map(({ toolCallId, toolName }) => (
    <button key={toolCallId} onClick={() => submit({ variables: { input: { conversationId: id, toolCallId, output: { approved: true } } } })}>
      {toolName}
    </button>
  ));
}
// #endregion
