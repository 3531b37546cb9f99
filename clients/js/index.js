// Keeps a list of rows up to date by the operations of rowChanges. README.md tells how to use it, index.d.ts what each part
// takes and gives.
//
// Promises; tests name them by number.
//
//  1. Pure: what is passed in is never changed, and the same goes in and comes out.
//  2. A row that no operation names is the same object afterwards, and so is the list when there is none.
//  3. Whole or not at all: a message of which one operation can't be applied changes nothing, and the error says which.
//  4. Offsets and lengths are UTF-16 units, which is what a string's length counts.
//  5. A field that the document doesn't select (a row doesn't have it) is not made: what is appended to it is passed over.
//  6. The cursor is that of the last message applied.

/** What RowTextAppended calls a field, and what the row calls it. */
const FIELDS = new Map([
  ['CONTENT', 'content'],
  ['REASONING', 'reasoning'],
  ['VALUE', 'value'],
]);

export class RowChangesError extends Error {
  /**
   * @param {string} reason
   * @param {string} [op]
   * @param {number} [position]
   * @param {number} [index]
   */
  constructor(reason, op, position, index) {
    const what = op === undefined ? '' : `ops[${position}], ${op}${index === undefined ? '' : ` at index ${index}`}: `;
    super(`rowChanges: ${what}${reason}`);
    this.name = 'RowChangesError';
    this.op = op;
    this.position = position;
    this.index = index;
  }
}

/** @type {import('./index.js').Rows<never>} */
export const noRows = Object.freeze({ rows: Object.freeze([]), cursor: null });

/** @type {typeof import('./index.js').applyRowChanges} */
export function applyRowChanges(had, message) {
  if (message === null || typeof message !== 'object' || !Array.isArray(message.ops)) {
    throw new RowChangesError('the message has no ops; select them, and pass data.rowChanges');
  }
  return { rows: applyRowOps(had.rows, message.ops), cursor: message.cursor ?? null };
}

/** @type {typeof import('./index.js').applyRowOps} */
export function applyRowOps(rows, ops) {
  const list = { rows, own: false };
  for (let position = 0; position < ops.length; position++) {
    applyOp(list, ops[position], position);
  }
  return list.rows;
}

/**
 * Applies one operation. The rows are copied once for all operations of a message, when the first one changes them.
 *
 * @param {{ rows: readonly any[], own: boolean }} list
 * @param {any} op
 * @param {number} position
 */
function applyOp(list, op, position) {
  const type = op?.__typename;
  /** @param {string} reason */
  const fail = (reason) => {
    throw new RowChangesError(reason, type ?? 'an operation', position, op?.index);
  };
  /** @param {number} end */
  const rowsToEdit = (end) => {
    if (!Number.isInteger(op.index) || op.index < 0 || op.index >= end) fail(`the list has ${list.rows.length} rows`);
    if (!list.own) {
      list.rows = list.rows.slice();
      list.own = true;
    }
    return /** @type {any[]} */ (list.rows);
  };
  const length = list.rows.length;
  switch (type) {
    case 'RowsReset':
      if (!Array.isArray(op.rows)) fail('it has no rows');
      list.rows = op.rows;
      list.own = false;
      return;
    case 'RowInserted':
      if (!isRow(op.row)) fail('it has no row');
      rowsToEdit(length + 1).splice(op.index, 0, op.row);
      return;
    case 'RowReplaced':
      if (!isRow(op.row)) fail('it has no row');
      rowsToEdit(length)[op.index] = op.row;
      return;
    case 'RowRemoved':
      rowsToEdit(length).splice(op.index, 1);
      return;
    case 'RowTextAppended': {
      const edit = rowsToEdit(length);
      edit[op.index] = longer(edit[op.index], op, fail);
      return;
    }
    case undefined:
      fail('it has no __typename; select it');
      return;
    default:
      fail('not known here: the server is newer than this client');
  }
}

/** @param {any} row */
const isRow = (row) => row !== null && typeof row === 'object';

/**
 * Returns the row with a longer text.
 *
 * @param {any} row
 * @param {any} op
 * @param {(reason: string) => void} fail
 */
function longer(row, op, fail) {
  const field = FIELDS.get(op.field);
  if (field === undefined) {
    fail(`the field ${op.field} is not known here: the server is newer than this client`);
    return row;
  }
  if (typeof op.text !== 'string') fail('it has no text');
  const had = row[field];
  if (had === undefined) return row; // not selected
  const text = had ?? '';
  if (typeof text !== 'string') fail(`${field} is not text`);
  if (op.offset !== text.length) fail(`${field} has ${text.length} UTF-16 units, not ${op.offset}`);
  return { ...row, [field]: text + op.text };
}
