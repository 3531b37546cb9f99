import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { parse } from 'graphql';
import { eventually, startOlderPlatform, startServer, suite, type Server } from 'inlaygraph-testing';
import WebSocket from 'ws';

import { codeOf, open } from '../src/client.js';
import * as gql from '../src/gql/graphql.js';

Object.assign(globalThis, { WebSocket }); // a browser, and Node from 22, has it

suite({ open, codeOf });

const anonymous = async () => '';
const id = 'demo-fanout';
const pin = { agentId: 'travel-desk', agentVersion: 3 };

let server: Server;
before(async () => { server = await startServer(['--demo-speed', '4']); });
after(() => server.stop());

test('the cache keeps rows by id and cards by key, and a subscription refreshes what a query reads', { timeout: 60_000 }, async () => {
  const example = open(server.url, anonymous);
  try {
    const { client } = example;
    const seen: (readonly gql.RowFragment[])[] = [];
    const query = client.watchQuery({ query: gql.TimelineDocument, variables: { id } });
    const reading = query.subscribe(({ data, dataState }) => {
      if (dataState === 'complete') seen.push(data.conversation.timeline);
    });
    await eventually(() => assert(seen.at(-1)?.some(({ path }) => path?.[0] === 'flights')));
    const { length } = seen;
    const stop = example.watchFeed(id, pin, () => {}, assert.ifError);
    await eventually(() => assert(seen.length > length, 'the feed moved what the query reads'));
    const card = await eventually(() => {
      const cards = Object.values(client.cache.extract() as Record<string, { __typename?: string; key?: string }>)
        .filter(({ __typename }) => __typename === 'FanOutRow');
      assert(cards.length > 0);
      return cards[0]!;
    });
    const cached = client.cache.extract() as Record<string, unknown>;
    assert(cached[`FanOutRow:${JSON.stringify({ key: card.key })}`]);
    for (const row of seen.at(-1)!) assert(cached[`${row.__typename}:${JSON.stringify({ id: row.id })}`], row.__typename);
    stop();
    reading.unsubscribe();
  } finally {
    await example.close();
  }
});

test('parts of a chat that were read apart stay together', async () => {
  const example = open(server.url, anonymous);
  try {
    const parts = ['status', 'capabilities { canSend }'].map((part) => parse(`query ($id: ID!) { conversation(id: $id) { id chat { ${part} } } }`));
    for (const query of parts) await example.client.query({ query, variables: { id } });
    for (const query of parts) assert(example.client.readQuery({ query, variables: { id } }));
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
    const cached = example.client.readQuery({ query: gql.TimelineDocument, variables: { id: platform.conversation } });
    assert.deepEqual(cached?.conversation.timeline.map((row) => 'content' in row && row.content), ['Count to two.', 'One.', 'Two.']);
    assert.deepEqual(Object.keys(example.client.cache.extract() as object).filter((key) => key.includes('Row:')), []);
  } finally {
    await example.close();
    await older.stop();
    await platform.stop();
  }
});
