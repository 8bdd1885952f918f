// The document converter in a Node thread: without environment, arguments or output, and with a limited heap.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { MOST } from '../../../documents.ts';
import { type FromConverter, type Libraries, serveConversions } from './convert.ts';
import type { StartConverter } from './converter.ts';

const LIBRARIES: Readonly<Record<keyof Libraries, string>> = {
  fflate: 'fflate',
  pdf: 'unpdf',
  word: 'mammoth',
  excel: 'read-excel-file/universal',
  markdown: 'node-html-markdown',
};

const SOURCE = `const { parentPort, workerData: { urls, most } } = require('node:worker_threads');
const endpoint = {
  post: (message) => parentPort.postMessage(message),
  listen: (take) => parentPort.on('message', take),
};
const libraries = Object.fromEntries(Object.entries(urls).map(([name, url]) => [name, () => import(url)]));
(${serveConversions})(endpoint, libraries, most);`;

export const startNodeConverter: StartConverter = () => {
  const { resolve } = createRequire(import.meta.url);
  const urls = Object.fromEntries(
    Object.entries(LIBRARIES).map(([name, library]) => [name, pathToFileURL(resolve(library)).href]),
  );
  const worker = new Worker(SOURCE, {
    eval: true,
    workerData: { urls, most: MOST },
    env: {},
    argv: [],
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: MOST.heap / 2 ** 20, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
  });
  let take: (message: FromConverter) => void = () => {};
  let died = () => {};
  worker.on('message', (message: FromConverter) => take(message));
  worker.on('error', () => died());
  worker.on('exit', () => died());
  return {
    post: (message) => worker.postMessage(message),
    onMessage: (next) => {
      take = next;
    },
    onDied: (next) => {
      died = next;
    },
    terminate: () => {
      died = () => {};
      void worker.terminate();
    },
  };
};
