// urql: HTTP for queries and mutations, the socket for subscriptions, and Graphcache, which knows rows and cards.
import { Client, CombinedError, createRequest, fetchExchange, subscriptionExchange, type OperationResult, type TypedDocumentNode } from '@urql/core';
import { authExchange } from '@urql/exchange-auth';
import { cacheExchange } from '@urql/exchange-graphcache';
import { print, type GraphQLFormattedError } from 'graphql';
import { applyRowChanges, noRows, RowChangesError, type Rows } from 'inlaygraph-rows';

import * as gql from './gql/graphql.js';
import schema from './gql/introspection.js';
import { connect, keepToken } from './socket.js';

// #region cache
const all = <Key>(key: Key, ...types: string[]) => Object.fromEntries(types.map((type) => [type, key]));
const by = (field: string) => (data: Record<string, unknown>) => (data[field] as string | null | undefined) ?? null;

export const newCache = () => cacheExchange({
  schema,
  keys: {
    ...all(by('id'), 'UserRow', 'AssistantRow', 'OutputRow', 'ToolCallRow', 'ToolResultRow'), // without an id: where it stands
    ...all(by('key'), 'FanOutRow', 'SubagentRow', 'RepeatRow'),
    ...all(() => null, 'ChatSnapshot', 'Capabilities', 'PendingToolCall', 'Feed', 'FeedEntry', 'SendPayload', 'ConversationPayload'),
  },
});
// #endregion

type Show<T> = (value: T) => void;
type Failed = (error: unknown) => void;

export function open(url: string, fetchToken: () => Promise<string>) {
  // #region client
  const tokens = keepToken(fetchToken);
  const socket = connect(url, tokens);

  const client = new Client({
    url,
    preferGetMethod: false,
    exchanges: [
      newCache(),
      authExchange(async ({ appendHeaders }) => {
        let token = await tokens.get().catch(() => ''); // a login that fails here would block the client for good
        return {
          addAuthToOperation: (operation) => appendHeaders(operation, { Authorization: `Bearer ${token}` }),
          didAuthError: (error) => codeOf(error) === 'UNAUTHENTICATED',
          async refreshAuth() {
            tokens.forget();
            token = await tokens.get();
          },
        };
      }),
      fetchExchange,
      subscriptionExchange({
        forwardSubscription: ({ query = '', variables = {} }) => ({
          subscribe: (sink) => ({ unsubscribe: socket.subscribe({ query, variables }, sink) }),
        }),
      }),
    ],
  });
  // #endregion

  // #region watch
  let subscriptions = 0;
  /** Each subscriber has a key of its own: one that joins another's subscription hears nothing until the next change. */
  function watch<Data, Variables extends Record<string, unknown>>(
    document: TypedDocumentNode<Data, Variables>, variables: Variables, next: (data: Data) => void, failed: Failed,
  ) {
    const request = { ...createRequest(document, variables), key: --subscriptions };
    const { unsubscribe } = client.executeSubscription<Data, Variables>(request)
      .subscribe(({ data, error }) => (error ? failed(error) : data && next(data)));
    return unsubscribe;
  }
  // #endregion

  return {
    client,

    async timeline(id: string) {
      const { conversation } = wanted(await client.query(gql.TimelineDocument, { id }, { requestPolicy: 'network-only' }));
      return conversation.timeline;
    },

    async send(agentId: string, content: string) {
      const input = { agentId, content, clientRequestId: crypto.randomUUID() };
      return wanted(await client.mutation(gql.SendDocument, { input })).send.conversation.id;
    },

    async answer(conversationId: string, toolCallId: string, output: unknown) {
      wanted(await client.mutation(gql.SubmitToolResultDocument, { input: { conversationId, toolCallId, output } }));
    },

    watchChat: (id: string, show: Show<Chat>, failed: Failed) =>
      watch(gql.ChatDocument, { id }, ({ chat }) => show({ ...chat, ...chat.capabilities }), failed),

    watchFeed: (id: string, pin: gql.AgentPin, show: Show<gql.FeedSubscription['feed']>, failed: Failed) =>
      watch(gql.FeedDocument, { id, pin }, ({ feed }) => show(feed), failed),

    // #region follow
    /** Operations are of use in their order alone: they go by the socket itself and pass the cache by. */
    followRows(id: string, show: Show<readonly gql.RowFragment[]>, failed: Failed) {
      let state: Rows<gql.RowFragment> = noRows;
      let stop = () => {};
      const begin = () => {
        const variables = { id, get after() { return state.cursor; } }; // read again at each connection
        stop = socket.subscribe<gql.RowChangesSubscription>({ query: print(gql.RowChangesDocument), variables }, {
          next({ data, errors }) {
            if (errors || !data) return failed(refused(errors));
            try {
              state = applyRowChanges(state, data.rowChanges);
              show(state.rows);
            } catch (err) {
              if (!(err instanceof RowChangesError)) throw err;
              stop(); // what is here is not what the server takes it for: begin with a reset
              state = noRows;
              begin();
            }
          },
          error: (err) => failed(Array.isArray(err) ? refused(err) : err),
          complete() {},
        });
      };
      begin();
      return () => stop();
    },
    // #endregion

    close: () => socket.dispose(),
  };
}

type Chat = gql.ChatSubscription['chat'] & { canSend: boolean };

function wanted<Data>({ data, error }: OperationResult<Data>): Data {
  if (error || !data) throw error ?? new Error('no answer');
  return data;
}

const refused = (errors: readonly GraphQLFormattedError[] = []) => new CombinedError({ graphQLErrors: [...errors] });

export const codeOf = (error: unknown) =>
  error instanceof CombinedError ? String(error.graphQLErrors[0]?.extensions['code']) : undefined;
