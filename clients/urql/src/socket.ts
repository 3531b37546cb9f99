// #region socket
import { createClient, type Client } from 'graphql-ws';

export interface Tokens {
  get(): Promise<string>;
  forget(): void;
}

/** Keeps the token that your login gives until it is forgotten. */
export function keepToken(fetchToken: () => Promise<string>): Tokens {
  let token: Promise<string> | undefined;
  const forget = () => (token = undefined);
  const fetched = () => fetchToken().catch((err) => (forget(), Promise.reject(err)));
  return { get: () => (token ??= fetched()), forget };
}

/** The socket under all subscriptions: it opens with the first of them, and comes back by itself. */
export function connect(url: string, tokens: Tokens): Client {
  return createClient({
    url: url.replace(/^http/, 'ws'),
    connectionParams: async () => ({ Authorization: `Bearer ${await tokens.get()}` }), // asked at each connection
    on: { closed: (event) => (event as CloseEvent).code === 4403 && tokens.forget() },
    shouldRetry: (why) => !(why instanceof Error), // a server that can't be reached, too; not a login that failed
    retryAttempts: Infinity,
    retryWait: (retries) => new Promise((go) => setTimeout(go, Math.min(10_000, 100 * 2 ** retries) * (0.5 + Math.random()))),
  });
}
// #endregion
