// What runs programs in sandboxes, for the graders: any number at once, answers in order.
import type { Program, RunResult } from './protocol.ts';

export interface SandboxPool {
  /** Results in the order of the programs. Rejects with StoppedError when the signal fires. */
  run(programs: readonly Program[], signal?: AbortSignal): Promise<RunResult[]>;
  close(): Promise<void>;
}
