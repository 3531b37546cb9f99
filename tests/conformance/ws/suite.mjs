// Runs the graphql-ws and graphql-sse clients, and what the protocol asks for beyond what they send, against a server
// that serves its demo:
//
//   npm ci && node suite.mjs http://127.0.0.1:8080/graphql ./inlaygraph
//
// The second argument is the server's program: some checks start it for themselves.
// Prints a line for each check, then `N passed, N failed`, and leaves with 1 when any failed.
import { run } from './lib.mjs';
import { wsClientChecks } from './ws_client.mjs';
import { protocolChecks } from './protocol.mjs';
import { drainChecks } from './drain.mjs';
import { sseClientChecks } from './sse_client.mjs';
import { changesChecks } from './changes.mjs';
import { sessionChecks } from './session.mjs';

const [url, program] = process.argv.slice(2);
if (!url || !program) {
  console.error('usage: node suite.mjs URL PROGRAM');
  process.exit(2);
}

wsClientChecks(url);
protocolChecks(url);
sseClientChecks(url);
changesChecks(url);
drainChecks(program);
sessionChecks(program);
await run();
