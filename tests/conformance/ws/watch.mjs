// The main job with the graphql-ws client: two branches of a live run, each its own subscription on one WebSocket.
//
//   node watch.mjs http://127.0.0.1:8080/graphql demo-fanout flights trains
//
// A path inside subgraphs is written with slashes, as north/draft. Prints each slice as it grows, until both branches
// have said something to the end, and leaves with 1 if a message ever says what it must not: rows of another node, the
// same as the message before it, or a text that does not go on from the one before.
import { createClient } from 'graphql-ws';
import WebSocket from 'ws';
import { assert, wsURL } from './lib.mjs';

const [url, conversationId, ...paths] = process.argv.slice(2);
if (!url || !conversationId || paths.length !== 2) {
  console.error('usage: node watch.mjs URL CONVERSATION PATH PATH');
  process.exit(2);
}

const query = `subscription ($conversationId: ID!, $path: [ID!]!) {
  rowsAt(conversationId: $conversationId, path: $path) {
    __typename type id path
    ... on AssistantRow { content complete }
  }
}`;

const client = createClient({ url: wsURL(url), webSocketImpl: WebSocket });

/** Follows one node until a turn of it that was seen to grow is complete; answers how many messages that took. */
async function follow(name) {
  const path = name.split('/');
  let before = null;
  let grew = 0;
  let messages = 0;
  for await (const { data, errors } of client.iterate({ query, variables: { conversationId, path } })) {
    assert.equal(errors, undefined, JSON.stringify(errors));
    const rows = data.rowsAt;
    messages++;
    assert.notDeepEqual(rows, before, 'a message that changes nothing');
    for (const row of rows) assert.deepEqual(row.path, path, 'a row of another node');
    const texts = new Map((before ?? []).map((row) => [row.id, row.content]));
    for (const { id, content } of rows) {
      const was = texts.get(id);
      if (was === undefined || content === undefined) continue;
      assert(content.startsWith(was), `"${content}" does not go on from "${was}"`);
      if (content.length > was.length) grew++;
    }
    before = rows;
    const last = rows.at(-1);
    const text = (last?.content ?? '').replaceAll('\n', ' ');
    console.log(`${name.padEnd(12)} ${rows.length} rows, ${String(text.length).padStart(4)}: ${text.slice(-60)}`);
    if (grew >= 5 && last.complete) return messages;
  }
  throw new Error(`${name}: the subscription ended`);
}

const timer = setTimeout(() => {
  console.error('nothing was said to the end within two minutes');
  process.exit(1);
}, 120_000);

try {
  const counts = await Promise.all(paths.map(follow));
  console.log(paths.map((name, i) => `${name}: ${counts[i]} messages`).join(', ') + '; neither heard of the other');
} catch (err) {
  console.error(err);
  process.exitCode = 1;
}
clearTimeout(timer);
await client.dispose();
