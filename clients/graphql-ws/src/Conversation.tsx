// #region react
import { memo, useEffect, useState } from 'react';

import type { open } from './client.js';
import type { RowFragment } from './gql/graphql.js';

/** Renders only the rows that changed: the others stay the same objects. */
const Row = memo(({ row }: { row: RowFragment }) => {
  switch (row.__typename) {
    case 'UserRow':
    case 'AssistantRow':
      return <p>{row.content}</p>;
    case 'OutputRow':
      return <pre>{row.name}: {JSON.stringify(row.value)}</pre>;
    default:
      return <small>{row.type}</small>;
  }
});

export function Conversation({ client, id }: { client: ReturnType<typeof open>; id: string }) {
  const [rows, setRows] = useState<readonly RowFragment[]>([]);
  useEffect(() => client.followRows(id, setRows, console.error), [client, id]);
  return rows.map((row, i) => <Row key={row.id ?? i} row={row} />);
}
// #endregion
