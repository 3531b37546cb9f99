// What each operation does, and what is refused. The numbers are those of the promises in index.js.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { applyRowChanges, applyRowOps, noRows, RowChangesError } from '../index.js';
import { frozen } from './frozen.js';

const user = (content) => ({ __typename: 'UserRow', content });
const turn = (content, reasoning = null) => ({ __typename: 'AssistantRow', content, reasoning });
const output = (value) => ({ __typename: 'OutputRow', value });

const reset = (...rows) => ({ __typename: 'RowsReset', rows });
const insert = (index, row) => ({ __typename: 'RowInserted', index, row });
const replace = (index, row) => ({ __typename: 'RowReplaced', index, row });
const remove = (index) => ({ __typename: 'RowRemoved', index });
const append = (index, field, offset, text) => ({ __typename: 'RowTextAppended', index, field, offset, text });

const [a, b, c] = [user('a'), turn('b'), output('c')];

for (const [name, rows, ops, want] of [
  ['no operation', [a, b], [], [a, b]],
  ['a reset', [a], [reset(b, c)], [b, c]],
  ['a reset to nothing', [a], [reset()], []],
  ['an insertion at the front', [a, b], [insert(0, c)], [c, a, b]],
  ['an insertion at the end', [a, b], [insert(2, c)], [a, b, c]],
  ['an insertion into nothing', [], [insert(0, c)], [c]],
  ['a replacement', [a, b], [replace(1, c)], [a, c]],
  ['a removal', [a, b, c], [remove(1)], [a, c]],
  ['content that grows', [b], [append(0, 'CONTENT', 1, 'cd')], [turn('bcd')]],
  ['reasoning that begins', [b], [append(0, 'REASONING', 0, 'why')], [turn('b', 'why')]],
  ['a value that grows', [c], [append(0, 'VALUE', 1, 'd')], [output('cd')]],
  ['a value that begins', [output(null)], [append(0, 'VALUE', 0, 'd')], [output('d')]],
  ['surrogates count twice (4)', [turn('😀')], [append(0, 'CONTENT', 2, '👩‍👧'), append(0, 'CONTENT', 7, '!')], [turn('😀👩‍👧!')]],
  ['operations one after the other', [a, b], [remove(0), insert(1, a), append(0, 'CONTENT', 1, 'x'), insert(0, c)], [c, turn('bx'), a]],
  ['a reset amid others', [a], [insert(1, b), reset(c), insert(0, a)], [a, c]],
  ['a field that is not selected (5)', [{ id: '1' }], [append(0, 'CONTENT', 700, 'x')], [{ id: '1' }]],
]) {
  test(`rows: ${name}`, () => {
    frozen(rows);
    frozen(ops);
    assert.deepEqual(applyRowOps(rows, ops), want);
    const state = applyRowChanges(frozen({ rows, cursor: 'before' }), { cursor: 'now', ops });
    assert.deepEqual(state, { rows: want, cursor: 'now' });
  });
}

test('rows: what no operation names stays the same object (2)', () => {
  const rows = frozen([a, b, c]);
  assert.equal(applyRowOps(rows, []), rows);
  const after = applyRowOps(rows, frozen([append(1, 'CONTENT', 1, '!'), insert(0, user('z'))]));
  assert.equal(after[1], a);
  assert.equal(after[3], c);
  assert.notEqual(after[2], b);
  assert.equal(b.content, 'b');
  const list = frozen([b, c]);
  assert.equal(applyRowOps(rows, [{ __typename: 'RowsReset', rows: list }]), list);
});

test('rows: a list given by a reset is not changed by what follows (1)', () => {
  const given = [a];
  assert.deepEqual(applyRowOps([], [reset(), { __typename: 'RowsReset', rows: given }, insert(0, b), remove(1)]), [b]);
  assert.deepEqual(given, [a]);
});

test('rows: the cursor is the last message\'s (6)', () => {
  let state = applyRowChanges(noRows, { cursor: 'one', ops: [reset(a)] });
  state = applyRowChanges(state, { cursor: 'two', ops: [] });
  assert.deepEqual(state, { rows: [a], cursor: 'two' });
  assert.deepEqual(applyRowChanges(state, { ops: [] }), { rows: [a], cursor: null }, 'one that is not selected is none');
  assert.deepEqual(noRows, { rows: [], cursor: null });
});

