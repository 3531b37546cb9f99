// A client's list of rows, brought up to date by the operations of rowChanges.
import assert from 'node:assert/strict';

const growing = { CONTENT: 'content', REASONING: 'reasoning', VALUE: 'value' };

function apply(rows, op) {
  switch (op.__typename) {
    case 'RowsReset':
      return op.rows;
    case 'RowInserted':
      assert(op.index <= rows.length, 'a place that there is not');
      return rows.toSpliced(op.index, 0, op.row);
    case 'RowReplaced':
      assert(op.index < rows.length, 'no such row');
      return rows.with(op.index, op.row);
    case 'RowRemoved':
      assert(op.index < rows.length, 'no such row');
      return rows.toSpliced(op.index, 1);
    case 'RowTextAppended': {
      const name = growing[op.field];
      const text = rows[op.index][name] ?? '';
      assert.equal(op.offset, text.length, 'the offset is where the text ends');
      return rows.with(op.index, { ...rows[op.index], [name]: text + op.text });
    }
    default:
      throw new Error(`an unknown operation ${op.__typename}`);
  }
}

/** The rows after a message, for a client that had these before it. */
export const reduce = (rows, message) => message.ops.reduce(apply, rows);
