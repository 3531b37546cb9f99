// Relay: HTTP for queries and mutations, the socket for subscriptions, and a store that knows rows and cards.
import {
  commitMutation, Environment, fetchQuery, getRequest, Network, Observable, readInlineData, RecordSource, requestSubscription, Store,
  type FetchFunction, type GraphQLResponse, type GraphQLTaggedNode, type MutationParameters, type OperationType, type SubscribeFunction,
} from 'relay-runtime';
import { applyRowChanges, noRows, RowChangesError, type RowChanges, type Rows } from 'inlaygraph-rows';

import type { documents_feedRow$key } from './__generated__/documents_feedRow.graphql.js';
import type { documents_row$data, documents_row$key } from './__generated__/documents_row.graphql.js';
import type { documentsChatSubscription } from './__generated__/documentsChatSubscription.graphql.js';
import type { documentsFeedSubscription } from './__generated__/documentsFeedSubscription.graphql.js';
import type { documentsRowChangesSubscription$rawResponse } from './__generated__/documentsRowChangesSubscription.graphql.js';
import type { documentsSendMutation } from './__generated__/documentsSendMutation.graphql.js';
import type { documentsSubmitMutation } from './__generated__/documentsSubmitMutation.graphql.js';
import type { documentsTimelineQuery } from './__generated__/documentsTimelineQuery.graphql.js';
import * as documents from './documents.js';
import { connect, keepToken } from './socket.js';

type Show<T> = (value: T) => void;
type Failed = (error: unknown) => void;

// #region store
const cards = new Set(['FanOutRow', 'SubagentRow', 'RepeatRow']);

/** What the store keeps a record under; null: under the place where it stands, as a row without an id. */
export function dataID({ id, key }: Record<string, unknown>, type: string) {
  if (id) return `${type}:${id}`;
  return cards.has(type) ? `${type}:${key}` : null;
}
// #endregion

export function open(url: string, fetchToken: () => Promise<string>) {
  // #region environment
  const tokens = keepToken(fetchToken);
  const socket = connect(url, tokens);

  async function post(query: string, variables: object, again = true): Promise<GraphQLResponse> {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${await tokens.get()}` },
      body: JSON.stringify({ query, variables }),
    });
    if (response.status !== 401 || !again) return response.json();
    tokens.forget();
    return post(query, variables, false);
  }
  const ask: FetchFunction = ({ text }, variables) => post(text!, variables);

  const subscribe: SubscribeFunction = ({ text }, variables) => Observable.create((sink) =>
    socket.subscribe({ query: text!, variables }, {
      next: (result) => sink.next(result as GraphQLResponse),
      error: (err) => sink.error(err instanceof Error ? err : Object.assign(new Error('refused'), { source: { errors: err } })),
      complete: () => sink.complete(),
    }));

  const environment = new Environment({
    network: Network.create(ask, subscribe),
    store: new Store(new RecordSource()),
    getDataID: dataID,
  });
  // #endregion

  // #region watch
  function watch<Operation extends OperationType>(
    subscription: GraphQLTaggedNode, variables: Operation['variables'], next: (data: Operation['response']) => void, failed: Failed,
  ) {
    const { dispose } = requestSubscription<Operation>(environment, {
      subscription, variables, onNext: (data) => data && next(data), onError: failed,
    });
    return dispose;
  }
  // #endregion

  return {
    environment,

    async timeline(id: string) {
      const data = await fetchQuery<documentsTimelineQuery>(environment, documents.timelineQuery, { id }).toPromise();
      return rowsOf(data!.conversation.timeline);
    },

    async send(agentId: string, content: string) {
      const input = { agentId, content, clientRequestId: crypto.randomUUID() };
      const { send } = await commit<documentsSendMutation>(environment, documents.sendMutation, { input });
      return send.conversation.id;
    },

    async answer(conversationId: string, toolCallId: string, output: unknown) {
      const input = { conversationId, toolCallId, output };
      await commit<documentsSubmitMutation>(environment, documents.submitMutation, { input });
    },

    watchChat: (id: string, show: Show<Chat>, failed: Failed) =>
      watch<documentsChatSubscription>(documents.chatSubscription, { id }, ({ chat }) => show({ ...chat, ...chat.capabilities }), failed),

    watchFeed: (id: string, pin: { agentId: string; agentVersion: number }, show: Show<Feed>, failed: Failed) =>
      watch<documentsFeedSubscription>(documents.feedSubscription, { id, pin }, ({ feed }) => show(feedOf(feed)), failed),

    followRows: (id: string, show: Show<readonly Row[]>, failed: Failed) => followRows(environment, id, show, failed),

    close: () => socket.dispose(),
  };
}

// #region follow
type Data = documentsRowChangesSubscription$rawResponse;
export type Row = Extract<Data['rowChanges']['ops'][number], { __typename: 'RowsReset' }>['rows'][number];

/** Operations are of use in their order alone: they come from the network and pass the store by. */
export function followRows(environment: Environment, id: string, show: Show<readonly Row[]>, failed: Failed) {
  const request = getRequest(documents.rowChangesSubscription).params;
  let state: Rows<Row> = noRows;
  const begin = () => {
    const variables = { id, get after() { return state.cursor; } }; // read again at each connection
    return environment.getNetwork().execute(request, variables, { force: true }).subscribe({
      next(payload) {
        const { data, errors } = payload as unknown as { data?: Data; errors?: unknown };
        if (errors || !data) return failed({ source: { errors } });
        try {
          state = applyRowChanges(state, data.rowChanges as RowChanges<Row>);
          show(state.rows);
        } catch (err) {
          if (!(err instanceof RowChangesError)) throw err;
          following.unsubscribe(); // what is here is not what the server takes it for: begin with a reset
          state = noRows;
          following = begin();
        }
      },
      error: failed,
    });
  };
  let following = begin();
  return () => following.unsubscribe();
}
// #endregion

type Chat = documentsChatSubscription['response']['chat'] & { canSend: boolean };
type Feed = ReturnType<typeof feedOf>;

const rowsOf = (rows: readonly documents_row$key[]): readonly documents_row$data[] =>
  rows.map((row) => readInlineData(documents.rowFragment, row));

function feedOf({ entries, ...feed }: documentsFeedSubscription['response']['feed']) {
  return { ...feed, entries: entries.map(({ row, ...entry }) => ({ ...entry, row: itemOf(row) })) };
}

function itemOf(row: documents_feedRow$key) {
  const { item, ...card } = readInlineData(documents.feedRowFragment, row);
  return item ? { ...card, ...readInlineData<documents_row$key>(documents.rowFragment, item) } : card;
}

function commit<Mutation extends MutationParameters>(environment: Environment, mutation: GraphQLTaggedNode, variables: Mutation['variables']) {
  return new Promise<Mutation['response']>((resolve, reject) => commitMutation<Mutation>(environment, {
    mutation, variables, onError: reject,
    onCompleted: (data, errors) => (errors ? reject({ source: { errors } }) : resolve(data)),
  }));
}

/** Relay's errors carry the answer as their source. */
export const codeOf = (error: unknown) =>
  (error as { source?: { errors?: { extensions?: { code?: string } }[] } }).source?.errors?.[0]?.extensions?.code;
