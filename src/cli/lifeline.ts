// The pipe that holds a process of the command line to whoever started it (scripts/tool/supervise.mjs, children.ts). A main thread that
// computes hears no signal, so a thread of its own listens on the pipe, and ends the process where the main thread does not answer.
// What is said on it, a letter each: i, stop (Ctrl-C); t, stop (SIGTERM); k, end at once (the second Ctrl-C). That the other end is gone is a t.
import type { Socket } from 'node:net';
import { isMainThread, Worker } from 'node:worker_threads';

/** The pipe's number, in the environment of who is started. */
export const LIFELINE = 'LAB_LIFELINE';

/** Milliseconds for a main thread to answer that it stops; to end once it has answered (Slurm's KillWait); to end by itself at a k. */
const PATIENCE = { answer: 2000, end: 30_000, kill: 500 };

const SOURCE = `const { parentPort, workerData: { pipe, patience } } = require('node:worker_threads');
const kill = () => process.kill(process.pid, 'SIGKILL');
let answered = false;
const stop = () => {
  parentPort.postMessage('term');
  setTimeout(() => answered || kill(), patience.answer);
  setTimeout(kill, patience.end);
};
const said = {
  i: () => parentPort.postMessage('stop'),
  t: stop,
  k: () => {
    parentPort.postMessage('end');
    setTimeout(kill, patience.kill);
  },
};
parentPort.on('message', () => { answered = true; });
const socket = new (require('node:net').Socket)({ fd: pipe, readable: true, writable: true });
socket.on('data', (letters) => { for (const letter of String(letters)) said[letter]?.(); });
socket.on('close', stop);
socket.on('error', () => {});`;

/** Those that this process has started. */
const others = new Set<Socket>();
let hasTold = false;

/** Whether those were told to stop, so that the end of one is no news. */
export const toldToStop = (): boolean => hasTold;

/** The pipe of a child whose environment names it: the child ends with this process, and is told what this one is told. */
export function keepLifeline(pipe: Socket): void {
  others.add(pipe);
  pipe
    .on('error', () => {})
    .on('close', () => others.delete(pipe))
    .unref();
}

interface Held {
  /** Asked to stop, by whoever started it; perhaps by a signal as well. */
  stop(): void;
  /** Asked to end at once. */
  end(): void;
}

/** Without a pipe, nothing. */
export function holdLifeline({ stop, end }: Held): void {
  const pipe = Number(process.env[LIFELINE] ?? Number.NaN);
  // Another process that this one starts has another.
  delete process.env[LIFELINE];
  if (!isMainThread || !Number.isInteger(pipe)) return;
  const thread = new Worker(SOURCE, {
    eval: true,
    env: {},
    argv: [],
    execArgv: [],
    workerData: { pipe, patience: PATIENCE },
    resourceLimits: { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 16, stackSizeMb: 1 },
  });
  thread.on('message', (asked: 'stop' | 'term' | 'end') => {
    // Of Ctrl-C a terminal tells them itself.
    if (asked === 'term') {
      hasTold = true;
      for (const other of others) other.write('t');
    }
    if (asked === 'end') end();
    else stop();
    thread.postMessage('answered');
  });
  // Without it a process that computes is ended by nobody but the system.
  thread.on('error', () => {});
  thread.unref();
}
