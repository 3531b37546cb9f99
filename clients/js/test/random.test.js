// Random lists and operations against a slow reference. SEED=n repeats a run, RUNS=n makes it longer.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { applyRowOps, RowChangesError } from '../index.js';
import { frozen } from './frozen.js';

const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);
const runs = Number(process.env.RUNS ?? 2000);

/** Random numbers from 0 up to n (Mulberry32). */
function random(state) {
  return (n) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % n;
  };
}

const pieces = ['a', 'é', 'e\u0301', '😀', '👩\u200d👧', '\u0301', '𝒳', '\n', '漢', '\u200f', '\u{10ffff}', 'word '];
const fields = { AssistantRow: ['CONTENT', 'REASONING'], OutputRow: ['VALUE'] };
const names = { CONTENT: 'content', REASONING: 'reasoning', VALUE: 'value' };

/** The length as a string counts it, by going through the characters. */
const units = (text) => [...text].reduce((n, char) => n + (char.codePointAt(0) > 0xffff ? 2 : 1), 0);

const some = (next, list) => list[next(list.length)];
const text = (next) => Array.from({ length: next(4) }, () => some(next, pieces)).join('');

function row(next) {
  switch (next(4)) {
    case 0:
      return { __typename: 'UserRow', id: `u${next(1000)}`, content: text(next) };
    case 1:
      return { __typename: 'OutputRow', id: null, value: next(2) ? text(next) : null };
    default:
      return { __typename: 'AssistantRow', id: `a${next(1000)}`, content: text(next), reasoning: next(2) ? text(next) : null };
  }
}

/** An operation that fits the rows of the reference. */
function fitting(next, rows) {
  const index = next(rows.length + 1);
  const growing = fields[rows[index]?.__typename];
  if (index === rows.length) {
    return next(20) ? { __typename: 'RowInserted', index, row: row(next) } : { __typename: 'RowsReset', rows: [row(next), row(next), row(next)] };
  }
  switch (next(8)) {
    case 0:
      return { __typename: 'RowInserted', index, row: row(next) };
    case 1:
      return { __typename: 'RowRemoved', index };
    case 2:
      return { __typename: 'RowReplaced', index, row: row(next) };
  }
  if (!growing) return { __typename: 'RowReplaced', index, row: row(next) };
  const field = some(next, growing);
  return { __typename: 'RowTextAppended', index, field, offset: units(rows[index][names[field]] ?? ''), text: text(next) };
}

/** Applies an operation to deep copies, without sharing anything. */
function slowly(rows, op) {
  rows = JSON.parse(JSON.stringify(rows));
  op = JSON.parse(JSON.stringify(op));
  const [before, at, after] = [rows.filter((_, i) => i < op.index), rows[op.index], rows.filter((_, i) => i > op.index)];
  switch (op.__typename) {
    case 'RowsReset':
      return op.rows;
    case 'RowInserted':
      return [...before, op.row, ...(at ? [at] : []), ...after];
    case 'RowReplaced':
      return [...before, op.row, ...after];
    case 'RowRemoved':
      return [...before, ...after];
    case 'RowTextAppended':
      at[names[op.field]] = [...(at[names[op.field]] ?? ''), ...op.text].join('');
      return rows;
  }
  throw new Error(op.__typename);
}

/** The same operation, made wrong in one place. */
function broken(next, op, rows) {
  switch (next(op.__typename === 'RowTextAppended' ? 4 : 2)) {
    case 0:
      return { ...op, __typename: 'RowMoved' };
    case 1:
      return op.__typename === 'RowsReset' ? { ...op, rows: undefined } : { ...op, index: rows.length + 1 + next(3) };
    case 2:
      return { ...op, offset: op.offset + 1 + next(2) };
  }
  return { ...op, offset: op.offset - 1 - next(2) };
}

test(`rows: as a slow reference, seed ${seed}`, () => {
  for (let run = 0; run < runs; run++) {
    const next = random(seed + run);
    const at = `SEED=${seed + run} RUNS=1`;
    let want = Array.from({ length: next(6) }, () => row(next));
    let rows = frozen(JSON.parse(JSON.stringify(want)));
    for (let messages = 1 + next(6); messages > 0; messages--) {
      const ops = [];
      const had = rows;
      let places = rows.map((_, i) => i); // where each row of before stands now; -1 for others
      for (let n = next(7); n > 0; n--) {
        const op = fitting(next, want);
        ops.push(op);
        want = slowly(want, op);
        if (op.__typename === 'RowsReset') places = want.map(() => -1);
        if (op.__typename === 'RowInserted') places.splice(op.index, 0, -1);
        if (op.__typename === 'RowReplaced') places[op.index] = -1;
        if (op.__typename === 'RowRemoved') places.splice(op.index, 1);
        if (op.__typename === 'RowTextAppended') places[op.index] = -1;
      }
      frozen(ops);
      if (next(4) === 0) {
        const op = frozen(broken(next, fitting(next, want), want));
        assert.throws(() => applyRowOps(rows, [...ops, op]), (err) => {
          assert(err instanceof RowChangesError, `${at}: ${err.stack}`);
          assert.deepEqual([err.op, err.position, err.index], [op.__typename, ops.length, op.index], at);
          return true;
        });
      }
      rows = applyRowOps(rows, ops);
      assert.deepEqual(rows, want, at);
      if (ops.length === 0) assert.equal(rows, had, at);
      places.forEach((was, i) => was >= 0 && assert.equal(rows[i], had[was], `${at}: row ${i} is another object`));
      frozen(rows);
    }
  }
});
