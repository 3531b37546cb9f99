// rowChanges, replayed by a client in JavaScript.
import { assert, check, eventually, rowChanges, rowFields, within } from './lib.mjs';
import { reduce } from './replay.mjs';
import { connect } from './ws_client.mjs';

export function changesChecks(url) {
  check('rowChanges: replayed, they are the timeline, with offsets as JavaScript counts', async () => {
    const client = connect(url);
    const conversation = 'demo-fanout';
    let rows = [];
    let messages = 0;
    let failure;
    const changes = client.iterate({ query: rowChanges(conversation) });
    const follow = (async () => {
      for await (const { data, errors } of changes) {
        assert.equal(errors, undefined);
        assert.equal(data.rowChanges.ops.some((op) => op.__typename === 'RowsReset'), messages === 0, 'a reset is first, and only first');
        rows = reduce(rows, data.rowChanges);
        messages++;
      }
    })().catch((err) => (failure = err));
    const query = `{ conversation(id: "${conversation}") { timeline ${rowFields} } }`;
    for (const enough of [1, 60, 150]) {
      await eventually(async () => {
        if (failure) throw failure;
        assert(messages >= enough, `${messages} messages only`);
        const { value } = await within(client.iterate({ query }).next(), 'the query');
        assert.deepEqual(rows, value.data.conversation.timeline);
      }, 60_000);
    }
    assert(rows.some((row) => /[\u{10000}-\u{10ffff}]/u.test(row.content ?? '')), 'some text has more UTF-16 units than characters');
    await changes.return();
    await follow;
    assert.equal(failure, undefined);
    await client.dispose();
  });

  check('rowChanges: a new connection goes on after a cursor, without a reset', async () => {
    const conversation = 'demo-subagents';
    let rows = [];
    let cursor = null;
    for (let connection = 1; connection <= 3; connection++) {
      const client = connect(url);
      const query = rowChanges(conversation).replace(') {', ' after: $after) {').replace('subscription', 'subscription ($after: String)');
      const changes = client.iterate({ query, variables: { after: cursor } });
      for (let message = 1; message <= 10; message++) {
        const { value } = await within(changes.next(), 'a message');
        assert.equal(value.errors, undefined);
        const reset = value.data.rowChanges.ops.some((op) => op.__typename === 'RowsReset');
        assert.equal(reset, connection === 1 && message === 1);
        rows = reduce(rows, value.data.rowChanges);
        cursor = value.data.rowChanges.cursor;
      }
      await changes.return();
      await client.dispose();
    }
  });
}
