import assert from 'node:assert/strict';
import { after, before, mock, test } from 'node:test';

import { parse } from 'graphql';
import { eventually, startOlderPlatform, startServer, suite, type Entry, type Server } from 'inlaygraph-testing';
import WebSocket from 'ws';

import { codeOf, open } from '../src/client.js';
import * as gql from '../src/gql/graphql.js';

Object.assign(globalThis, { WebSocket }); // a browser, and Node from 22, has it

const { mock: warned } = mock.method(console, 'warn'); // Graphcache's way to say that it lacks a key

suite({ open, codeOf });

const anonymous = async () => '';
const id = 'demo-fanout';
const pin = { agentId: 'travel-desk', agentVersion: 3 };

let server: Server;
before(async () => { server = await startServer(['--demo-speed', '4']); });
after(() => server.stop());

const cached = (client: ReturnType<typeof open>['client'], id: string) =>
  client.query(gql.TimelineDocument, { id }, { requestPolicy: 'cache-only' }).toPromise();

test('the cache keeps rows by id, and a subscription refreshes what a query reads', { timeout: 60_000 }, async () => {
  const example = open(server.url, anonymous);
  try {
    const seen: (readonly gql.RowFragment[])[] = [];
    const reading = example.client.query(gql.TimelineDocument, { id }).subscribe(({ data }) => data && seen.push(data.conversation.timeline));
    await eventually(async () => {
      if (!seen.at(-1)?.some(({ path }) => path?.[0] === 'flights')) seen.push(await example.timeline(id));
      assert(seen.at(-1)?.some(({ path }) => path?.[0] === 'flights'));
    });
    const { length } = seen;
    const stop = example.watchFeed(id, pin, () => {}, assert.ifError);
    await eventually(() => assert(seen.length > length, 'the feed moved what the query reads'));
    stop();
    reading.unsubscribe();
    assert((await cached(example.client, id)).data);
  } finally {
    await example.close();
  }
});

test('a chat and its feed are kept too, cards by key', async () => {
  const example = open(server.url, anonymous);
  try {
    const query = parse(`query ($id: ID!, $pin: AgentPin) { conversation(id: $id) { id chat { status capabilities { canSend } pendingTools { toolCallId }
      feed(pin: $pin) { mode entries { key row { __typename ... on Row { id } ... on CompositeRow { key type nodeName } } } } } } }`);
    await eventually(async () => {
      const { data } = await example.client.query(query, { id, pin }, { requestPolicy: 'network-only' });
      assert(data.conversation.chat.feed.entries.some(({ row }: Entry) => row.key));
    });
    const { data } = await example.client.query(query, { id, pin }, { requestPolicy: 'cache-only' });
    assert(data.conversation.chat.feed.entries.some(({ row }: Entry) => row.key));
  } finally {
    await example.close();
  }
});

test('rows without ids are kept where they stand', async () => {
  const platform = await startOlderPlatform();
  const older = await startServer(['--upstream', platform.url, '--insecure']);
  const example = open(older.url, anonymous);
  try {
    await example.timeline(platform.conversation);
    const { data } = await cached(example.client, platform.conversation);
    assert.deepEqual(data?.conversation.timeline.map((row) => 'content' in row && row.content), ['Count to two.', 'One.', 'Two.']);
  } finally {
    await example.close();
    await older.stop();
    await platform.stop();
  }
});

test('the cache had a key, or a place, for everything', () => {
  assert.deepEqual(warned.calls.map((call) => call.arguments), []);
});
