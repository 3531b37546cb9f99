// What the graphql-transport-ws protocol says of clients that break it; the real client never does.
import WebSocket from 'ws';
import { assert, check, within, wsURL } from './lib.mjs';

const init = { type: 'connection_init' };
const subscribe = (id, query = 'subscription { chat(conversationId: "demo-fanout") { status } }') => ({ type: 'subscribe', id, payload: { query } });

/** Opens a socket; messages are what came, closed is the code and reason it was closed with. */
function open(url, protocols = ['graphql-transport-ws']) {
  const socket = new WebSocket(wsURL(url), protocols);
  const messages = [];
  const waiting = [];
  socket.on('message', (data) => {
    messages.push(JSON.parse(data));
    for (const look of waiting) look();
  });
  const opened = new Promise((resolve, reject) => {
    socket.on('open', resolve);
    socket.on('error', reject);
  });
  opened.catch(() => {});
  const closed = new Promise((resolve) => socket.on('close', (code, reason) => resolve({ code, reason: String(reason) })));
  return {
    messages, opened, closed,
    send: (message) => socket.send(typeof message === 'string' ? message : JSON.stringify(message)),
    /** Waits for a message of a kind. */
    got: (type) => within(new Promise((resolve) => {
      const look = () => {
        const found = messages.find((m) => m.type === type);
        if (found) resolve(found);
      };
      waiting.push(look);
      look();
    }), type),
    end: () => socket.terminate(),
  };
}

export function protocolChecks(url) {
  /** Acknowledged unless told otherwise, sends what is given, and expects to be closed with a code. */
  const closes = (name, want, messages, acknowledged = true) => {
    check(`protocol: ${name} closes with ${want}`, async () => {
      const socket = open(url);
      await within(socket.opened, 'the connection');
      if (acknowledged) {
        socket.send(init);
        await socket.got('connection_ack');
      }
      for (const message of messages) socket.send(message);
      const { code, reason } = await within(socket.closed, 'the close');
      assert.equal(code, want, reason);
      assert.notEqual(reason, '');
    });
  };

  for (const [name, protocols] of [['no subprotocol', []], ['the legacy subprotocol', ['graphql-ws']], ['an unknown subprotocol', ['soap']]]) {
    check(`protocol: ${name} is refused`, async () => {
      const socket = open(url, protocols);
      let refused = false;
      await within(socket.opened, 'the connection').catch(() => (refused = true));
      if (!refused) assert.equal((await within(socket.closed, 'the close')).code, 4406);
      assert.deepEqual(socket.messages, []);
    });
  }
  closes('no connection_init', 4408, [], false);
  closes('a subscribe before the acknowledgement', 4401, [subscribe('1')], false);
  closes('a second connection_init', 4429, [init]);
  closes('the id of an operation that is running', 4409, [subscribe('1'), subscribe('1')]);
  closes('what is not JSON', 4400, ['hello']);
  closes('a message without a type', 4400, [{ id: '1' }]);
  closes('a message of an unknown type', 4400, [{ type: 'start', id: '1', payload: {} }]);
  closes('a subscribe without an id', 4400, [{ type: 'subscribe', payload: { query: '{ __typename }' } }]);
  closes('a subscribe without a payload', 4400, [{ type: 'subscribe', id: '1' }]);
  closes('a list', 4400, ['[]']);

  check('protocol: an id is free again once its operation is complete', async () => {
    const socket = open(url);
    await within(socket.opened, 'the connection');
    socket.send(init);
    await socket.got('connection_ack');
    for (let round = 1; round <= 3; round++) {
      socket.messages.length = 0;
      socket.send(subscribe('same', '{ __typename }'));
      assert.deepEqual((await socket.got('next')).payload, { data: { __typename: 'Query' } });
      await socket.got('complete');
    }
    socket.end();
  });

  check('protocol: complete of an unknown id, and a client that pings, are no fault', async () => {
    const socket = open(url);
    await within(socket.opened, 'the connection');
    socket.send(init);
    await socket.got('connection_ack');
    socket.send({ type: 'complete', id: 'nobody' });
    socket.send({ type: 'ping', payload: { n: 1 } });
    await socket.got('pong');
    socket.send(subscribe('1', '{ __typename }'));
    await socket.got('next');
    socket.end();
  });
}
