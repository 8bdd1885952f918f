// What a run needs to go on as if it had never stopped: adapter parameters, moments, quarantines, rows so far, and what the task sampler
// has seen. Plain objects and typed arrays, so that a database or a file can keep it as it is.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import type { OptimizerState } from '../../algorithms/optimizer.ts';
import { type RunSpec, withDefaults } from '../config/spec.ts';
import type { MethodStates } from '../methods/index.ts';
import type { EvalRow, StepRow, StepTiming } from './events.ts';
import { isContext } from './numerics.ts';

/** When a basis was last extracted again, and on which adapter parameters: enough to have it back, byte for byte. */
export interface Refreshed {
  step: number;
  adapterParams: Float32Array;
  /** What AdamW divided by then; only where the span is taken in its metric (spanMetric). */
  divisor?: Float32Array;
}
export interface RefreshedBases {
  own: Refreshed | null;
  shadows: Record<string, Refreshed>;
}

/** Beside its own fields those of the arena's methods, each absent without its method. */
export interface Checkpoint extends Partial<MethodStates> {
  schema: 1;
  runId: string;
  spec: RunSpec;
  /** Whatever else decides what a run computes (model, grader, basis file), as one text. */
  context: string;
  /** Optimizer steps done. */
  step: number;
  optimizer: OptimizerState;
  rows: StepRow[];
  timings: StepTiming[];
  evals: EvalRow[];
  /** Mean student reward per visit, by task id. */
  history: Record<string, number[]>;
  /** Every student's reward per visit, by task id; absent in what an earlier lab kept. */
  returns?: Record<string, number[][]>;
  /** State of the task sampler, as JSON; absent for one that keeps none. */
  sampler?: string;
  /** Where bases were last extracted again; absent while all are the untrained model's. */
  refreshed?: RefreshedBases;
  /** With what the update's directions are compared next (loop/directions.ts); absent where these are the checkpoint's own adapter
   *  parameters, and in what an earlier lab kept. */
  compared?: Float32Array;
}

/** Characters of a sampler's state that a read door lets in. */
export const MAX_SAMPLER_STATE = 32_000_000;

/** Where checkpoints are kept: IndexedDB in the page, memory or a folder elsewhere. */
export interface CheckpointStore {
  /** The run's last checkpoint, or null. */
  load(runId: string): Promise<Checkpoint | null>;
  save(checkpoint: Checkpoint): Promise<void>;
  /** Whether the place wants one beside those of the spec, asked after every step; never where absent. Decides nothing of a run. */
  isDue?(runId: string): boolean;
}

/** Most that a page which is closed loses, and how much of a run's time may go into keeping it. */
const KEPT_EVERY_MS = 5000;
const KEPT_SHARE = 0.05;

/**
 * A checkpoint after every five seconds too: a step may take long, and ten of them minutes.
 *
 * @param now milliseconds of the place's clock
 */
export function alsoByTime(store: CheckpointStore, now: () => number): CheckpointStore {
  /** By run: when it was last kept or begun, and how long that took. */
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
 * An earlier lab gave its runs fewer controls: such a run goes on with those that it began with (and can be routed again for the
 * others). Anything else that differs is checkResumable's.
 */
export function resumedSpec(checkpoint: Pick<Checkpoint, 'spec'>, spec: RunSpec): RunSpec {
  const planned = new Set(spec.shadows.map((control) => JSON.stringify(control)));
  const began = checkpoint.spec.shadows;
  return began.every((control) => planned.has(JSON.stringify(control))) ? { ...spec, shadows: began } : spec;
}

/** What one run was told otherwise than the other. */
export function changedSettings(one: RunSpec, other: RunSpec): (keyof RunSpec)[] {
  const [made, wanted] = [withDefaults(one), withDefaults(other)];
  return (Object.keys({ ...made, ...wanted }) as (keyof RunSpec)[]).filter(
    (key) => JSON.stringify(made[key]) !== JSON.stringify(wanted[key]),
  );
}

/** Refuses to go on from a checkpoint of another spec, model or grader: the result would belong to neither. */
export function checkResumable(checkpoint: Checkpoint, spec: RunSpec, context: string): void {
  const [made, wanted] = [withDefaults(checkpoint.spec), withDefaults(spec)];
  const changed = changedSettings(checkpoint.spec, spec);
  if (changed.length > 0)
    throw new SpecError(
      `the checkpoint of ${checkpoint.runId} was made with another ${changed.join(', ')} (${changed
        .map((key) => `${JSON.stringify(made[key])} ≠ ${JSON.stringify(wanted[key])}`)
        .join('; ')})`,
      'Start it as a new run.',
    );
  if (!isContext(checkpoint.context, context))
    throw new SpecError(
      `the checkpoint of ${checkpoint.runId} belongs to ${checkpoint.context}; this is ${context}`,
      'Start it as a new run.',
    );
}
