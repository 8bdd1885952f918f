// The pipe that ties a process of the command line to its parent (scripts/tool/supervise.mjs, children.ts). A main thread that computes
// hears no signal, so a thread of its own listens on the pipe, and ends the process where the main thread does not answer. Messages are a
// letter each: i, stop (Ctrl-C); t, stop (SIGTERM); k, end at once (the second Ctrl-C). The end of the pipe counts as a t.
import type { Socket } from 'node:net';
import { isMainThread, Worker } from 'node:worker_threads';

/** Environment variable that tells a child the number of its pipe. */
export const LIFELINE = 'LAB_LIFELINE';

/** Milliseconds that a main thread has: to answer a stop; to end after its answer (Slurm's KillWait); to end by itself at a k. */
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

/** Pipes to the children of this process. */
const childPipes = new Set<Socket>();
let isStopSent = false;

/** Whether the children were told to stop, so that the end of one is expected. */
export const areChildrenStopping = (): boolean => isStopSent;

/** Keeps the pipe of a child: the child ends with this process, and a SIGTERM is passed on to it. */
export function keepLifeline(pipe: Socket): void {
  childPipes.add(pipe);
  pipe
    .on('error', () => {})
    .on('close', () => childPipes.delete(pipe))
    .unref();
}

interface Held {
  /** Called when the parent asks to stop. The same stop may also come as a signal. */
  stop(): void;
  /** Called when the parent asks to end at once. */
  end(): void;
}

/** Listens on the pipe named in the environment; does nothing where none is named. */
export function holdLifeline({ stop, end }: Held): void {
  const pipe = Number(process.env[LIFELINE] ?? Number.NaN);
  // A child gets a pipe of its own.
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
  thread.on('message', (request: 'stop' | 'term' | 'end') => {
    // A terminal sends Ctrl-C to the children itself.
    if (request === 'term') {
      isStopSent = true;
      for (const other of childPipes) other.write('t');
    }
    if (request === 'end') end();
    else stop();
    thread.postMessage('answered');
  });
  // If the thread fails, the process goes on: only SIGKILL then ends it while it computes.
  thread.on('error', () => {});
  thread.unref();
}
