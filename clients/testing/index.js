// What the examples are tested with. No dependencies; index.d.ts tells what each part takes and gives.
export { startServer } from './server.js';
export { startOlderPlatform } from './platform.js';
export { startProxy } from './proxy.js';
export { ask, readTimeline, sign } from './ask.js';
export { eventually, patience } from './eventually.js';
export { suite } from './suite.js';
