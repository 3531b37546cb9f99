// The server asked plainly, beside the client that is tested.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';

export function sign(secret, claims) {
  const part = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const body = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`;
  return `${body}.${createHmac('sha256', secret).update(body).digest('base64url')}`;
}

export async function ask(url, query, variables, token = '') {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = await response.json();
  assert.equal(errors, undefined);
  return data;
}

const row = `__typename type id path
  ... on UserRow { content } ... on AssistantRow { content reasoning complete } ... on OutputRow { name value status format complete }
  ... on ToolCallRow { toolCallId toolName input } ... on ToolResultRow { toolCallId output }`;

export async function readTimeline(url, id, token) {
  const data = await ask(url, `query ($id: ID!) { conversation(id: $id) { timeline { ${row} } } }`, { id }, token);
  return data.conversation.timeline;
}
