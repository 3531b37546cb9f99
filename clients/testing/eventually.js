import { setTimeout as sleep } from 'node:timers/promises';

export const patience = 60_000; // the machine may be busy with other things

export async function eventually(ask) {
  for (const end = Date.now() + patience; ; await sleep(20)) {
    try {
      return await ask();
    } catch (err) {
      if (Date.now() > end) throw err;
    }
  }
}
