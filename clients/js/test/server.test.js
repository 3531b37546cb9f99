// The README's example against a running server. INLAYGRAPH is the server's program.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { createClient } from 'graphql-ws';
import WebSocket from 'ws';

import { followRows, row } from '../example.js';

const patience = 60_000; // the machine may be busy with other things
const greeting = 'Inlay GraphQL serves ';

let server;
let url;

before(async () => {
  assert(process.env.INLAYGRAPH, 'INLAYGRAPH names no program');
  server = spawn(process.env.INLAYGRAPH, ['serve', '--listen', '127.0.0.1:0', '--demo-speed', '4'], { stdio: ['ignore', 'ignore', 'pipe'] });
  const lines = createInterface({ input: server.stderr });
  const [line] = await once(lines, 'line', { signal: AbortSignal.timeout(patience) });
  assert(line.startsWith(greeting), line);
  url = line.slice(greeting.length);
});

after(async () => {
  server.kill('SIGTERM');
  if (server.exitCode === null) await once(server, 'exit');
  assert.equal(server.exitCode, 0);
});

/** A client, and what it heard: for each connection the operations of each message. */
function connect() {
  const connections = [];
  let socket;
  const client = createClient({
    url: url.replace(/^http/, 'ws'),
    webSocketImpl: WebSocket,
    retryAttempts: Infinity,
    shouldRetry: () => true,
    retryWait: () => sleep(50),
    on: {
      connected: (opened) => {
        socket = opened;
        connections.push([]);
      },
      message: ({ type, payload }) => {
        if (type === 'next') connections.at(-1).push(payload.data.rowChanges.ops);
      },
    },
  });
  return { client, connections, drop: () => socket.terminate() };
}

const resets = (messages) => messages.flat().filter((op) => op.__typename === 'RowsReset').length;

async function eventually(ask) {
  for (const end = Date.now() + patience; ; await sleep(20)) {
    try {
      return await ask();
    } catch (err) {
      if (Date.now() > end) throw err;
    }
  }
}

/** The rows as a query reads them, with the selection of the example. */
async function read(id, path) {
  const field = path ? 'rowsAt(path: $path)' : 'timeline';
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({
      query: `query ($id: ID!${path ? ', $path: [ID!]!' : ''}) { conversation(id: $id) { rows: ${field} ${row} } }`,
      variables: { id, path },
    }),
  });
  const { data, errors } = await response.json();
  assert.equal(errors, undefined);
  return data.conversation.rows;
}

/** Follows rows until the test ends; rows() are the latest, and throw what went wrong. */
function follow(t, client, what) {
  let rows = [];
  let failure;
  const stop = followRows(client, what, (now) => (rows = now), (err) => (failure = err));
  t.after(stop);
  return () => {
    if (failure) throw failure;
    return rows;
  };
}

for (const [name, path] of [['the timeline', undefined], ['a branch', ['flights']]]) {
  test(`server: ${name}, over connections that are cut in mid-stream`, { timeout: 2 * patience }, async (t) => {
    const { client, connections, drop } = connect();
    const rows = follow(t, client, { id: 'demo-fanout', path });
    const cuts = 4;
    for (let cut = 1; cut <= cuts; cut++) {
      await eventually(() => {
        rows();
        assert(connections[cut - 1]?.some((ops, i) => i > 1 && ops.some((op) => op.__typename === 'RowTextAppended')), `connection ${cut} hears no text`);
      });
      drop();
    }
    await eventually(async () => assert.equal(connections.length, cuts + 1));
    await eventually(async () => assert.deepEqual(rows(), await read('demo-fanout', path)));
    assert(rows().length > 0);
    assert.deepEqual(connections.map(resets), [1, 0, 0, 0, 0], 'only the first connection began with a reset');
    await client.dispose();
  });
}

test('server: a message that is lost is noticed, and the list begun anew', { timeout: 2 * patience }, async (t) => {
  const { client, connections } = connect();
  let lost = 0;
  const forgetful = {
    subscribe: (request, sink) => client.subscribe(request, {
      ...sink,
      next: (result) => {
        const text = result.data.rowChanges.ops.some((op) => op.__typename === 'RowTextAppended');
        if (text && resets(connections.flat()) === 1 && lost < 50 && ++lost % 5 === 1) return; // of five, one
        sink.next(result);
      },
    }),
  };
  const rows = follow(t, forgetful, { id: 'demo-fanout' });
  await eventually(() => {
    rows();
    assert.equal(resets(connections.flat()), 2);
  });
  await eventually(async () => assert.deepEqual(rows(), await read('demo-fanout')));
  await client.dispose();
});
