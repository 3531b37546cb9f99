/**
 * One operation on an ordered list of rows. `Row` is a row as the document selects it: the operations hold rows of whatever
 * type a code generator made of the document.
 */
export type RowOp<Row> = RowsReset<Row> | RowInserted<Row> | RowTextAppended | RowReplaced<Row> | RowRemoved;

/** Throw the list away and begin with this one. */
export interface RowsReset<Row> {
  readonly __typename: 'RowsReset';
  readonly rows: readonly Row[];
}

/** Put a row in. What stood at the index and after it moves up. */
export interface RowInserted<Row> {
  readonly __typename: 'RowInserted';
  readonly index: number;
  readonly row: Row;
}

/** Add text at the end of a field of a row. */
export interface RowTextAppended {
  readonly __typename: 'RowTextAppended';
  readonly index: number;
  /** `CONTENT`, `REASONING` or `VALUE`. A string, because code generators make enums of their own of it. */
  readonly field: string;
  /** How long the field's text is before, in UTF-16 units, as `String.length` counts. */
  readonly offset: number;
  readonly text: string;
}

/** Put another row in the place of one. */
export interface RowReplaced<Row> {
  readonly __typename: 'RowReplaced';
  readonly index: number;
  readonly row: Row;
}

/** Take a row out. What stood after it moves down. */
export interface RowRemoved {
  readonly __typename: 'RowRemoved';
  readonly index: number;
}

/** A message: `data.rowChanges`. */
export interface RowChanges<Row> {
  /** Where the list stands after these operations. A document that doesn't select it can't go on after a lost connection. */
  readonly cursor?: string | null;
  readonly ops: readonly RowOp<Row>[];
}

/** A list of rows, and where it stands. */
export interface Rows<Row> {
  readonly rows: readonly Row[];
  /** Pass it as `after` to go on from here; null: there is nothing to go on from. */
  readonly cursor: string | null;
}

/** Where every list begins, and what to go back to after a {@link RowChangesError}. */
export declare const noRows: Rows<never>;

/**
 * Returns the list after a message. Neither argument is changed; rows that no operation names are the same objects, and
 * without operations the list is the same one.
 *
 * @throws {RowChangesError} when an operation can't be applied: subscribe again without `after`.
 */
export declare function applyRowChanges<Row extends object>(had: Rows<Row>, message: RowChanges<Row>): Rows<Row>;

/** {@link applyRowChanges} for a list whose cursor is kept elsewhere. */
export declare function applyRowOps<Row extends object>(rows: readonly Row[], ops: readonly RowOp<Row>[]): readonly Row[];

/**
 * An operation can't be applied to the list: its index is out of range, its offset is not the length of the text, or it is
 * not known to this version. The list is not what the server takes it for; a subscription without `after` begins anew.
 */
export declare class RowChangesError extends Error {
  constructor(reason: string, op?: string, position?: number, index?: number);
  readonly name: 'RowChangesError';
  /** The operation's type. Undefined when the message as a whole is none. */
  readonly op: string | undefined;
  /** Its place in the message's ops. */
  readonly position: number | undefined;
  /** The row's index that it gives. */
  readonly index: number | undefined;
}
