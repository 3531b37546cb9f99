// The graphql-sse client in the distinct connections mode.
import { createClient } from 'graphql-sse';
import { assert, check, code, httpURL, take } from './lib.mjs';

export function sseClientChecks(url) {
  const connect = (options = {}) => createClient({ url: httpURL(url), singleConnection: false, retryAttempts: 0, ...options });

  check('graphql-sse: a subscription', async () => {
    const client = connect();
    const results = await take(client.iterate({
      query: 'subscription ($id: ID!) { timeline(conversationId: $id) { __typename id ... on AssistantRow { content } } }',
      variables: { id: 'demo-fanout' },
    }), 5);
    assert.equal(results.length, 5);
    for (const { data, errors } of results) {
      assert.equal(errors, undefined);
      assert(Array.isArray(data.timeline));
    }
    client.dispose();
  });

  check('graphql-sse: a single query is one result, then complete', async () => {
    const client = connect();
    const results = await take(client.iterate({ query: '{ conversation(id: "demo-chat") { id } }' }), 2);
    assert.deepEqual(results, [{ data: { conversation: { id: 'demo-chat' } } }]);
    client.dispose();
  });

  for (const [name, query, want] of [
    ['a validation error', 'subscription { nothing }', 'GRAPHQL_VALIDATION_FAILED'],
    ['a syntax error', '{', 'GRAPHQL_PARSE_FAILED'],
    ['an unknown conversation', 'subscription { run(conversationId: "nobody") { status } }', 'NOT_FOUND'],
  ]) {
    check(`graphql-sse: ${name} is in \`next\`, then complete`, async () => {
      const client = connect();
      const results = await take(client.iterate({ query }), 2);
      assert.equal(results.length, 1);
      assert.equal(code(results[0].errors), want);
      client.dispose();
    });
  }

  check('graphql-sse: a client that leaves ends its stream alone', async () => {
    const [a, b] = [connect(), connect()];
    const query = 'subscription { timeline(conversationId: "demo-fanout") { __typename ... on AssistantRow { content } } }';
    const other = b.iterate({ query });
    await other.next();
    await take(a.iterate({ query }), 2);
    a.dispose();
    const more = await take(other, 3);
    assert.equal(more.length, 3);
    b.dispose();
  });
}
