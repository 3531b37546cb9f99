// Starts the server's program, for checks that need one of their own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { assert, within } from './lib.mjs';

/** Starts the program with its demo; answers its URL once it serves. */
export async function serve(program, listen, ...flags) {
  const child = spawn(program, ['serve', '--listen', listen, ...flags], { stdio: ['ignore', 'ignore', 'pipe'] });
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stderr });
  try {
    const [first] = await within(once(lines, 'line'), 'the address');
    const url = /http:\/\/\S+/.exec(first)?.[0];
    assert(url, first);
    lines.resume();
    return { url, stop: () => child.kill('SIGTERM'), exited, kill: () => child.kill('SIGKILL') };
  } catch (err) {
    child.kill('SIGKILL');
    throw err;
  }
}
