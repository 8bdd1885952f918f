// Supervises the command line through a pipe. A process that computes receives no signal, so this one receives them and writes them to the
// pipe; a thread of the command line reads them there and ends it if it does not react (src/cli/lifeline.ts). The command line also ends when
// this process does, however that ends.
import { spawn } from 'node:child_process';
import { Complaint } from './terminal.mjs';

/** Milliseconds within which a repeated signal counts as the same one: a terminal signals all processes, and npm forwards it once more. */
const ECHO_MS = 250;
const CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };

/** Resolves with the exit code: the program's own, or 128 plus the number of the signal that ended it. */
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
      const isEcho = signal === heard && now - at < ECHO_MS;
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
