// Reduces the cost of Dawn's polling in Node for a software driver. While work is pending, Dawn polls in every turn of the event loop, with
// a new function each time; this keeps a core busy that the software driver needs. Dawn looks up `setImmediate` on globalThis at each poll,
// so the replacement here sleeps between polls, and passes all other callbacks on unchanged.

/** Number of polls of a wait without a pause, so that short work is not delayed. */
const EAGER = 8;
/** Milliseconds of each later pause; short compared with a submit on a CPU. */
const PAUSE_MS = 0.2;

type Callback = (...args: unknown[]) => void;
type Schedule = (callback: Callback, ...args: unknown[]) => unknown;

/** Whether a function is native and unnamed, like those of addons. */
const isNative = (callback: Callback) => callback.name === '' && String(callback) === 'function () { [native code] }';

/** `schedule` with a pause before each later poll of a wait. A wait ends when a poll does not schedule another. */
export function pausing(schedule: Schedule, pause: (ms: number) => void): Schedule {
  let polls = 0;
  let isAsking = false;
  return (callback, ...args) => {
    if (args.length > 0 || !isNative(callback)) return schedule(callback, ...args);
    polls = isAsking ? polls + 1 : 0;
    if (polls > EAGER) pause(PAUSE_MS);
    return schedule(() => {
      isAsking = true;
      try {
        callback();
      } finally {
        isAsking = false;
      }
    });
  };
}

/** Replaces setImmediate for the rest of the process. */
export function pauseDawn(): void {
  const cell = new Int32Array(new SharedArrayBuffer(4));
  const own = globalThis.setImmediate;
  const paused = pausing(own as Schedule, (ms) => void Atomics.wait(cell, 0, 0, ms));
  // Keeps the function's other properties (its promisified form).
  globalThis.setImmediate = Object.defineProperties(paused, Object.getOwnPropertyDescriptors(own)) as typeof own;
}
