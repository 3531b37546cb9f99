// What the scripts of this folder share: checks, waiting, and the operations that they send to the demo.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

/** Long, because the machine may be busy with other things. */
export const patience = 30_000;

/** The URL of the WebSocket beside an HTTP one; either is taken. */
export const wsURL = (url) => url.replace(/^http/, 'ws');
export const httpURL = (url) => url.replace(/^ws/, 'http');

export const rowFields = `{ __typename type id seq path activation iteration at
  ... on UserRow { content } ... on AssistantRow { content reasoning complete }
  ... on OutputRow { name value status format complete }
  ... on ToolCallRow { toolCallId toolName input requiresClientResponse } ... on ToolResultRow { toolCallId output } }`;

export const rowChanges = (conversation) => `subscription { rowChanges(conversationId: "${conversation}") { cursor ops { __typename
  ... on RowsReset { rows ${rowFields} } ... on RowInserted { index row ${rowFields} } ... on RowReplaced { index row ${rowFields} }
  ... on RowTextAppended { index field offset text } ... on RowRemoved { index } } } }`;

/** The value of a promise, or an error after a while. */
export async function within(promise, what, ms = patience) {
  const timer = new AbortController();
  const late = sleep(ms, undefined, { signal: timer.signal }).then(() => {
    throw new Error(`${what}: nothing came within ${ms} ms`);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    timer.abort();
    late.catch(() => {});
  }
}

/** Asks again and again until nothing is thrown. */
export async function eventually(ask, ms = patience) {
  const end = Date.now() + ms;
  for (;;) {
    try {
      return await ask();
    } catch (err) {
      if (Date.now() > end) throw err;
      await sleep(20);
    }
  }
}

/** The first results of an iterator, which is then ended. */
export async function take(iterator, count) {
  const results = [];
  try {
    while (results.length < count) {
      const { done, value } = await within(iterator.next(), `result ${results.length + 1}`);
      if (done) break;
      results.push(value);
    }
  } finally {
    await iterator.return();
  }
  return results;
}

export const code = (errors) => errors?.[0]?.extensions?.code;

const checks = [];

/** Registers a check; run() runs all, one after the other. */
export function check(name, fn) {
  checks.push({ name, fn });
}

/** Runs the checks, says a line for each and a closing one, and leaves with 1 when any failed. */
export async function run() {
  let failed = 0;
  for (const { name, fn } of checks) {
    try {
      await within(Promise.resolve().then(fn), name, 3 * patience);
      console.log(`ok      ${name}`);
    } catch (err) {
      failed++;
      console.log(`FAILED  ${name}: ${err?.stack ?? JSON.stringify(err)}`);
    }
  }
  console.log(`${checks.length - failed} passed, ${failed} failed`);
  process.exit(failed > 0 || checks.length === 0 ? 1 : 0);
}

export { assert, sleep };
