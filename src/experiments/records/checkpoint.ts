// State from which a run resumes as if it had not stopped: adapter parameters, moments, quarantines, rows so far, and the task sampler's
// state. Plain objects and typed arrays, which databases and files can store directly.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import type { OptimizerState } from '../../algorithms/optimizer.ts';
import type { RunSpec } from '../config/run-spec.ts';
import { withDefaults } from '../config/spec.ts';
import type { MethodStates } from '../methods/index.ts';
import type { EvalRow, RunRecord, StepRow, StepTiming } from './events.ts';
import { isContext } from './numerics.ts';

/** The last extraction of a basis: its step and adapter parameters are enough to repeat it, byte for byte. */
export interface Refreshed {
  step: number;
  adapterParams: Float32Array;
  /** AdamW's divisor at that step; only if the span is taken in its metric (spanMetric). */
  divisor?: Float32Array;
}
export interface RefreshedBases {
  own: Refreshed | null;
  shadows: Record<string, Refreshed>;
}

/** The common fields, and those of the arena's methods, which are absent without their method. */
export interface Checkpoint extends Partial<MethodStates> {
  schema: 1;
  runId: string;
  spec: RunSpec;
  /** Everything else that decides the run's results (model, grader, device), as one text. */
  context: string;
  /** Number of optimizer steps done. */
  step: number;
  optimizer: OptimizerState;
  rows: StepRow[];
  timings: StepTiming[];
  evals: EvalRow[];
  /** Mean student reward per visit, by task id. */
  history: Record<string, number[]>;
  /** Every student's reward per visit, by task id; absent in older checkpoints. */
  returns?: Record<string, number[][]>;
  /** State of the task sampler, as JSON; absent for a stateless one. */
  sampler?: string;
  /** Last extraction of each basis; absent while all are the untrained model's. */
  refreshed?: RefreshedBases;
  /** Earlier adapter parameters for the next comparison of update directions (loop/directions.ts); absent in older checkpoints, and if they are
   *  the checkpoint's own. */
  compared?: Float32Array;
}

/** Most characters of a sampler's state that reading accepts. */
export const MAX_SAMPLER_STATE = 32_000_000;

/** Store of checkpoints: IndexedDB in the page, memory or a folder elsewhere. */
export interface CheckpointStore {
  /** The run's last checkpoint, or null. */
  load(runId: string): Promise<Checkpoint | null>;
  save(checkpoint: Checkpoint): Promise<void>;
  /** Whether the store wants a checkpoint besides the spec's, asked after every step; no if absent. It does not affect the run's results. */
  isDue?(runId: string): boolean;
}

/** Store of an experiment's runs: their checkpoints, and their records once they are finished. */
export interface KeptRuns {
  checkpoints: CheckpointStore;
  /** Null if the run is not finished. */
  finishedRun(runId: string): Promise<RunRecord | null>;
  saveRun(run: RunRecord): Promise<void>;
}

/** Most time that closing the page can lose, and the largest share of a run's time that saving checkpoints may take. */
const KEPT_EVERY_MS = 5000;
const KEPT_SHARE = 0.05;

/**
 * Adds a checkpoint every five seconds, because a step may take long, and ten steps minutes.
 *
 * @param now milliseconds of the host's clock
 */
export function alsoByTime(store: CheckpointStore, now: () => number): CheckpointStore {
  /** Time of a run's last save (or its start), and how long saving took, in milliseconds, by run. */
  const kept = new Map<string, { at: number; took: number }>();
  return {
    async load(runId) {
      const found = await store.load(runId);
      kept.set(runId, { at: now(), took: 0 });
      return found;
    },
    async save(checkpoint) {
      const since = now();
      await store.save(checkpoint);
      kept.set(checkpoint.runId, { at: now(), took: now() - since });
    },
    isDue(runId) {
      const { at, took } = kept.get(runId) ?? { at: now(), took: 0 };
      return now() - at >= Math.max(KEPT_EVERY_MS, took / KEPT_SHARE);
    },
  };
}

/**
 * Runs of earlier versions may have fewer controls: such a run continues with its own (the others can be replayed later). checkResumable
 * checks all other differences.
 */
export function resumedSpec(checkpoint: Pick<Checkpoint, 'spec'>, spec: RunSpec): RunSpec {
  const planned = new Set(spec.shadows.map((control) => JSON.stringify(control)));
  const began = checkpoint.spec.shadows;
  return began.every((control) => planned.has(JSON.stringify(control))) ? { ...spec, shadows: began } : spec;
}

/** Names of settings that differ between two runs. */
export function changedSettings(one: RunSpec, other: RunSpec): (keyof RunSpec)[] {
  const [made, wanted] = [withDefaults(one), withDefaults(other)];
  return (Object.keys({ ...made, ...wanted }) as (keyof RunSpec)[]).filter(
    (key) => JSON.stringify(made[key]) !== JSON.stringify(wanted[key]),
  );
}

/** Shortens a value for messages, since a fork holds a whole spec. */
function excerpt(value: unknown): string {
  const text = JSON.stringify(value) ?? 'none';
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}

/** Refuses to continue from a checkpoint of another spec, model, grader or device: the result would belong to neither. */
export function checkResumable(checkpoint: Checkpoint, spec: RunSpec, context: string): void {
  const [made, wanted] = [withDefaults(checkpoint.spec), withDefaults(spec)];
  const changed = changedSettings(checkpoint.spec, spec);
  if (changed.length > 0)
    throw new SpecError(
      `the checkpoint of ${checkpoint.runId} was made with another ${changed.join(', ')} (${changed
        .map((key) => `${excerpt(made[key])} ≠ ${excerpt(wanted[key])}`)
        .join('; ')})`,
      'Start it as a new run.',
    );
  if (!isContext(checkpoint.context, context))
    throw new SpecError(
      `the checkpoint of ${checkpoint.runId} belongs to ${checkpoint.context}; this is ${context}`,
      'Start it as a new run.',
    );
}
