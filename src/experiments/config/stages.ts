// The stages of a run: objective, environment, steps and rate of each. Written as one line of text, so that form, URL and command line
// treat it like any other setting: `nll 20 0.01; grpo 40`. A run without stages is one stage.
import * as z from 'zod/mini';
import { OBJECTIVES, type ObjectiveId } from '../../algorithms/objectives/objectives.ts';
import { type LrSchedule, updateRate } from '../../algorithms/schedule.ts';

export interface Stage {
  objective: ObjectiveId;
  environment: string;
  steps: number;
  /** Peak learning rate; its warm-up and schedule are within the stage. */
  lr: number;
  /** Number of steps of the run before this stage. */
  from: number;
}

/** Older specs lack objective and stages. */
interface StageSettings {
  steps: number;
  lr: number;
  environment: string;
  objective?: ObjectiveId;
  stages?: string;
}

/** A stage as written; null means the run's own value. */
interface Written {
  objective: ObjectiveId;
  steps: number;
  lr: number | null;
  environment: string | null;
}

const MOST_STAGES = 16;
const NUMBER = /^\d*\.?\d+(e-?\d+)?$/i;

/** Null for an invalid list. Form: `objective steps [rate [environment]]`, separated by semicolons. */
export function parseStages(text: string): Written[] | null {
  if (text.trim() === '') return [];
  const stages: Written[] = [];
  for (const part of text.split(';')) {
    const [name, steps, lr, environment, ...more] = part.trim().split(/\s+/);
    const objective = OBJECTIVES.find((id) => id === name);
    if (!objective || !/^[1-9]\d{0,5}$/.test(steps ?? '') || more.length > 0) return null;
    if (lr !== undefined && !(NUMBER.test(lr) && Number(lr) <= 10)) return null;
    stages.push({ objective, steps: Number(steps), lr: lr ? Number(lr) : null, environment: environment ?? null });
  }
  return stages.length <= MOST_STAGES ? stages : null;
}

export const stagesSchema = z.string().check(
  z.maxLength(2000),
  z.refine((text) => parseStages(text) !== null, 'not a list of stages'),
);

/** In order; a single stage if the run lists none. */
export function stagesOf({ steps, lr, environment, objective = 'grpo', stages = '' }: StageSettings): Stage[] {
  const written = parseStages(stages) ?? [];
  if (written.length === 0) return [{ objective, environment, steps, lr, from: 0 }];
  let from = 0;
  return written.map((stage) => {
    const own = { ...stage, lr: stage.lr ?? lr, environment: stage.environment ?? environment, from };
    from += stage.steps;
    return own;
  });
}

/** `step` counts from 0. */
export function stageAt(stages: readonly Stage[], step: number): Stage {
  return stages.find(({ from, steps }) => step < from + steps) ?? stages[stages.length - 1];
}

/** Learning rate of one optimizer update: each stage has its own schedule. */
export function rateOf(
  spec: StageSettings & { innerEpochs: number; warmupFrac: number; lrSchedule?: LrSchedule },
  { steps, lr, from }: Stage,
  step: number,
  epoch: number,
): number {
  return updateRate({ ...spec, steps, lr }, step - from, epoch);
}
