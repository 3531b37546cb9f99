// A platform of an older kind (docs/wire.md, "Endpoints"): its rows have no ids. It has one conversation, which is over.
import { once } from 'node:events';
import { createServer } from 'node:http';

const conversation = 'old';
const head = { type: 'conversation', conversation_id: conversation, agent_id: 'elder', agent_version: 1, status: 'paused', has_earlier: false };
const rows = [
  { type: 'user', seq: 1, content: 'Count to two.' },
  { type: 'assistant', seq: 2, node_id: 'counter', content: 'One.' },
  { type: 'assistant', seq: 3, node_id: 'counter', content: 'Two.' },
];

export async function startOlderPlatform() {
  const answers = new Map([
    [`/v1/conversations/${conversation}`, head],
    [`/v1/conversations/${conversation}/rows`, { rows, has_earlier: false }],
  ]);
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, 'http://platform');
    const answer = answers.get(pathname);
    response.writeHead(answer ? 200 : 404, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(answer ?? { error: { code: 'not_found', message: 'none' } }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    conversation,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
