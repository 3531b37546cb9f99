// One session of a client: the graphql-ws client follows, plain fetch asks and acts, against a demo of its own.
import { assert, check, eventually, rowChanges, rowFields, sleep, within } from './lib.mjs';
import { reduce } from './replay.mjs';
import { serve } from './serve.mjs';
import { connect } from './ws_client.mjs';

/** Asks or acts by POST; answers the data, or the code of the error that is expected. */
async function ask(url, query, variables, code) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/graphql-response+json' },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = await response.json();
  assert.equal(errors?.[0]?.extensions?.code, code, JSON.stringify(errors));
  return data;
}

const send = `mutation ($input: SendInput!) { send(input: $input) { fresh conversation { id } } }`;
const answer = `mutation ($input: ToolResultInput!) { submitToolResult(input: $input) { conversation { chat { toolStates { toolCallId status error } } } } }`;
const cancel = `mutation ($id: ID!) { cancel(conversationId: $id) { conversation { id } } }`;
const retry = `mutation ($id: ID!) { retry(conversationId: $id) { conversation { id } } }`;

/** Follows the rows of a conversation as a page does that may be closed and opened again. */
class Page {
  constructor(url, conversation) {
    Object.assign(this, { url, conversation, rows: [], cursor: null, resets: 0, messages: 0, appended: 0 });
  }

  open() {
    this.client = connect(this.url);
    const query = rowChanges(this.conversation).replace(') {', ', after: $after) {').replace('subscription', 'subscription ($after: String)');
    this.results = this.client.iterate({ query, variables: { after: this.cursor } });
    this.following = (async () => {
      for await (const { data, errors } of this.results) {
        assert.equal(errors, undefined, JSON.stringify(errors));
        const { ops, cursor } = data.rowChanges;
        this.rows = reduce(this.rows, data.rowChanges);
        this.cursor = cursor;
        this.messages++;
        this.resets += ops.filter((op) => op.__typename === 'RowsReset').length;
        this.appended += ops.filter((op) => op.__typename === 'RowTextAppended').length;
      }
    })().catch((err) => (this.failure = err));
    return this;
  }

  async close() {
    await this.results.return();
    await this.following;
    await this.client.dispose();
    if (this.failure) throw this.failure;
  }

  /** Waits until the rows are what a query reads: nothing is lost, and nothing is there twice. */
  async settled() {
    await eventually(async () => {
      if (this.failure) throw this.failure;
      const data = await ask(this.url, `query ($id: ID!) { conversation(id: $id) { timeline ${rowFields} } }`, { id: this.conversation });
      assert.deepEqual(this.rows, data.conversation.timeline);
    });
    const ids = this.rows.map((row) => row.id);
    assert.equal(new Set(ids).size, ids.length);
  }
}

/** Follows how a conversation stands; answers a function that waits for it to stand so. */
function standing(client, conversation) {
  const query = `subscription ($id: ID!) { chat(conversationId: $id) { status pendingTools { toolCallId toolName args } canRetry } }`;
  const results = client.iterate({ query, variables: { id: conversation } });
  return async (...statuses) => {
    for (;;) {
      const { value, done } = await within(results.next(), `${conversation}: ${statuses}`);
      assert(!done && !value.errors, JSON.stringify(value));
      if (statuses.includes(value.data.chat.status)) return value.data.chat;
    }
  };
}

