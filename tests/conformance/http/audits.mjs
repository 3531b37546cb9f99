// Runs the server audits of graphql-http (GraphQL over HTTP draft) against a running server:
//
//   npm ci && node audits.mjs http://127.0.0.1:8080/graphql
//
// Prints a line per audit, the counts per level, and `N passed, N failed`. Exit code 1 when any audit fails.
import { serverAudits } from 'graphql-http';

const url = process.argv[2];
if (!url) {
  console.error('usage: node audits.mjs URL');
  process.exit(2);
}

const levels = new Map();
let failed = 0;
let passed = 0;
for (const audit of serverAudits({ url })) {
  const level = audit.name.split(' ')[0];
  const count = levels.get(level) ?? { passed: 0, all: 0 };
  levels.set(level, count);
  count.all++;
  const result = await audit.fn();
  if (result.status === 'ok') {
    passed++;
    count.passed++;
    console.log(`ok      ${audit.id} ${audit.name}`);
  } else {
    failed++;
    console.log(`FAILED  ${audit.id} ${audit.name}: ${result.reason}`);
  }
}
for (const [level, count] of levels) console.log(`${level}: ${count.passed}/${count.all}`);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 || passed === 0 ? 1 : 0);
