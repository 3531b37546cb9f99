import { applyRowChanges, noRows } from 'inlaygraph-rows';

export const row = `{ __typename id type path
  ... on UserRow { content } ... on AssistantRow { content reasoning complete } ... on OutputRow { name value status complete }
  ... on ToolCallRow { toolCallId toolName input } ... on ToolResultRow { toolCallId output } }`;
const query = `subscription ($id: ID!, $path: [ID!], $after: String) {
  rowChanges(conversationId: $id, path: $path, after: $after, minIntervalMs: 100) { cursor ops { __typename
    ... on RowsReset { rows ${row} } ... on RowInserted { index row ${row} } ... on RowReplaced { index row ${row} }
    ... on RowRemoved { index } ... on RowTextAppended { index field offset text } } } }`;

/** Shows the rows of a conversation, or of one node of it, until the function that it returns is called. */
export function followRows(client, { id, path }, show, failed) {
  let state = noRows, stop, timer;
  const begin = () => {
    const variables = { id, path, get after() { return state.cursor; } }; // read again at each connection
    const next = ({ data, errors }) => {
      if (errors) return failed(errors[0]);
      try {
        state = applyRowChanges(state, data.rowChanges);
        show(state.rows);
      } catch (err) {
        if (err.name !== 'RowChangesError') throw err;
        stop(); // what is here is not what the server takes it for: begin with a reset
        state = noRows;
        timer = setTimeout(begin, 500);
      }
    };
    stop = client.subscribe({ query, variables }, { next, error: failed, complete() {} });
  };
  begin();
  return () => (clearTimeout(timer), stop());
}
