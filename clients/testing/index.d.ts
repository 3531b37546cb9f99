/** A row as every example selects it, or more of it. */
export interface Row {
  readonly __typename?: string;
  readonly type: string;
  readonly id?: string | null;
  readonly content?: string;
}

/** What the examples show of a chat. */
export interface Chat {
  readonly status: string;
  readonly canSend: boolean;
  readonly pendingTools: readonly { readonly toolCallId: string; readonly toolName: string; readonly args: unknown }[];
}

/** An item of a feed as one list; a card has a key of its own. */
export interface Entry {
  readonly key: string;
  readonly parent?: string | null;
  readonly row: { readonly __typename?: string; readonly id?: string | null; readonly key?: string };
}

export interface Feed {
  readonly mode: string;
  readonly entries: readonly Entry[];
}

export type Stop = () => void;

/** What an example can do. A promise that is broken is broken by what the client throws; `failed` gets that too. */
export interface Example {
  timeline(id: string): Promise<readonly Row[]>;
  /** Returns the conversation's id. */
  send(agentId: string, content: string): Promise<string>;
  answer(conversationId: string, toolCallId: string, output: unknown): Promise<void>;
  watchChat(id: string, show: (chat: Chat) => void, failed: (error: unknown) => void): Stop;
  watchFeed(id: string, pin: { agentId: string; agentVersion: number }, show: (feed: Feed) => void, failed: (error: unknown) => void): Stop;
  followRows(id: string, show: (rows: readonly Row[]) => void, failed: (error: unknown) => void): Stop;
  close(): void | Promise<void>;
}

export interface Subject {
  /** Opens the example on a server's `/graphql`; the token is asked for as often as it is needed. */
  open(url: string, fetchToken: () => Promise<string>): Example;
  /** The code of an error that the example gave, as docs/service.md lists them. */
  codeOf(error: unknown): string | undefined;
}

/** Declares the tests that every example passes: a query, a run that streams, tools, rowChanges, cuts, tokens, errors. */
export declare function suite(subject: Subject): void;

export interface Server {
  readonly url: string;
  readonly port: number;
  /** Ends the server and fails when that was not clean. */
  stop(): Promise<void>;
}

export declare function startServer(args?: readonly string[], env?: Readonly<Record<string, string>>): Promise<Server>;

/** A platform whose rows have no ids, for `--upstream`, with the one conversation. */
export declare function startOlderPlatform(): Promise<{ readonly url: string; readonly conversation: string; stop(): Promise<void> }>;

export interface Proxy {
  readonly url: string;
  /** Where connections lead that are opened from now on. */
  readonly target: { port: number };
  /** Begins to count a word in what the server says. */
  count(word: string): () => number;
  /** Cuts every open WebSocket, and returns how many there were. */
  cut(): number;
  stop(): Promise<void>;
}

export declare function startProxy(port: number): Promise<Proxy>;

/** A JSON Web Token by HS256. */
export declare function sign(secret: string, claims: Readonly<Record<string, unknown>>): string;

export declare function ask(url: string, query: string, variables?: Readonly<Record<string, unknown>>, token?: string): Promise<any>;
export declare function readTimeline(url: string, id: string, token?: string): Promise<Row[]>;

/** How long to wait for what must come, in milliseconds. */
export declare const patience: number;
/** Tries again until nothing is thrown any more. */
export declare function eventually<T>(ask: () => T | Promise<T>): Promise<T>;
