// A claim's heartbeat in its own thread: the CPU device computes for minutes without yielding to the event loop, and a busy worker must
// not count as silent. The thread ends with its process, and detects when another worker has the claim.
import { Worker } from 'node:worker_threads';

/** state[0] is the step to report; state[1] is 1 once the claim is lost. */
const SOURCE = `const { readFileSync, openSync, writeSync, closeSync } = require('node:fs');
const { workerData: { claim, token, beat, interval, shared } } = require('node:worker_threads');
const state = new Int32Array(shared);
let count = 0;
const timer = setInterval(() => {
  try {
    if (!readFileSync(claim, 'utf8').includes(token)) throw Object.assign(new Error('taken'), { code: 'ENOENT' });
    const file = openSync(beat, 'r+');
    try { writeSync(file, (++count + ' ' + Atomics.load(state, 0)).padEnd(31) + '\\n', 0); } finally { closeSync(file); }
  } catch (error) {
    // A disk that is full or away for a moment is met again at the next beat.
    if (error.code !== 'ENOENT') return;
    Atomics.store(state, 1, 1);
    clearInterval(timer);
  }
}, interval);`;

/** Content of the file before the first beat. */
export const FIRST_BEAT = `${'0 0'.padEnd(31)}\n`;

export const stepOf = (beat: string): number => Number(beat.trim().split(' ')[1] ?? 0) || 0;

interface Beat {
  at(step: number): void;
  isLost(): boolean;
  stop(): Promise<void>;
}

/** The file `beat` must exist; it is overwritten in place, which works on a full disk too. */
export function startBeat(paths: { claim: string; token: string; beat: string }, interval: number): Beat {
  const shared = new SharedArrayBuffer(8);
  const state = new Int32Array(shared);
  const thread = new Worker(SOURCE, {
    eval: true,
    env: {},
    argv: [],
    execArgv: [],
    workerData: { ...paths, interval, shared },
    resourceLimits: { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 16, stackSizeMb: 1 },
  });
  // Without the thread another worker takes the claim after a lease; both then compute the same bytes.
  thread.on('error', () => {});
  thread.unref();
  return {
    at: (step) => void Atomics.store(state, 0, step),
    isLost: () => Atomics.load(state, 1) === 1,
    stop: async () => void (await thread.terminate()),
  };
}
