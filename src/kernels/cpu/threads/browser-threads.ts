// Threads of the CPU device in a browser: workers started by the device's worker, which share its memory if the browser allows it.
import { sharesMemory } from '../../../lib/shared-memory.ts';
import { MOST_THREADS, type ThreadHost } from './team.ts';

/** Threads of a page, by default one per core, of which `atFirst` are active initially; undefined for one thread, or if
 *  memory cannot be shared. */
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
