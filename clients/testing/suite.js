// The tests that every example passes. Each has a conversation of its own, so that they run side by side.
//
//  1. A query reads the timeline.
//  2. A message begins a run; chat, feed and rows follow it to its end, each from a subscription.
//  3. A tool's answer is delivered, the run goes on, and the log has the answer.
//  4. rowChanges, replayed, is the timeline as a query reads it, over connections that are cut in mid-stream; nothing is sent anew.
//  5. A server that is stopped and started again is followed on.
//  6. A token that expires is fetched anew, and nothing is lost; so is one that a POST is refused with. A login that fails is told.
//  7. Errors have their codes: NOT_FOUND, CONFLICT, UNAUTHENTICATED.
//  8. Rows without ids stay apart.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { readTimeline, sign } from './ask.js';
import { eventually, patience } from './eventually.js';
import { startOlderPlatform } from './platform.js';
import { startProxy } from './proxy.js';
import { startServer } from './server.js';

const secret = 'a secret of thirty-two bytes or more';
const anonymous = async () => '';
const traveller = { agentId: 'travel-desk', agentVersion: 3 };

const token = (user, seconds, by = secret) => sign(by, { sub: user, tenant: 'acme', exp: Math.floor(Date.now() / 1000) + seconds });

const undone = new WeakMap(); // by test, what is to be undone, the last first

function undo(t, what) {
  if (!undone.has(t)) {
    undone.set(t, []);
    t.after(async () => {
      for (const next of undone.get(t).reverse()) await next();
    });
  }
  undone.get(t).push(what);
}

/** What a subscription said so far; latest() throws what went wrong. */
function listen(t, begin) {
  const all = [];
  const failures = [];
  const stop = begin((value) => all.push(value), (err) => failures.push(err));
  undo(t, stop);
  return {
    all,
    failures,
    latest() {
      if (failures.length > 0) throw failures[0];
      return all.at(-1);
    },
  };
}

const texts = (rows) => (rows ?? []).reduce((sum, row) => sum + (row.content?.length ?? 0), 0);

/** The rows as both sides select them. */
const shared = (rows) => rows.map((row) => {
  const { __typename, type, id, path, content, reasoning, complete, name, value, status, format, toolCallId, toolName, input, output } = row;
  const known = { __typename, type, id, path, content, reasoning, complete, name, value, status, format, toolCallId, toolName, input, output };
  return Object.fromEntries(Object.entries(known).filter(([, member]) => member !== undefined));
});

async function same(rows, url, id, bearer) {
  await eventually(async () => assert.deepEqual(shared(rows() ?? []), await readTimeline(url, id, bearer)));
  assert(rows().length > 0);
}

