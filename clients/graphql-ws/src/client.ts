// graphql-ws for subscriptions, fetch for queries and mutations, and no cache.
import type { GraphQLFormattedError } from 'graphql';
import { applyRowChanges, noRows, RowChangesError, type Rows } from 'inlaygraph-rows';

import * as gql from './gql/graphql.js';
import { connect, keepToken, type Tokens } from './socket.js';

/** What the server refused, with its code. */
export class Refused extends Error {
  readonly code: unknown;
  constructor(error: GraphQLFormattedError | undefined) {
    super(error?.message ?? 'no answer');
    this.code = error?.extensions?.['code'];
  }
}

type Show<T> = (value: T) => void;
type Failed = (error: unknown) => void;

export function open(url: string, fetchToken: () => Promise<string>) {
  const tokens = keepToken(fetchToken);
  const socket = connect(url, tokens);

  // #region watch
  /** Subscribes; the types are those of the document. Returns what ends it. */
  function watch<Data, Variables extends object>(
    document: gql.TypedDocumentString<Data, Variables>, variables: Variables, next: (data: Data) => void, failed: Failed,
  ) {
    return socket.subscribe<Data>({ query: document.toString(), variables: variables as Record<string, unknown> }, {
      next: ({ data, errors }) => (data && !errors ? next(data) : failed(new Refused(errors?.[0]))),
      error: (err) => failed(Array.isArray(err) ? new Refused(err[0]) : err), // the document was refused, or the login failed
      complete: () => {},
    });
  }
  // #endregion

  const ask = <Data, Variables>(document: gql.TypedDocumentString<Data, Variables>, variables: Variables) =>
    post(url, tokens, document, variables);

  return {
    timeline: async (id: string) => (await ask(gql.TimelineDocument, { id })).conversation.timeline,

    async send(agentId: string, content: string) {
      const input = { agentId, content, clientRequestId: crypto.randomUUID() };
      return (await ask(gql.SendDocument, { input })).send.conversation.id;
    },

    async answer(conversationId: string, toolCallId: string, output: unknown) {
      await ask(gql.SubmitToolResultDocument, { input: { conversationId, toolCallId, output } });
    },

    watchChat: (id: string, show: Show<Chat>, failed: Failed) =>
      watch(gql.ChatDocument, { id }, ({ chat }) => show({ ...chat, ...chat.capabilities }), failed),

    watchFeed: (id: string, pin: gql.AgentPin, show: Show<gql.FeedSubscription['feed']>, failed: Failed) =>
      watch(gql.FeedDocument, { id, pin }, ({ feed }) => show(feed), failed),

    // #region follow
    followRows(id: string, show: Show<readonly gql.RowFragment[]>, failed: Failed) {
      let state: Rows<gql.RowFragment> = noRows;
      let stop = () => {};
      const begin = () => {
        const variables = { id, get after() { return state.cursor; } }; // read again at each connection
        stop = watch(gql.RowChangesDocument, variables, ({ rowChanges }) => {
          try {
            state = applyRowChanges(state, rowChanges);
            show(state.rows);
          } catch (err) {
            if (!(err instanceof RowChangesError)) throw err;
            stop(); // what is here is not what the server takes it for: begin with a reset
            state = noRows;
            begin();
          }
        }, failed);
      };
      begin();
      return () => stop();
    },
    // #endregion

    close: () => socket.dispose(),
  };
}

type Chat = gql.ChatSubscription['chat'] & { canSend: boolean };

// #region post
async function post<Data, Variables>(
  url: string, tokens: Tokens, document: gql.TypedDocumentString<Data, Variables>, variables: Variables, again = true,
): Promise<Data> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${await tokens.get()}` },
    body: JSON.stringify({ query: document.toString(), variables }),
  });
  if (response.status === 401 && again) {
    tokens.forget();
    return post(url, tokens, document, variables, false);
  }
  const { data, errors } = await response.json();
  if (errors) throw new Refused(errors[0]);
  return data;
}
// #endregion

export const codeOf = (error: unknown) => (error instanceof Refused ? String(error.code) : undefined);
