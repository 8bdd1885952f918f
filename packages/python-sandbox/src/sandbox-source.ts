// The sandbox worker's script as text. A worker in a frame without network cannot import, and a Node thread must run the same code, so the
// parts are functions that use only their parameters and the platform's own globals, joined here by their source text. This works in every
// build (dev server, bundle, tests): a minifier may rename within a function but cannot tie it to its module, since no part refers to an
// outer name. Every grader test runs this text.
import { createFileCalls } from './file-calls.ts';
import { createImports } from './imports.ts';
import { createMemoryFs } from './memory-fs.ts';
import { serveSandbox } from './sandbox-worker.ts';
import { createVm } from './vm.ts';

/** `makeVm` is the text of a function like createVm. */
export const micropythonStart = (makeVm = String(createVm)): string =>
  `(${serveSandbox})(endpoint, (${makeVm}), { createMemoryFs: (${createMemoryFs}), createCalls: (${createFileCalls}), createImports: (${createImports}) });`;

// WebAssembly has only what the interpreter's start uses: no memory that workers could share in an isolated frame (Firefox's is isolated),
// and no way to compile anything else. Its objects lead to no constructor either.
const WEBASSEMBLY = `
const kept = Object.freeze({
  Instance: WebAssembly.Instance,
  Global: WebAssembly.Global,
  Module: Object.freeze({ imports: WebAssembly.Module.imports }),
});
for (const name of ['Module', 'Instance', 'Memory', 'Table', 'Global']) delete WebAssembly[name].prototype.constructor;`;

// WebAssembly programs cannot see these; they are removed in case a way out of the VM is ever found.
const BROWSER_GLOBALS = [
  'fetch XMLHttpRequest WebSocket WebSocketStream WebTransport EventSource importScripts Worker SharedWorker',
  'SharedArrayBuffer BroadcastChannel MessageChannel indexedDB caches cookieStore navigator location Notification RTCPeerConnection',
  'WebAssembly FileReader FileReaderSync FileSystemHandle createImageBitmap OffscreenCanvas Request Response URL crypto',
].join(' ');

const NODE_GLOBALS = [
  'process require module exports fetch WebSocket EventSource BroadcastChannel MessageChannel navigator Buffer',
  'Request Response crypto Crypto setImmediate performance SharedArrayBuffer WebAssembly',
].join(' ');

const disarm = (names: string): string => `
for (const name of '${names}'.split(' ')) {
  for (let scope = globalThis; scope !== null; scope = Object.getPrototypeOf(scope)) {
    try { delete scope[name]; } catch {}
  }
  try { Object.defineProperty(globalThis, name, { value: undefined, writable: false, configurable: false }); } catch {}
}`;

/** For a classic worker from a `data:` address (frame-script.js). `start` is the code that serves `endpoint`. */
export const browserWorkerSource = (start = micropythonStart()): string => `'use strict';
(() => {
  const post = self.postMessage.bind(self);
  const listenTo = self.addEventListener.bind(self);
  const endpoint = { post: (message) => post(message), listen: (handler) => listenTo('message', (event) => handler(event.data)) };
  ${WEBASSEMBLY}
  ${disarm(BROWSER_GLOBALS)}
  ((WebAssembly) => { ${start} })(kept);
})();`;

/** For `new Worker(source, { eval: true })` of node:worker_threads. */
export const nodeWorkerSource = (start = micropythonStart()): string => `'use strict';
{
  const port = require('node:worker_threads').parentPort;
  const endpoint = { post: (message) => port.postMessage(message), listen: (handler) => port.on('message', handler) };
  ${WEBASSEMBLY}
  ${disarm(NODE_GLOBALS)}
  ((WebAssembly, require, module, exports, process, global, Buffer) => { ${start} })(kept);
}`;
