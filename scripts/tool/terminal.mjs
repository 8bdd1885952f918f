// Messages and child processes of scripts. All messages go to stderr, so that stdout stays for results.
import { spawn } from 'node:child_process';

const colour = process.stderr.isTTY && !process.env.NO_COLOR;
const paint = (code, text) => (colour ? `\x1b[${code}m${text}\x1b[0m` : text);

export const say = (text) => console.error(text);
export const heading = (text) =>
  console.error(`\n${paint('1', `── ${text} `)}${paint('2', '─'.repeat(Math.max(3, 70 - text.length)))}`);

/** A failure that the user can do something about; it is printed without a stack. */
export class Complaint extends Error {}

/**
 * Runs a script's main function. Its result is the exit code; a Complaint prints its message and gives exit code 1. With --help a script that has
 * a help text prints it and does nothing else.
 */
export async function runMain({ main, HELP }, args = process.argv.slice(2)) {
  if (HELP !== undefined && (args.includes('--help') || args.includes('-h'))) {
    console.log(HELP);
    process.exitCode = 0;
    return;
  }
  try {
    process.exitCode = (await main(args)) ?? 0;
  } catch (error) {
    console.error(error instanceof Complaint ? `\n${error.message}` : error);
    process.exitCode = 1;
  }
}

/** Runs a program and resolves with its exit code (128 + signal number for a signal). It inherits our stdin and outputs. */
export function run(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: 'inherit', ...options });
    // Ctrl-C reaches the child too, which ends cleanly; we wait for it.
    const ignore = () => {};
    process.on('SIGINT', ignore);
    // SIGTERM reaches only this process, so it is forwarded.
    const pass = () => child.kill('SIGTERM');
    process.on('SIGTERM', pass);
    const done = () => {
      process.off('SIGINT', ignore);
      process.off('SIGTERM', pass);
    };
    child.on('error', (error) => {
      done();
      reject(new Complaint(`${command} could not be started: ${error.message}`));
    });
    child.on('exit', (code, signal) => {
      done();
      resolve(code ?? (signal === 'SIGINT' ? 130 : 128 + 15));
    });
  });
}

/** Runs a program and resolves with its stdout; null if it is missing, fails or takes too long. */
export function ask(command, args, timeoutMs = 10_000, stderr = 'ignore') {
  return new Promise((resolve) => {
    let text = '';
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', stderr], timeout: timeoutMs });
    child.stdout.on('data', (chunk) => {
      text += chunk;
    });
    child.on('error', () => resolve(null));
    child.on('close', (code) => resolve(code === 0 ? text.trim() : null));
  });
}
