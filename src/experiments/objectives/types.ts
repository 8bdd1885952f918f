// Interface of a training stage's objective: it makes a step's batch and its gradient at any adapter parameters. The loop around it (bases,
// optimizer, rows, evaluations, checkpoints) does not know which objective it is.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import type { Concept } from '../../algorithms/advantage-modification.ts';
import type { Policy } from '../../engine/types.ts';
import type { PromptCodec } from '../../text/codec.ts';
import type { RunSpec } from '../config/run-spec.ts';
import type { Stage } from '../config/stages.ts';
import type { Running } from '../methods/method.ts';
import type { LabEvent, RolloutRecord, StepRow } from '../records/events.ts';
import type { TrainingEnvironment } from '../step/environment.ts';
import type { StepGradient } from '../step/gradient.ts';
import type { SamplerMemory } from '../step/history.ts';
import type { ModelMeter } from '../step/models.ts';
import type { PhaseClock } from '../step/phases.ts';
import type { RolloutSummary } from '../step/step-records.ts';

/** A step in progress. The policy holds `adapterParams`. */
export interface StepPorts<Task, State, Verdict> {
  spec: RunSpec;
  stage: Stage;
  /** Counts from 0, over the whole run. */
  step: number;
  adapterParams: Float32Array;
  policy: Policy;
  codec: PromptCodec;
  /** The stage's environment. */
  environment: TrainingEnvironment<Task, State, Verdict>;
  memory: SamplerMemory<Task>;
  /** For advantage modification; null where the spec has none. */
  concept: Concept | null;
  /** The arena's method of the run; null where a step is plain GRPO. */
  method: Running | null;
  clock: PhaseClock;
  meter: ModelMeter;
  signal?: AbortSignal;
  onRollout?: (tokens: number, running: number) => void;
}

export interface StepBatch {
  summary: RolloutSummary;
  rollouts: RolloutRecord[];
  /** Returns the fields of the row that only this objective has; `last` is the last inner epoch's gradient. */
  extra(last: StepGradient | null): Partial<StepRow>;
  /** Called in each inner epoch, at its adapter parameters. Null if there is nothing to train on, which ends the epochs. */
  gradient(adapterParams: Float32Array): AsyncGenerator<LabEvent, StepGradient | null>;
  /** Called after the step: reports its rollouts to the task sampler. */
  learn(): void;
}

export type Objective = <Task, State, Verdict>(
  ports: StepPorts<Task, State, Verdict>,
) => AsyncGenerator<LabEvent, StepBatch>;

/** Throws SpecError where the environment lacks what the stage's objective needs. */
export function refuseMissing<Task, State, Verdict>(
  { objective, environment }: Stage,
  { documents, documentOf, demonstrations }: TrainingEnvironment<Task, State, Verdict>,
): void {
  const missing = {
    grpo: null,
    nll: (documents ? documents.length > 0 : documentOf) ? null : 'documents',
    distill: demonstrations ? null : 'demonstrations',
  }[objective];
  if (missing)
    throw new SpecError(
      `objective = ${objective}, and the environment ${environment} offers no ${missing}`,
      `Choose an environment that has ${missing}, or another objective for this stage.`,
    );
}
