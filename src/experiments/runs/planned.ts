// Requests for runs: a run with its key, and what depends on it. Sweeps, series and the page plan in these.
import type { ControlSpec, RunSpec } from '../config/spec.ts';

export interface PlannedRun {
  /** Key of the run (key.ts). */
  key: string;
  spec: RunSpec;
}

export interface RunJob {
  run: PlannedRun;
  /** Quarantines to replay from the run's kept steps: those that its spec does not carry already. */
  shadows: ControlSpec[];
  /** Key of the vanilla run whose kept steps the run itself needs (a matched random basis), or null. */
  needs: string | null;
}
