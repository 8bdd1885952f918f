// Threads of the CPU device in a browser: workers of the worker that the device lives in. They share its memory, where the browser
// lets them.
import { sharesMemory } from '../../../lib/shared-memory.ts';
import { MOST_THREADS, type ThreadHost } from './team.ts';

/** Threads of a page, by default as many as there are cores, `atFirst` of them awake; undefined for one thread, and
 *  where memory cannot be shared. */
export function browserThreads(count = navigator.hardwareConcurrency, atFirst = count): ThreadHost | undefined {
  if (count <= 1 || !sharesMemory()) return undefined;
  return {
    count: Math.min(count, MOST_THREADS),
    atFirst: Math.min(atFirst, count, MOST_THREADS),
    start: (init) =>
      new Promise((resolve, reject) => {
        const worker = new Worker(new URL('./browser-helper.ts', import.meta.url), { type: 'module', name: 'thread' });
        worker.onmessage = () => resolve();
        worker.onerror = (event) => {
          worker.terminate();
          reject(new Error(event.message || 'A thread could not be started.'));
        };
        worker.postMessage(init);
      }),
  };
}
