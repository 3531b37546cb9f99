// A server that is stopped and started again, while the graphql-ws client stays connected.
import { assert, check, eventually, within } from './lib.mjs';
import { serve } from './serve.mjs';
import { connect } from './ws_client.mjs';

export function drainChecks(program) {
  check('drain: the client is closed with 1012, comes back by itself, and its subscription goes on', async () => {
    let server = await serve(program, '127.0.0.1:0', '--demo-speed', '4');
    const closes = [];
    let connections = 0;
    const client = connect(server.url, {
      lazy: false,
      retryAttempts: 20,
      retryWait: () => new Promise((resolve) => setTimeout(resolve, 200)),
      on: { closed: ({ code }) => closes.push(code), connected: () => connections++ },
    });
    try {
      let results = 0;
      let ended;
      client.subscribe({ query: 'subscription { timeline(conversationId: "demo-fanout") { __typename ... on AssistantRow { content } } }' }, {
        next: () => results++,
        error: (err) => (ended = err),
        complete: () => (ended = 'complete'),
      });
      await eventually(() => assert(results >= 3, `${results} results`));

      const address = new URL(server.url).host;
      server.stop();
      const [exit] = await within(server.exited, 'the exit');
      assert.equal(exit, 0);
      await eventually(() => assert.deepEqual(closes.slice(0, 1), [1012]));
      const before = results;

      server = await serve(program, address, '--demo-speed', '4');
      await eventually(() => assert(results > before + 2, `${results - before} results after the restart`));
      assert(connections >= 2);
      assert.equal(ended, undefined, 'the subscription outlives the restart');
    } finally {
      await client.dispose();
      server.kill();
    }
  });
}
