// Threads of the CPU device in Node, as worker threads.
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { helper } from './helper.ts';
import { MOST_THREADS, type ThreadHost } from './team.ts';

const SOURCE = `const { parentPort, workerData } = require('node:worker_threads');
(${helper})(workerData, () => parentPort.postMessage('ready'));
parentPort.close();`;

/** `count` threads, by default one per core, of which `atFirst` are active initially; undefined for one, which needs no helpers. */
export function nodeThreads(count = availableParallelism(), atFirst = count): ThreadHost | undefined {
  if (count <= 1) return undefined;
  return {
    count: Math.min(count, MOST_THREADS),
    atFirst: Math.min(atFirst, count, MOST_THREADS),
    start: (init) =>
      new Promise((resolve, reject) => {
        // Small heaps suffice, since a helper allocates almost nothing.
        const resourceLimits = { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 16, stackSizeMb: 1 };
        const worker = new Worker(SOURCE, {
          eval: true,
          workerData: init,
          env: {},
          argv: [],
          execArgv: [],
          resourceLimits,
        });
        worker.once('message', () => {
          // A waiting helper of a device that is never destroyed must not keep the process alive.
          worker.unref();
          resolve();
        });
        worker.once('error', reject);
        worker.once('exit', () => reject(new Error('The thread ended before it began.')));
      }),
  };
}
