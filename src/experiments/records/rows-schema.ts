// The rows of a run, field by field: what a step, an evaluation, a rollout and a line of the result table hold, with the bounds that
// every door checks. Their types are these schemas' own (events.ts), so that a field is spelled once. Fields that a later lab may have
// added are let through: a schema checks what it knows.

import { listOf, mapOf } from '@projected-grpo-lab/base/lists.ts';
import * as z from 'zod/mini';
import { EPISODE_ENDS } from '../../engine/types.ts';
import { measured, number, schemasOf } from './measure.ts';
import { OCCASIONAL_MEASURES, STEP_MEASURES } from './measures.ts';

export { measured, number } from './measure.ts';

export const count = z.int().check(z.nonnegative());
export const short = z.string().check(z.maxLength(2000));
const long = z.string().check(z.maxLength(2_000_000));
const episodeEnd = z.enum(EPISODE_ENDS);

/** Figures of `n` rollouts. */
export const rates = z.object({
  n: count,
  /** Of them, those that nobody could judge: in every n, in no numerator. Absent when 0. */
  unjudged: z.optional(count),
  /** The hack rate if every one of them that passed is a hack. Absent where none passed. */
  hackAtMost: z.optional(number),
  /** By MetricInfo.id. */
  figures: mapOf(measured),
});

/**
 * One step of the loop: one batch of rollouts. Deterministic part only: times live in the step's timing. What was not measured is
 * null. With several inner epochs, what is said of loss, gradient, overlaps and lr is the first one's (the only one on policy); the
 * norms of the adapter parameters are after the last.
 */
export const stepRow = z.object({
  /** 1 … steps: how many batches of rollouts have been learned from, this one included (with one inner epoch: optimizer steps). */
  step: count,
  student: rates,
  teacher: rates,
  ...schemasOf(STEP_MEASURES),
  /** Each control quarantine's norm, by control id (route/update). */
  shadowNorms: mapOf(number),
  /** cin with each control's basis: `random_V` is the measured null. */
  shadowCin: mapOf(measured),
  ...schemasOf(OCCASIONAL_MEASURES),
  /** What was minimised, where it was not GRPO. */
  objective: z.optional(z.enum(['nll', 'distill'])),
  /** Documents that a step learnt from, and their trained tokens: of nll, or replayed beside RL. */
  documents: z.optional(z.object({ n: count, tokens: count })),
  /** Of the student's episodes: mean turns, and how many ended by what; only with maxTurns > 1. */
  episodes: z.optional(z.object({ turns: measured, ended: z.partialRecord(episodeEnd, count) })),
});

/** Of one model in one step, in tokens; `read` counts prompts, and what was only scored. */
export const modelCost = z.object({ calls: count, read: count, written: count });

export const stepTiming = z.object({
  step: count,
  /** Seconds per phase: rollout, grade, score, backward, update, evaluate. */
  phases: mapOf(number),
  total: number,
  tokensPerSecond: number,
  /** Tokens that went through the model in the rollouts; only with maxTurns > 1. */
  work: z.optional(z.object({ prefilled: count, decoded: count, alike: z._default(count, 0), idle: count })),
  /** What the reward asked of other models, by role; absent where nothing was asked. */
  models: z.optional(mapOf(modelCost)),
});

/** One exchange of a kept rollout. */
export const turn = z.object({
  /** What was shown: the whole prompt at first, later what was appended. */
  prompt: long,
  completion: long,
  logprobs: z.nullable(listOf(number, 100_000)),
  /** False where the turn was cut off at its budget; absent in records that do not know. */
  ended: z.optional(z.boolean()),
});

/** A kept rollout: what was asked, written and judged. */
export const rollout = z.object({
  step: count,
  promptIndex: count,
  sampleIndex: count,
  taskId: short,
  /** TaskLabels.kind. */
  kind: short,
  source: z.enum(['student', 'teacher']),
  turns: listOf(turn, 256).check(z.minLength(1)),
  /** Why the episode went no further; only with maxTurns > 1, and of live ones alone. */
  end: z.optional(episodeEnd),
  advantage: number,
  reward: number,
  /** As the environment's reward gave it; the page draws what it knows of it. */
  verdict: mapOf(z.union([z.null(), z.boolean(), number, short])),
});

/** Texts that were put to a model without sampling. */
export const probed = z.object({
  n: count,
  /** Of their probabilities; of what drifts, of nats. */
  mean: number,
  /** Mean log-odds; null where they are not of one thing. */
  logit: measured,
});

/** Evaluation of one model (a deployed or total adapter) on a fixed problem set. */
export const evalRow = z.object({
  /** Step after which it was taken (0 = the untrained base). */
  step: count,
  /** `base`, `total` (what training holds), `deployed` (real V), `steered_base`, or a control's id. */
  model: short,
  kind: z.enum(['during', 'final']),
  all: rates,
  /** By the ids of the environment's splits. */
  splits: mapOf(rates),
  /** By the environment's own ids; of environments that ask without sampling. */
  probes: z.optional(mapOf(probed)),
  /** What else is to be known of this model: the width of a matched random V. */
  note: z.optional(short),
});

/** Mean over seeds and its sample sd (null at n = 1). */
export const cell = z.object({ mean: number, sd: measured });
const cells = mapOf(z.nullable(cell));

/** A line of the final table. */
export const tableRow = z.object({
  label: short,
  arm: short,
  /** `base`, `total`, `deployed`, `steered_base` or a control id. */
  model: short,
  n: count,
  /** Final evaluation of what was trained, by metric; empty in the row of a model that only deployment makes. */
  trained: cells,
  /** Final evaluation of what would be deployed. */
  deployed: cells,
  /** Mean of the last five steps. */
  last5: cells,
  /** Paired by seed against vanilla (final evaluation). */
  delta: cells,
  cinTeacher: measured,
  coutUpdate: measured,
  /** Rollouts of the final evaluations that were not judged; absent when 0. */
  unjudged: z.optional(count),
  /** Metrics whose difference from the base one evaluation cannot tell from noise; absent in tables of before. */
  unchanged: z.optional(z.array(short)),
  /** Hack of the same evaluations (of what is deployed, where that is shown) if all of these that passed are hacks; absent where none did. */
  hackAtMost: z.optional(number),
  /** One sentence by fixed rules: null effect, n too small, … */
  verdict: short,
});
