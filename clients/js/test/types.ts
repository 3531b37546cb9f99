// What the compiler must take, and what it must refuse. It is checked, and never run.
import { applyRowChanges, applyRowOps, noRows, RowChangesError } from '../index.js';
import type { RowChanges, RowOp, Rows } from '../index.js';

// As a code generator types the document of the README.
enum RowTextField {
  Content = 'CONTENT',
  Reasoning = 'REASONING',
  Value = 'VALUE',
}
type Row =
  | { __typename: 'UserRow'; id: string | null; content: string }
  | { __typename: 'AssistantRow'; id: string | null; content: string; reasoning: string | null; complete: boolean };
interface Data {
  rowChanges: {
    __typename: 'RowChanges';
    cursor: string;
    ops: Array<
      | { __typename: 'RowsReset'; rows: Array<Row> }
      | { __typename: 'RowInserted'; index: number; row: Row }
      | { __typename: 'RowReplaced'; index: number; row: Row }
      | { __typename: 'RowRemoved'; index: number }
      | { __typename: 'RowTextAppended'; index: number; field: RowTextField; offset: number; text: string }
    >;
  };
}
declare const data: Data;

let state: Rows<Row> = noRows;
state = applyRowChanges(state, data.rowChanges);
const rows: readonly Row[] = applyRowOps(state.rows, data.rowChanges.ops);
for (const row of rows) {
  if (row.__typename === 'AssistantRow') row.complete satisfies boolean;
}
const after: string | null = state.cursor;
const inferred: Rows<Row> = applyRowChanges<Row>(noRows, data.rowChanges);

const withoutCursor: RowChanges<Row> = { ops: [{ __typename: 'RowRemoved', index: 0 }] };
applyRowChanges(state, withoutCursor);

const failure = new RowChangesError('no');
failure.name satisfies 'RowChangesError';
failure.op satisfies string | undefined;

// @ts-expect-error the rows are not the caller's to change
state.rows.push(rows[0]!);
// @ts-expect-error rows of another kind
applyRowOps<Row>(state.rows, [{ __typename: 'RowInserted', index: 0, row: { __typename: 'OutputRow' } }]);
// @ts-expect-error no such operation
const unknown: RowOp<Row> = { __typename: 'RowMoved', index: 0 };
// @ts-expect-error the whole data is no message
applyRowChanges(state, data);

export { after, inferred, unknown };