for (const [name, ops, op, position, index, reason] of [
  ['an insertion beyond the end', [insert(3, a)], 'RowInserted', 0, 3, /RowInserted at index 3: the list has 2 rows/],
  ['an insertion before the front', [insert(-1, a)], 'RowInserted', 0, -1, /2 rows/],
  ['a replacement beyond the end', [remove(0), replace(1, a)], 'RowReplaced', 1, 1, /ops\[1\], RowReplaced at index 1: the list has 1 rows/],
  ['a removal beyond the end', [remove(2)], 'RowRemoved', 0, 2, /2 rows/],
  ['a removal from nowhere', [{ __typename: 'RowRemoved' }], 'RowRemoved', 0, undefined, /RowRemoved: the list has 2 rows/],
  ['half an index', [remove(0.5)], 'RowRemoved', 0, 0.5, /2 rows/],
  ['an append beyond the end', [append(2, 'CONTENT', 0, 'x')], 'RowTextAppended', 0, 2, /2 rows/],
  ['an offset too small', [append(1, 'CONTENT', 0, 'x')], 'RowTextAppended', 0, 1, /content has 1 UTF-16 units, not 0/],
  ['an offset too great', [append(1, 'CONTENT', 1, 'x'), append(1, 'CONTENT', 3, 'x')], 'RowTextAppended', 1, 1, /has 2 UTF-16 units, not 3/],
  ['an offset into nothing', [append(1, 'REASONING', 1, 'x')], 'RowTextAppended', 0, 1, /reasoning has 0 UTF-16 units, not 1/],
  ['an append to what is no text', [replace(1, output(7)), append(1, 'VALUE', 0, 'x')], 'RowTextAppended', 1, 1, /value is not text/],
  ['an unknown field', [append(1, 'TITLE', 0, 'x')], 'RowTextAppended', 0, 1, /the field TITLE is not known/],
  ['no text', [append(1, 'CONTENT', 1)], 'RowTextAppended', 0, 1, /has no text/],
  ['an insertion of nothing', [insert(1, null)], 'RowInserted', 0, 1, /has no row/],
  ['a replacement by nothing', [replace(1)], 'RowReplaced', 0, 1, /has no row/],
  ['a reset to what is no list', [{ __typename: 'RowsReset' }], 'RowsReset', 0, undefined, /has no rows/],
  ['an unknown operation', [insert(0, a), { __typename: 'RowMoved', index: 1 }], 'RowMoved', 1, 1, /ops\[1\], RowMoved at index 1: not known here/],
  ['an operation without a type', [{ index: 1 }], 'an operation', 0, 1, /no __typename/],
  ['null for an operation', [null], 'an operation', 0, undefined, /no __typename/],
]) {
  test(`rows: refused is ${name} (3)`, () => {
    const had = frozen({ rows: [a, b], cursor: 'before' });
    assert.throws(() => applyRowChanges(had, frozen({ cursor: 'now', ops })), (err) => {
      assert(err instanceof RowChangesError && err instanceof Error);
      assert.equal(err.name, 'RowChangesError');
      assert.match(err.message, /^rowChanges: /);
      assert.match(err.message, reason);
      assert.deepEqual([err.op, err.position, err.index], [op, position, index]);
      return true;
    });
  });
}

for (const message of [undefined, null, {}, { cursor: 'x' }, { ops: {} }, 'ops']) {
  test(`rows: refused is a message ${JSON.stringify(message)} (3)`, () => {
    assert.throws(() => applyRowChanges(noRows, message), { name: 'RowChangesError', op: undefined, position: undefined, index: undefined });
  });
}

test('rows: the README shows the example that is tested', async () => {
  const [readme, example] = await Promise.all(['../README.md', '../example.js'].map((name) => readFile(new URL(name, import.meta.url), 'utf8')));
  assert(readme.includes(example), 'README.md and example.js differ');
  assert(example.split('\n').length <= 40);
});