export function sessionChecks(program) {
  check('one session: list, send, answer tools, cancel, retry, reload, pay, page back', async () => {
    const server = await serve(program, '127.0.0.1:0', '--demo-speed', '8', '--window-rows', '12', '--evict-after-seconds', '3');
    const { url } = server;
    const client = connect(url);
    const say = async (agentId, content, conversationId) => {
      const data = await ask(url, send, { input: { agentId, content, conversationId } });
      return { id: data.send.conversation.id, fresh: data.send.fresh };
    };
    try {
      const list = await ask(url, `{ conversations { items { conversationId agentId title status } hasMore } }`);
      assert.equal(list.conversations.items.length, 7);

      // A tool that waits, answered: the run resumes. Words come as they are said.
      const booking = await say('concierge', 'Book two seats, please. 🎟');
      assert.equal(booking.fresh, false);
      const page = new Page(url, booking.id).open();
      const until = standing(client, booking.id);
      const answered = new Set();
      for (;;) {
        const chat = await until('AWAITING_CLIENT_TOOL', 'PAUSED');
        if (chat.status === 'PAUSED') break;
        for (const { toolCallId } of chat.pendingTools.filter((call) => !answered.has(call.toolCallId))) {
          answered.add(toolCallId);
          const input = { conversationId: booking.id, toolCallId, output: { approved: true, by: 'me' } };
          const twice = await Promise.all([ask(url, answer, { input }), ask(url, answer, { input })]); // a double click
          for (const data of twice) {
            const state = data.submitToolResult.conversation.chat.toolStates.find((s) => s.toolCallId === toolCallId);
            assert.deepEqual(state, { toolCallId, status: 'SUBMITTED', error: null });
          }
        }
      }
      assert.equal(answered.size, 2);
      await page.settled();
      assert(page.appended > 10, 'word by word');
      assert.equal(page.resets, 1);
      assert.equal(page.rows.filter((row) => row.output === '{"approved":true,"by":"me"}').length, 2);
      await page.close();

      // A run that is cancelled is over: the next message begins another conversation.
      const trip = await say('travel-desk', 'A long weekend');
      const stands = standing(client, trip.id);
      await stands('STREAMING');
      await ask(url, cancel, { id: trip.id });
      await stands('CANCELLED');
      await ask(url, cancel, { id: trip.id }, 'CONFLICT');
      const next = await say('travel-desk', 'A shorter weekend', trip.id);
      assert(next.fresh && next.id !== trip.id);

      // A run that failed is retried.
      const ship = await say('release-bot', 'Ship it');
      const failure = new Page(url, ship.id).open();
      const watcher = connect(url);
      const fails = standing(watcher, ship.id);
      assert((await fails('FAILED')).canRetry);
      await ask(url, retry, { id: ship.id });
      await fails('PAUSED');
      await failure.settled();
      await failure.close();
      await watcher.dispose();

      // The page is reloaded in the middle of a run. One comes back with what it kept, one with nothing.
      const sky = await say('companion', 'Why is the sky blue?');
      const kept = new Page(url, sky.id).open();
      await eventually(() => assert(kept.messages > 10));
      await kept.close();
      assert(kept.rows.some((row) => row.complete === false), 'in the middle');
      const fresh = new Page(url, sky.id).open();
      kept.open();
      await standing(client, sky.id)('PAUSED');
      for (const reloaded of [kept, fresh]) {
        await reloaded.settled();
        assert.equal(reloaded.resets, 1, 'only who has nothing gets everything');
        await reloaded.close();
      }

      // Billing, and a checkout on its page.
      const wallet = async () =>
        (await ask(url, `{ billing { balance { availableMicroUsd } usage { usedMicroUsd lines { key } } plans { current { id } } invoices { id } grants { id } } }`)).billing;
      const billing = await wallet();
      assert.equal(billing.plans.current.id, 'free');
      assert(billing.usage.lines.some((line) => line.key === 'concierge'), JSON.stringify(billing.usage));
      assert(billing.invoices.length > 0 && billing.grants.length > 0);
      const { topup } = await ask(url, `mutation { topup(amountMicroUsd: 5000000) { url } }`);
      assert.match(await (await fetch(topup.url)).text(), /\$5\.00/);
      assert.equal((await wallet()).balance.availableMicroUsd, billing.balance.availableMicroUsd);
      assert((await fetch(topup.url, { method: 'POST' })).ok);
      assert.equal((await wallet()).balance.availableMicroUsd, billing.balance.availableMicroUsd + 5_000_000);
      await ask(url, `mutation { topup(amountMicroUsd: 0) { url } }`, undefined, 'BAD_USER_INPUT');

      // A conversation that was let go of opens with its latest rows. Earlier ones: beside the window, then into it.
      const window = async () =>
        (await ask(url, `query ($id: ID!) { conversation(id: $id) { chat { hasEarlier } timeline { seq } } }`, { id: ship.id })).conversation;
      let opened;
      await eventually(async () => {
        await sleep(4000); // it leaves memory when nobody asks for it
        opened = await window();
        assert(opened.chat.hasEarlier);
      });
      const back = new Page(url, ship.id).open();
      await eventually(() => assert(back.messages > 0));
      const { conversation: { rowPage } } = await ask(
        url,
        `query ($id: ID!, $seq: SafeInt) { conversation(id: $id) { rowPage(beforeSeq: $seq, limit: 1000) { rows { seq } hasEarlier } } }`,
        { id: ship.id, seq: opened.timeline[0].seq },
      );
      assert(rowPage.rows.length > 0 && !rowPage.hasEarlier);
      await ask(url, `mutation ($id: ID!) { loadEarlier(conversationId: $id, limit: 1000) { conversation { id } } }`, { id: ship.id });
      assert.deepEqual((await window()).timeline, [...rowPage.rows, ...opened.timeline]);
      await back.settled();
      await back.close();

      await client.dispose();
      server.stop();
      const [exit] = await within(server.exited, 'the exit');
      assert.equal(exit, 0);
    } finally {
      await client.dispose();
      server.kill();
    }
  });
}
