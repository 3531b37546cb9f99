// Apollo Client 4: HTTP for queries and mutations, the socket for subscriptions, and a cache that knows rows and cards.
import { ApolloClient, ApolloLink, CombinedGraphQLErrors, HttpLink, InMemoryCache, type TypedDocumentNode } from '@apollo/client';
import { SetContextLink } from '@apollo/client/link/context';
import { ErrorLink } from '@apollo/client/link/error';
import { GraphQLWsLink } from '@apollo/client/link/subscriptions';
import { applyRowChanges, noRows, RowChangesError, type Rows } from 'inlaygraph-rows';

import * as gql from './gql/graphql.js';
import possibleTypes from './gql/possible-types.js';
import { connect, keepToken } from './socket.js';

// #region cache
export const newCache = () => new InMemoryCache({
  possibleTypes: possibleTypes.possibleTypes,
  typePolicies: {
    Row: { keyFields: ({ id }) => (id ? ['id'] : false) }, // a row without an id stays where it stands
    CompositeRow: { keyFields: ['key'] },
    FeedEntry: { keyFields: false },
    ChatSnapshot: { merge: true }, // parts of it that were read by different documents stay together
  },
});
// #endregion

type Show<T> = (value: T) => void;
type Failed = (error: unknown) => void;

export function open(url: string, fetchToken: () => Promise<string>) {
  // #region client
  const tokens = keepToken(fetchToken);
  const socket = connect(url, tokens);

  const authorized = new SetContextLink(async ({ headers }) => ({
    headers: { ...headers, Authorization: `Bearer ${await tokens.get()}` },
  }));
  const refreshed = new ErrorLink(({ error, operation, forward }) => {
    if (codeOf(error) !== 'UNAUTHENTICATED') return;
    tokens.forget();
    return forward(operation); // once more, with a fresh one
  });
  /** Reads `after` again at each connection, so that rowChanges goes on where it was. */
  const resumed = new ApolloLink((operation, forward) => {
    const { after } = operation.getContext() as { after?: () => string | null };
    if (after) operation.variables = { ...operation.variables, get after() { return after(); } };
    return forward(operation);
  });

  const client = new ApolloClient({
    cache: newCache(),
    link: ApolloLink.split(
      ({ operationType }) => operationType === 'subscription',
      resumed.concat(new GraphQLWsLink(socket)),
      ApolloLink.from([refreshed, authorized, new HttpLink({ uri: url })]),
    ),
  });
  // #endregion

  // #region watch
  /** Each subscriber has a subscription of its own: one that joins another's hears nothing until the next change. */
  function watch<Data, Variables extends Record<string, unknown>>(
    query: TypedDocumentNode<Data, Variables>, variables: Variables, next: (data: Data) => void, failed: Failed,
  ) {
    const subscription = client.subscribe<Data>({ query, variables, context: { queryDeduplication: false } })
      .subscribe(({ data, error }) => (error ? failed(error) : data && next(data)));
    return () => subscription.unsubscribe();
  }
  // #endregion

  return {
    client,

    async timeline(id: string) {
      const { data } = await client.query({ query: gql.TimelineDocument, variables: { id }, fetchPolicy: 'network-only' });
      return data!.conversation.timeline;
    },

    async send(agentId: string, content: string) {
      const input = { agentId, content, clientRequestId: crypto.randomUUID() };
      const { data } = await client.mutate({ mutation: gql.SendDocument, variables: { input } });
      return data!.send.conversation.id;
    },

    async answer(conversationId: string, toolCallId: string, output: unknown) {
      const input = { conversationId, toolCallId, output };
      await client.mutate({ mutation: gql.SubmitToolResultDocument, variables: { input } });
    },

    watchChat: (id: string, show: Show<Chat>, failed: Failed) =>
      watch(gql.ChatDocument, { id }, ({ chat }) => show({ ...chat, ...chat.capabilities }), failed),

    watchFeed: (id: string, pin: gql.AgentPin, show: Show<gql.FeedSubscription['feed']>, failed: Failed) =>
      watch(gql.FeedDocument, { id, pin }, ({ feed }) => show(feed), failed),

    followRows: (id: string, show: Show<readonly gql.RowFragment[]>, failed: Failed) => followRows(client, id, show, failed),

    async close() {
      client.stop();
      await socket.dispose();
    },
  };
}

// #region follow
/** Operations are of use in their order alone: they pass the cache by. */
export function followRows(client: ApolloClient, id: string, show: Show<readonly gql.RowFragment[]>, failed: Failed) {
  let state: Rows<gql.RowFragment> = noRows;
  const begin = () => client.subscribe({
    query: gql.RowChangesDocument,
    variables: { id },
    fetchPolicy: 'no-cache',
    context: { queryDeduplication: false, after: () => state.cursor },
  }).subscribe(({ data, error }) => {
    if (error) return failed(error);
    try {
      state = applyRowChanges(state, data!.rowChanges);
      show(state.rows);
    } catch (err) {
      if (!(err instanceof RowChangesError)) throw err;
      subscription.unsubscribe(); // what is here is not what the server takes it for: begin with a reset
      state = noRows;
      subscription = begin();
    }
  });
  let subscription = begin();
  return () => subscription.unsubscribe();
}
// #endregion

type Chat = gql.ChatSubscription['chat'] & { canSend: boolean };

export const codeOf = (error: unknown) =>
  CombinedGraphQLErrors.is(error) ? String(error.errors[0]?.extensions?.['code']) : undefined;
