import assert from 'node:assert/strict';
import { test } from 'node:test';

import { eventually, startOlderPlatform, startServer, suite } from 'inlaygraph-testing';
import { createOperationDescriptor, getRequest, readInlineData } from 'relay-runtime';
import WebSocket from 'ws';

import type { documents_row$key } from '../src/__generated__/documents_row.graphql.js';
import type { documentsTimelineQuery$data } from '../src/__generated__/documentsTimelineQuery.graphql.js';
import { codeOf, open } from '../src/client.js';
import { rowFragment, timelineQuery } from '../src/documents.js';

Object.assign(globalThis, { WebSocket }); // a browser, and Node from 22, has it

suite({ open, codeOf });

const anonymous = async () => '';
const id = 'demo-fanout';
const pin = { agentId: 'travel-desk', agentVersion: 3 };

test('the store keeps rows by id and cards by key, and a subscription refreshes what a query reads', { timeout: 60_000 }, async () => {
  const server = await startServer(['--demo-speed', '4']);
  const example = open(server.url, anonymous);
  try {
    const { environment } = example;
    await eventually(async () => assert((await example.timeline(id)).some(({ path }) => path?.[0] === 'flights')));
    const { fragment } = createOperationDescriptor(getRequest(timelineQuery), { id });
    const contents = () => {
      const { conversation } = environment.lookup(fragment).data as unknown as documentsTimelineQuery$data;
      return conversation.timeline.map((row) => readInlineData<documents_row$key>(rowFragment, row));
    };
    const before = contents();
    const stop = example.watchFeed(id, pin, () => {}, assert.ifError);
    const kept = () => environment.getStore().getSource().getRecordIDs();
    await eventually(() => {
      assert.notDeepEqual(contents(), before, 'the feed moved what the query reads');
      assert(kept().some((key) => key.startsWith('FanOutRow:')));
    });
    for (const row of before) assert(kept().includes(`${row.__typename}:${row.id}`), row.__typename);
    stop();
  } finally {
    await example.close();
    await server.stop();
  }
});

test('rows without ids are kept where they stand', async () => {
  const platform = await startOlderPlatform();
  const older = await startServer(['--upstream', platform.url, '--insecure']);
  const example = open(older.url, anonymous);
  try {
    await example.timeline(platform.conversation);
    const { fragment } = createOperationDescriptor(getRequest(timelineQuery), { id: platform.conversation });
    const { conversation } = example.environment.lookup(fragment).data as unknown as documentsTimelineQuery$data;
    assert.deepEqual(conversation.timeline.map((row) => readInlineData<documents_row$key>(rowFragment, row).content), ['Count to two.', 'One.', 'Two.']);
    const kept = example.environment.getStore().getSource().getRecordIDs();
    assert.deepEqual(kept.filter((key) => key.includes('Row:')), []);
  } finally {
    await example.close();
    await older.stop();
    await platform.stop();
  }
});
