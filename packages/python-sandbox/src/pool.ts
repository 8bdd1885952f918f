// Keeps several sandbox workers busy: distributes programs, checks their time, and replaces terminated workers. Works with any way to start
// a worker (a Node thread, a worker in the sandboxed frame); runs outside the sandbox.

import { LabError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { runningEqualOnce } from './equal-programs.ts';
import type { Program, RunResult, SandboxPool } from './protocol.ts';
import type { FromSandbox, ToSandbox } from './sandbox-worker.ts';

/** The grader itself failed, so there is no verdict. Nothing that a program does raises it. */
export class GraderError extends LabError {}

/** One worker, as the pool uses it. */
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
  /** Starts a worker that sends `ready` when it has started. */
  spawn(events: SandboxEvents): SandboxHandle;
  workers: number;
  /**
   * Wall-clock limit of a program in milliseconds, besides the limit on its work; a program that is late, or whose worker dies, gets a
   * second attempt (secondLimit).
   */
  timeLimitMs: number;
  /** Programs assigned to a worker at a time, so that it is never idle between two messages. Default 6. */
  prefetch?: number;
  /** Whether a late program gets a second attempt. Default true. */
  secondChance?: boolean;
  /** Whether equal programs run once (equal-programs.ts), which requires a deterministic clock and randomness. Default false. */
  equalOnce?: boolean;
}

/** A pending program; its caller gets the result, unless it has cancelled. */
interface Job {
  program: Program;
  done(result: RunResult): void;
  failed(error: GraderError): void;
  cancelled(): boolean;
  /** Whether this is its second attempt, after it was late or lost its worker. */
  second?: boolean;
}

const PREFETCH = 6;
/** A busy machine may take half a minute to start CPython, so only a sandbox that never answers counts as failed. */
const START_LIMIT_MS = 120_000;
/** After the time limit, answers already waiting in this thread's queue are handled before the worker is terminated. */
const GRACE_MS = 40;
/** Default time limit of a program in milliseconds: about seven times as long as Limits.work takes on a free core. */
export const TIME_LIMIT_MS = 15_000;
/**
 * A program that is late, or whose worker dies, runs once more, first on a new worker, with up to three times the limit (at most two
 * seconds more): on a loaded machine a program of milliseconds may wait for its thread, and that must not affect the verdict.
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

    /** No program is queued behind a second attempt. */
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

    /** Terminates the worker. The oldest program was the running one; the others start again elsewhere. */
    private replace(killed: 'timeout' | 'crash'): void {
      const [culprit, ...others] = this.running.values();
      queue.unshift(...others);
      this.running.clear();
      this.stop();
      const again = options.secondChance !== false && culprit && !culprit.second && !culprit.cancelled();
      if (culprit !== undefined && !again) {
        const outcomes = culprit.program.steps.map(() => ({ end: 'skipped' as const }));
        culprit.done({ killed, outcomes, stdout: '', files: [] });
      }
      if (again) slots.add(new Slot({ ...culprit, second: true }));
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