export function suite({ open, codeOf }) {
  describe('the example', { concurrency: true, timeout: 3 * patience }, () => {
    let demo; // asks for no token
    let guarded; // does
    before(async () => {
      [demo, guarded] = await Promise.all([
        startServer(['--demo-speed', '4']),
        startServer(['--demo-speed', '2', '--jwt-leeway-seconds', '0'], { INLAY_JWT_SECRET: secret }),
      ]);
    });
    after(() => Promise.all([demo.stop(), guarded.stop()]));

    const opened = (t, url, fetchToken = anonymous) => {
      const example = open(url, fetchToken);
      undo(t, () => example.close());
      return example;
    };
    const proxied = async (t, server) => {
      const proxy = await startProxy(server.port);
      undo(t, () => proxy.stop());
      return proxy;
    };
    const ended = (chat) => eventually(() => assert.equal(chat.latest()?.status, 'PAUSED'));

    test('a message begins a run, and three subscriptions follow it to its end (1, 2)', async (t) => {
      const example = opened(t, demo.url);
      const id = await example.send(traveller.agentId, 'a trip to Lisbon');
      const chat = listen(t, (show, failed) => example.watchChat(id, show, failed));
      const feed = listen(t, (show, failed) => example.watchFeed(id, traveller, show, failed));
      const rows = listen(t, (show, failed) => example.followRows(id, show, failed));
      await ended(chat);
      assert.equal(chat.latest().canSend, true);
      assert(chat.all.some(({ status }) => status === 'STREAMING'), 'it was seen running');
      await same(rows.latest, demo.url, id);
      const timeline = await example.timeline(id);
      assert.deepEqual(shared(timeline), await readTimeline(demo.url, id));
      const lengths = new Set(rows.all.map(texts));
      assert(lengths.size > 10, `the text grew ${lengths.size} times`);
      await eventually(() => {
        const { mode, entries } = feed.latest();
        assert.equal(mode, 'COMPOSED');
        const ids = entries.map(({ row }) => row.id).filter((id) => id != null);
        assert.deepEqual(new Set(ids), new Set(timeline.map(({ id }) => id)), 'each row stands in the feed');
        assert.equal(ids.length, timeline.length, 'and once');
        const card = entries.find(({ row }) => row.__typename === 'FanOutRow');
        assert.equal(card.row.key, card.key);
        assert(entries.some(({ parent }) => parent === card.key), 'it holds something');
        assert.equal(new Set(entries.map(({ key }) => key)).size, entries.length, 'keys are unique');
      });
    });

    test('who subscribes to the same again is shown how it stands (2)', async (t) => {
      const example = opened(t, demo.url);
      const id = await example.send(traveller.agentId, 'a trip to Lisbon');
      const first = listen(t, (show, failed) => example.watchChat(id, show, failed));
      await ended(first);
      const second = listen(t, (show, failed) => example.watchChat(id, show, failed));
      await ended(second);
    });

    test('a tool is answered, and the run goes on (3)', async (t) => {
      const example = opened(t, demo.url);
      const id = await example.send('concierge', 'approval, please');
      const chat = listen(t, (show, failed) => example.watchChat(id, show, failed));
      const answers = new Map();
      await eventually(async () => {
        for (const { toolCallId, args } of chat.latest()?.pendingTools ?? []) {
          if (answers.has(toolCallId)) continue;
          assert.equal(typeof args, 'object');
          answers.set(toolCallId, { approved: true, nth: answers.size });
          await example.answer(id, toolCallId, answers.get(toolCallId));
        }
        assert(answers.size >= 2);
      });
      await ended(chat);
      const results = (await example.timeline(id)).filter(({ __typename }) => __typename === 'ToolResultRow');
      for (const [call, output] of answers) {
        assert.deepEqual(JSON.parse(results.find(({ toolCallId }) => toolCallId === call).output), output);
      }
      const [call] = answers.keys();
      await assert.rejects(example.answer(id, call, { approved: false }), (err) => codeOf(err) === 'CONFLICT');
    });

    test('rows go on where they were when the connection is cut (4)', async (t) => {
      const proxy = await proxied(t, demo);
      const example = opened(t, proxy.url);
      const [resets, acks] = [proxy.count('"RowsReset"'), proxy.count('"connection_ack"')];
      const id = await example.send(traveller.agentId, 'a trip to Lisbon');
      const rows = listen(t, (show, failed) => example.followRows(id, show, failed));
      for (let cut = 1; cut <= 3; cut++) {
        const had = texts(rows.latest());
        await eventually(() => assert(texts(rows.latest()) > had, `no text after ${cut - 1} cuts`));
        assert.equal(proxy.cut(), 1);
        await eventually(() => assert.equal(acks(), cut + 1));
      }
      const chat = listen(t, (show, failed) => example.watchChat(id, show, failed));
      await ended(chat);
      await same(rows.latest, demo.url, id);
      assert.equal(resets(), 1, 'only the first connection began with a reset');
    });

    test('a server that was restarted is followed on (5)', async (t) => {
      let server = await startServer(['--demo-speed', '4']);
      undo(t, () => server.stop());
      const proxy = await proxied(t, server);
      const example = opened(t, proxy.url);
      const resets = proxy.count('"RowsReset"');
      const rows = listen(t, (show, failed) => example.followRows('demo-chat', show, failed));
      await eventually(() => assert(texts(rows.latest()) > 0));
      await server.stop();
      const seen = rows.all.length;
      await sleep(300); // a time without a server
      server = await startServer(['--demo-speed', '4']);
      proxy.target.port = server.port;
      await eventually(() => assert(rows.all.length > seen + 10, 'it streams again'));
      await same(rows.latest, server.url, 'demo-chat');
      assert.equal(resets(), 2, 'another server begins with a reset');
    });

    test('a token that expires is fetched anew, and nothing is lost (6)', async (t) => {
      const proxy = await proxied(t, guarded);
      const [resets, acks] = [proxy.count('"RowsReset"'), proxy.count('"connection_ack"')];
      let fetched = 0;
      const example = opened(t, proxy.url, async () => (fetched++, token('ann', 3)));
      const id = await example.send(traveller.agentId, 'a trip to Lisbon');
      const rows = listen(t, (show, failed) => example.followRows(id, show, failed));
      const chat = listen(t, (show, failed) => example.watchChat(id, show, failed));
      await ended(chat);
      await same(rows.latest, guarded.url, id, token('ann', 60));
      assert(acks() >= 2, 'the connection was closed');
      assert(fetched >= 2, 'and another token was shown');
      assert.equal(resets(), 1);
    });

    test('a token that a request is refused with is fetched anew, once (6, 7)', async (t) => {
      let fetched = 0;
      const example = opened(t, guarded.url, async () => token('ann', fetched++ === 0 ? -60 : 60));
      assert((await example.timeline('demo-chat')).length >= 0);
      assert.equal(fetched, 2);
      let refused = 0;
      const stranger = opened(t, guarded.url, async () => (refused++, token('eve', 60, 'another secret of many bytes, not known')));
      await assert.rejects(stranger.timeline('demo-chat'), (err) => codeOf(err) === 'UNAUTHENTICATED');
      assert.equal(refused, 2);
    });

    test('a login that fails ends what needs it (6)', async (t) => {
      const example = opened(t, guarded.url, () => Promise.reject(new Error('no login')));
      await assert.rejects(example.timeline('demo-chat'));
      const chat = listen(t, (show, failed) => example.watchChat('demo-chat', show, failed));
      await eventually(() => assert(chat.failures.length > 0));
      assert.deepEqual(chat.all, []);
    });

    test('errors have codes (7)', async (t) => {
      const example = opened(t, demo.url);
      const missing = (err) => codeOf(err) === 'NOT_FOUND';
      await assert.rejects(example.timeline('nowhere'), missing);
      for (const begin of [
        (show, failed) => example.watchChat('nowhere', show, failed),
        (show, failed) => example.watchFeed('nowhere', traveller, show, failed),
        (show, failed) => example.followRows('nowhere', show, failed),
      ]) {
        const heard = listen(t, begin);
        await eventually(() => assert(heard.failures.length > 0));
        assert(missing(heard.failures[0]), heard.failures[0]);
        assert.deepEqual(heard.all, []);
      }
    });

    test('rows without ids stay apart (8)', async (t) => {
      const platform = await startOlderPlatform();
      undo(t, () => platform.stop());
      const server = await startServer(['--upstream', platform.url, '--insecure']);
      undo(t, () => server.stop());
      const example = opened(t, server.url);
      const rows = listen(t, (show, failed) => example.followRows(platform.conversation, show, failed));
      const feed = listen(t, (show, failed) => example.watchFeed(platform.conversation, { agentId: 'elder', agentVersion: 1 }, show, failed));
      const want = [['user', null, 'Count to two.'], ['assistant', null, 'One.'], ['assistant', null, 'Two.']];
      const read = (list) => (list ?? []).map(({ type, id, content }) => [type, id, content]);
      assert.deepEqual(read(await example.timeline(platform.conversation)), want);
      await eventually(() => assert.deepEqual(read(rows.latest()), want));
      await eventually(() => assert.deepEqual(read(feed.latest()?.entries.map(({ row }) => row)), want));
    });
  });
}
