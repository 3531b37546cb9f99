// A relay of TCP connections that the test can cut, and that counts what the server says on them.
import { once } from 'node:events';
import { connect, createServer } from 'node:net';

export async function startProxy(port) {
  const open = new Set();
  const counts = new Map();
  const relay = createServer((client) => {
    const server = connect(target.port, '127.0.0.1');
    const pair = { client, server, upgraded: false };
    open.add(pair);
    const end = () => {
      open.delete(pair);
      client.destroy();
      server.destroy();
    };
    let before = '';
    server.on('data', (bytes) => {
      const text = bytes.toString('latin1'); // messages come uncompressed and unmasked
      pair.upgraded ||= text.startsWith('HTTP/1.1 101');
      for (const [word, count] of counts) {
        const tail = before.slice(1 - word.length);
        counts.set(word, count + (tail + text).split(word).length - 1);
      }
      before = (before + text).slice(-100);
      if (!client.write(bytes)) server.pause();
    });
    client.on('drain', () => server.resume());
    client.on('data', (bytes) => server.write(bytes));
    for (const socket of [client, server]) socket.on('close', end).on('error', end).on('end', end);
  });
  const target = { port };
  relay.listen(0, '127.0.0.1');
  await once(relay, 'listening');
  const sockets = () => [...open].filter((pair) => pair.upgraded);
  return {
    url: `http://127.0.0.1:${relay.address().port}/graphql`,
    target,
    count(word) {
      if (!counts.has(word)) counts.set(word, 0);
      return () => counts.get(word);
    },
    cut() {
      const cut = sockets();
      for (const { client, server } of cut) {
        client.destroy();
        server.destroy();
      }
      return cut.length;
    },
    async stop() {
      for (const { client, server } of open) {
        client.destroy();
        server.destroy();
      }
      relay.close();
      await once(relay, 'close');
    },
  };
}
