// Keeps a few sandbox workers busy: hands out programs, watches the time, replaces a worker that had to be shot. Works over
// any way to start a worker (a Node thread, a worker in the sandboxed frame); runs outside the sandbox.

import { LabError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { runningEqualOnce } from './equal-programs.ts';
import type { Program, RunResult, SandboxPool } from './protocol.ts';
import type { FromSandbox, ToSandbox } from './sandbox-worker.ts';

/** The grader itself failed: no verdict can be given. A program's misdeeds never raise it. */
export class GraderError extends LabError {}

/** One worker, as the pool sees it. */
export interface SandboxHandle {
  post(message: Extract<ToSandbox, { kind: 'run' }>): void;
  terminate(): void;
}

export interface SandboxEvents {
  message(message: FromSandbox): void;
  /** The worker died by itself (its thread ran out of memory, its script failed). */
  died(reason: string): void;
}

export interface PoolOptions {
  /** Starts a worker that will answer `ready` by itself. */
  spawn(events: SandboxEvents): SandboxHandle;
  workers: number;
  /**
   * Wall-clock milliseconds for one program, behind the limit of its work; one that is late, or whose worker dies, has a second
   * chance (secondLimit).
   */
  timeLimitMs: number;
  /** Programs that a worker has on its table, so that it is never idle between two messages. Default 6. */
  prefetch?: number;
  /** False where a program is tried once only. Default true. */
  secondChance?: boolean;
  /** True where a VM's clock and randomness are its own: equal programs are run once (equal-programs.ts). Default false. */
  equalOnce?: boolean;
}

/** A program on its way: `owner` is told, unless it has stopped listening. */
interface Job {
  program: Program;
  done(result: RunResult): void;
  failed(error: GraderError): void;
  cancelled(): boolean;
  /** It was late, or lost its worker, once already. */
  second?: boolean;
}

const PREFETCH = 6;
/** A crowded machine may take half a minute to start CPython: only a sandbox that will never answer is given up. */
const START_LIMIT_MS = 120_000;
/** After the time is up, answers that already wait in this thread's own queue are let in before the shot. */
const GRACE_MS = 40;
/** Default time limit of a program in milliseconds: about seven times as long as Limits.work takes on a free core. */
export const TIME_LIMIT_MS = 15_000;
/**
 * A program that is late, or whose worker dies under it, is run once more, first thing on a fresh worker, with up to three times
 * the limit (two seconds more at most): on a loaded machine one that takes milliseconds may wait for its thread, and a verdict
 * must not hang on that.
 */
const secondLimit = (ms: number): number => Math.min(3 * ms, ms + 2000);

export function createPool(options: PoolOptions): SandboxPool {
  const queue: Job[] = [];
  const slots = new Set<Slot>();
  let nextId = 1;
  let closed = false;
  let failedStarts = 0;

  class Slot {
    readonly running = new Map<number, Job>();
    private handle: SandboxHandle;
    private timer: ReturnType<typeof setTimeout> | undefined;
    private ready = false;
    private alive = true;

    constructor(private first?: Job) {
      this.handle = options.spawn({ message: (message) => this.take(message), died: (reason) => this.lost(reason) });
      this.watch(START_LIMIT_MS, () => this.lost(`no answer within ${START_LIMIT_MS} ms`));
    }

    fill(): void {
      while (this.ready && this.running.size < this.room) {
        const job = this.first ?? queue.shift();
        this.first = undefined;
        if (job === undefined) return;
        if (job.cancelled()) continue;
        const id = nextId++;
        this.running.set(id, job);
        this.handle.post({ kind: 'run', id, program: job.program });
        if (this.running.size === 1) this.watchProgram();
      }
    }

    /** No program is queued behind one that has its second try. */
    private get room(): number {
      const [oldest] = this.running.values();
      return oldest?.second ? 1 : (options.prefetch ?? PREFETCH);
    }

    stop(): void {
      this.alive = false;
      clearTimeout(this.timer);
      this.handle.terminate();
      slots.delete(this);
    }

    private watch(ms: number, action: () => void): void {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => {
        this.timer = setTimeout(action, GRACE_MS);
      }, ms);
    }

    private watchProgram(): void {
      const [oldest] = this.running.values();
      if (oldest === undefined) clearTimeout(this.timer);
      else {
        const limit = oldest.second ? secondLimit(options.timeLimitMs) : options.timeLimitMs;
        this.watch(limit, () => this.replace('timeout'));
      }
    }

    private take(message: FromSandbox): void {
      if (!this.alive) return;
      if (message.kind === 'failed') this.lost(message.message);
      else if (message.kind === 'ready') {
        this.ready = true;
        failedStarts = 0;
        clearTimeout(this.timer);
        this.fill();
      } else if (message.kind === 'result') {
        const job = this.running.get(message.id);
        this.running.delete(message.id);
        this.watchProgram();
        job?.done(message.result);
        this.fill();
      }
    }

    private lost(reason: string): void {
      if (!this.alive) return;
      if (this.ready) {
        this.replace('crash');
        return;
      }
      failedStarts += 1;
      if (this.first) queue.unshift(this.first);
      this.stop();
      if (failedStarts < 3) {
        start();
        return;
      }
      failedStarts = 0;
      const error = new GraderError(
        `The sandbox does not start: ${reason}.`,
        'Reload the page, or reinstall the dependencies if the interpreter’s package is damaged.',
      );
      for (const job of queue.splice(0)) job.failed(error);
    }

    /** The oldest program is the one that ran; the others start anew elsewhere. */
    private replace(killed: 'timeout' | 'crash'): void {
      const [guilty, ...others] = this.running.values();
      queue.unshift(...others);
      this.running.clear();
      this.stop();
      const again = options.secondChance !== false && guilty && !guilty.second && !guilty.cancelled();
      if (guilty !== undefined && !again) {
        const outcomes = guilty.program.steps.map(() => ({ end: 'skipped' as const }));
        guilty.done({ killed, outcomes, stdout: '', files: [] });
      }
      if (again) slots.add(new Slot({ ...guilty, second: true }));
      start();
    }

    /** Jobs of the worker that have no verdict yet. */
    get unfinished(): Job[] {
      return [...this.running.values(), ...(this.first ? [this.first] : [])];
    }
  }

  function start(): void {
    if (!closed) while (slots.size < options.workers) slots.add(new Slot());
  }

  const pool: SandboxPool = {
    run(programs, signal) {
      if (closed) {
        return Promise.reject(new GraderError('The grader is closed.', 'Open a new one before grading.'));
      }
      if (signal?.aborted) return Promise.reject(new StoppedError('grading stopped'));
      if (programs.length === 0) return Promise.resolve([]);
      return new Promise((resolve, reject) => {
        const results: RunResult[] = new Array(programs.length);
        let missing = programs.length;
        let settled = false;
        const settle = (finish: () => void): void => {
          if (settled) return;
          settled = true;
          signal?.removeEventListener('abort', abort);
          finish();
        };
        const abort = (): void => settle(() => reject(new StoppedError('grading stopped')));
        signal?.addEventListener('abort', abort);
        for (const [i, program] of programs.entries()) {
          queue.push({
            program,
            done(result) {
              results[i] = result;
              missing -= 1;
              if (missing === 0) settle(() => resolve(results));
            },
            failed: (error) => settle(() => reject(error)),
            cancelled: () => settled,
          });
        }
        start();
        for (const slot of slots) slot.fill();
      });
    },
    async close() {
      if (closed) return;
      closed = true;
      const error = new GraderError('The grader was closed while programs ran.', 'Close it after the last grade.');
      const jobs = [...slots].flatMap((slot) => slot.unfinished).concat(queue.splice(0));
      for (const slot of [...slots]) slot.stop();
      for (const job of jobs) job.failed(error);
    },
  };
  return options.equalOnce ? runningEqualOnce(pool) : pool;
}
