// Interface of an objective of a training stage: it makes the batch that is learnt from, and its gradient at any adapter parameters. The
// loop around it (bases, optimizer, rows, evaluations, checkpoints) never asks which one it is.

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

/** A step under way. The policy holds `adapterParams`. */
export interface StepPorts<Task, State, Verdict> {
  spec: RunSpec;
  stage: Stage;
  /** Counts from 0, over the whole run. */
  step: number;
  adapterParams: Float32Array;
  policy: Policy;
  codec: PromptCodec;
  /** The stage's. */
  environment: TrainingEnvironment<Task, State, Verdict>;
  memory: SamplerMemory<Task>;
  /** For advantage modification; null where the spec has none. */
  concept: Concept | null;
  /** The arena's method that the run uses; null where a step is GRPO's alone. */
  method: Running | null;
  clock: PhaseClock;
  meter: ModelMeter;
  signal?: AbortSignal;
  onRollout?: (tokens: number, running: number) => void;
}

export interface StepBatch {
  summary: RolloutSummary;
  rollouts: RolloutRecord[];
  /** Returns the part of the row that this objective alone has; `last`: the last inner epoch's gradient. */
  extra(last: StepGradient | null): Partial<StepRow>;
  /** Called in each inner epoch, at the adapter parameters of that moment. Null where there is nothing to learn from: then no further epoch. */
  gradient(adapterParams: Float32Array): AsyncGenerator<LabEvent, StepGradient | null>;
  /** Called after the step: passes its rollouts to the task sampler. */
  learn(): void;
}

export type Objective = <Task, State, Verdict>(
  ports: StepPorts<Task, State, Verdict>,
) => AsyncGenerator<LabEvent, StepBatch>;

/** Throws SpecError. */
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
