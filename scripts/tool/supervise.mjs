// The command line, held by a pipe: a process that computes hears no signal, so this one hears them for it, says them on the pipe, and a
// thread of the other ends it where it does not answer (src/cli/lifeline.ts). It ends with this one, however this one ends.
import { spawn } from 'node:child_process';
import { Complaint } from './terminal.mjs';

/** Milliseconds in which a second Ctrl-C is the first: npm hands on what a terminal has said to all. */
const ECHO = 250;
const CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };

/** Resolves with the exit code: the program's own, or 128 and the number of the signal that it did not answer. */
export function supervise(command, args, { env = process.env } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
      env: { ...env, LAB_LIFELINE: '3' },
    });
    const pipe = child.stdio[3];
    pipe.on('error', () => {});
    pipe.resume();
    let heard = null;
    let at = Number.NEGATIVE_INFINITY;
    const hear = (signal) => {
      const now = performance.now();
      const isEcho = signal === heard && now - at < ECHO;
      const isAgain = signal === 'SIGINT' && heard !== null;
      if (isEcho) return;
      [heard, at] = [signal, now];
      pipe.write(isAgain ? 'k' : signal === 'SIGINT' ? 'i' : 't');
    };
    const signals = Object.keys(CODES);
    for (const signal of signals) process.on(signal, hear);
    const done = () => {
      for (const signal of signals) process.off(signal, hear);
    };
    child.on('error', (error) => {
      done();
      reject(new Complaint(`${command} could not be started: ${error.message}`));
    });
    child.on('exit', (code, signal) => {
      done();
      resolve(code ?? CODES[heard] ?? CODES[signal] ?? 1);
    });
  });
}
