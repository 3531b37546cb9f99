// The server's program as a process. INLAYGRAPH names the program.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

import { patience } from './eventually.js';

const greeting = 'Inlay GraphQL serves ';

export async function startServer(args = [], env = {}) {
  const program = process.env.INLAYGRAPH;
  assert(program, 'INLAYGRAPH names no program');
  const child = spawn(program, ['serve', '--listen', '127.0.0.1:0', ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, ...env },
  });
  const said = [];
  const lines = createInterface({ input: child.stderr });
  lines.on('line', (line) => said.push(line));
  const first = await Promise.race([
    once(lines, 'line', { signal: AbortSignal.timeout(patience) }).then(([line]) => line),
    once(child, 'exit').then(() => 'the server ended'),
  ]);
  if (!first.startsWith(greeting)) {
    child.kill('SIGKILL');
    assert.fail([first, ...said].join('\n'));
  }
  const url = first.slice(greeting.length);
  return {
    url,
    port: Number(new URL(url).port),
    async stop() {
      child.kill('SIGTERM');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      assert.equal(child.exitCode, 0, said.join('\n'));
    },
  };
}
