// Makes Dawn's waiting in Node bearable for a software driver. While anything is pending, Dawn polls in every turn of the event loop, with
// a new function each time: the polls and their garbage keep a core busy, and a software driver computes on that core. Dawn looks
// `setImmediate` up on globalThis at each poll; the one here lets it sleep between two polls, and treats all other callbacks as before.

/** Polls of one wait without a pause, so that short work is not delayed. */
const EAGER = 8;
/** Milliseconds of each later pause; little beside the time of a submit on a processor. */
const PAUSE_MS = 0.2;

type Callback = (...args: unknown[]) => void;
type Schedule = (callback: Callback, ...args: unknown[]) => unknown;

/** Whether a function is native and unnamed, as those of addons are. */
const isNative = (callback: Callback) => callback.name === '' && String(callback) === 'function () { [native code] }';

/** `schedule` with a pause before each late poll of a wait; a wait ends when a poll schedules no other. */
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

/** Lasts for the rest of the process. */
export function pauseDawn(): void {
  const cell = new Int32Array(new SharedArrayBuffer(4));
  const own = globalThis.setImmediate;
  const paused = pausing(own as Schedule, (ms) => void Atomics.wait(cell, 0, 0, ms));
  // The function's other properties (its promisified form) are kept.
  globalThis.setImmediate = Object.defineProperties(paused, Object.getOwnPropertyDescriptors(own)) as typeof own;
}
