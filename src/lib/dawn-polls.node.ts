// How Dawn in Node waits, made bearable for a software driver. While anything is pending Dawn asks for news in every turn of the event
// loop, with a function made anew each time: a core is busy with asking and with the garbage of it, and on a software driver that core
// is one of those that compute. Dawn finds `setImmediate` on globalThis whenever it asks; here is one that
// lets it sleep between two questions, and treats everybody else's callbacks as ever.

/** So many questions of one wait come without a pause: what is soon done is not kept waiting. */
const EAGER = 8;
/** Milliseconds of each pause after them; little beside what a submit takes on a processor. */
const PAUSE_MS = 0.2;

type Callback = (...args: unknown[]) => void;
type Schedule = (callback: Callback, ...args: unknown[]) => unknown;

/** A function of native code without a name: those of addons are. */
const isNative = (callback: Callback) => callback.name === '' && String(callback) === 'function () { [native code] }';

/** `schedule`, with a pause before each question that follows others; a wait ends when a question asks no further. */
export function pausing(schedule: Schedule, pause: (ms: number) => void): Schedule {
  let asked = 0;
  let isAsking = false;
  return (callback, ...args) => {
    if (args.length > 0 || !isNative(callback)) return schedule(callback, ...args);
    asked = isAsking ? asked + 1 : 0;
    if (asked > EAGER) pause(PAUSE_MS);
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

/** For the rest of the process. */
export function pauseDawn(): void {
  const cell = new Int32Array(new SharedArrayBuffer(4));
  const own = globalThis.setImmediate;
  const paused = pausing(own as Schedule, (ms) => void Atomics.wait(cell, 0, 0, ms));
  // What else the function has (its promisified form) stays with it.
  globalThis.setImmediate = Object.defineProperties(paused, Object.getOwnPropertyDescriptors(own)) as typeof own;
}
