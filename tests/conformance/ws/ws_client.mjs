// The graphql-ws client.
import { createClient } from 'graphql-ws';
import WebSocket from 'ws';
import { assert, check, code, take, within, wsURL } from './lib.mjs';

export const connect = (url, options = {}) => createClient({ url: wsURL(url), webSocketImpl: WebSocket, ...options });

const status = 'subscription { chat(conversationId: "demo-fanout") { status } }';
const timeline = 'subscription { timeline(conversationId: "demo-fanout") { __typename id } }';

/** Subscribes, and answers what the sink was told. */
function follow(client, query) {
  const seen = { results: [], error: undefined, completed: false };
  let tell;
  const over = new Promise((resolve) => (tell = resolve));
  let first;
  const begun = new Promise((resolve) => (first = resolve));
  const end = client.subscribe({ query }, {
    next: (result) => {
      seen.results.push(result);
      first();
    },
    error: (err) => {
      seen.error = err;
      tell();
    },
    complete: () => {
      seen.completed = true;
      tell();
    },
  });
  return { seen, over, begun, end };
}

export function wsClientChecks(url) {
  check('graphql-ws: a query is one result, then complete', async () => {
    const client = connect(url);
    const results = await take(client.iterate({
      query: 'query ($id: ID!) { conversation(id: $id) { id chat { status } } }',
      variables: { id: 'demo-fanout' },
    }), 2);
    assert.equal(results.length, 1);
    assert.equal(results[0].errors, undefined);
    assert.equal(results[0].data.conversation.id, 'demo-fanout');
    await client.dispose();
  });

  check('graphql-ws: a subscription sends its first value at once, and completes when the client does', async () => {
    const client = connect(url);
    const begin = Date.now();
    const one = follow(client, status);
    await within(one.begun, 'the first value');
    assert(Date.now() - begin < 5000);
    assert.match(one.seen.results[0].data.chat.status, /^[A-Z_]+$/);
    one.end();
    await within(one.over, 'complete');
    assert(one.seen.completed && !one.seen.error);
    const after = one.seen.results.length;
    await take(client.iterate({ query: '{ __typename }' }), 1);
    assert.equal(one.seen.results.length, after, 'nothing comes after complete');
    await client.dispose();
  });

  check('graphql-ws: a subscription goes on with changes', async () => {
    const client = connect(url);
    const results = await take(client.iterate({ query: timeline }), 5);
    assert.equal(results.length, 5);
    for (const [i, { data, errors }] of results.entries()) {
      assert.equal(errors, undefined);
      assert(Array.isArray(data.timeline), `message ${i + 1}`);
    }
    await client.dispose();
  });

  for (const [name, query, want] of [
    ['a validation error', 'subscription { nothing }', 'GRAPHQL_VALIDATION_FAILED'],
    ['a syntax error', 'subscription {', 'GRAPHQL_PARSE_FAILED'],
    ['a missing variable', 'query ($id: ID!) { conversation(id: $id) { id } }', 'BAD_USER_INPUT'],
  ]) {
    check(`graphql-ws: ${name} is an \`error\`, and costs the connection nothing`, async () => {
      const client = connect(url);
      const other = follow(client, status);
      await within(other.begun, 'the other subscription');
      const bad = follow(client, query);
      await within(bad.over, 'the error');
      assert.equal(code(bad.seen.error), want);
      assert.deepEqual(bad.seen.results, []);
      assert(!bad.seen.completed);
      assert(!other.seen.completed && !other.seen.error);
      await client.dispose();
    });
  }

  check('graphql-ws: an unknown conversation is NOT_FOUND in `next`, then complete', async () => {
    const client = connect(url);
    const one = follow(client, 'subscription { run(conversationId: "nobody") { status } }');
    await within(one.over, 'the end');
    assert(one.seen.completed);
    assert.equal(one.seen.results.length, 1);
    assert.equal(code(one.seen.results[0].errors), 'NOT_FOUND');
    await client.dispose();
  });

  check('graphql-ws: of two clients each gets its own, and outlives the other', async () => {
    const [a, b] = [connect(url), connect(url)];
    const [fanout, chat] = [follow(a, status), follow(b, 'subscription { transcript(conversationId: "demo-chat") { __typename } }')];
    await within(Promise.all([fanout.begun, chat.begun]), 'the first values');
    await a.dispose();
    await within(fanout.over, 'the end of the one');
    const had = chat.seen.results.length;
    const more = await take(b.iterate({ query: 'subscription { transcript(conversationId: "demo-chat") { __typename ... on AssistantRow { content } } }' }), 3);
    assert.equal(more.length, 3);
    assert(chat.seen.results.length >= had && !chat.seen.completed && !chat.seen.error);
    for (const { data } of chat.seen.results) assert.deepEqual(Object.keys(data), ['transcript']);
    for (const { data } of fanout.seen.results) assert.deepEqual(Object.keys(data), ['chat']);
    await b.dispose();
  });

  check('graphql-ws: ping and pong', async () => {
    let pong;
    const answered = new Promise((resolve) => (pong = resolve));
    const client = connect(url, { lazy: false, keepAlive: 100, on: { pong: (received) => received && pong() } });
    await within(answered, 'a pong');
    await client.dispose();
  });
}
