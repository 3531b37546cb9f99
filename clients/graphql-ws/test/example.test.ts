import { suite } from 'inlaygraph-testing';
import WebSocket from 'ws';

import { codeOf, open } from '../src/client.js';

Object.assign(globalThis, { WebSocket }); // a browser, and Node from 22, has it

suite({ open, codeOf });
