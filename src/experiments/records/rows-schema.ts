// The rows of a run, field by field: the contents of a step, an evaluation, a rollout and a line of the result table, with the bounds that
// every reader checks. Their types follow from these schemas (events.ts), so that a field is declared once. Unknown fields, as of later
// versions, are accepted.

import { listOf, mapOf } from '@projected-grpo-lab/base/lists.ts';
import * as z from 'zod/mini';
import { EPISODE_ENDS } from '../../engine/types.ts';
import { MOST_EVALUATION_SEEDS } from '../config/options/evaluation.ts';
import { measured, number, schemasOf } from './measure.ts';
import { OCCASIONAL_MEASURES, STEP_MEASURES } from './measures.ts';
import { ROLLOUT_LABELS } from './rollout-labels.ts';

export { measured, number } from './measure.ts';

export const count = z.int().check(z.nonnegative());
export const short = z.string().check(z.maxLength(2000));
const long = z.string().check(z.maxLength(2_000_000));
const episodeEnd = z.enum(EPISODE_ENDS);

/** Metrics of `n` rollouts. */
export const rates = z.object({
  n: count,
  /** Rollouts that could not be judged: counted in n, but neither as hack nor as solve. Absent when 0. */
  unjudged: z.optional(count),
  /** The hack rate if every unjudged rollout that passed is a hack. Absent if none passed. */
  hackAtMost: z.optional(number),
  /** Values by MetricInfo.id. */
  figures: mapOf(measured),
});

/**
 * One step of the loop: one batch of rollouts. Times are not deterministic and therefore in the step's timing. Null means not measured. With
 * several inner epochs, loss, gradient, overlaps and lr are the first epoch's (the only one on policy); norms of the adapter parameters
 * are taken after the last.
 */
export const stepRow = z.object({
  /** Number of the batch of rollouts, from 1; with one inner epoch, the optimizer step. */
  step: count,
  student: rates,
  teacher: rates,
  ...schemasOf(STEP_MEASURES),
  /** Each control quarantine's norm, by control id (route/update). */
  shadowNorms: mapOf(number),
  /** cin with each control's basis: `random_V` is the measured null. */
  shadowCin: mapOf(measured),
  ...schemasOf(OCCASIONAL_MEASURES),
  /** The objective, if it is not GRPO. */
  objective: z.optional(z.enum(['nll', 'distill'])),
  /** Documents that the step trained on (nll, or replay beside RL), and their trained tokens. */
  documents: z.optional(z.object({ n: count, tokens: count })),
  /** The student's episodes: mean turns, and a count for each end; only with maxTurns > 1. */
  episodes: z.optional(z.object({ turns: measured, ended: z.partialRecord(episodeEnd, count) })),
});

/** One model's calls and tokens in one step; `read` counts prompts and scored texts. */
export const modelCost = z.object({ calls: count, read: count, written: count });

export const stepTiming = z.object({
  step: count,
  /** Seconds per phase: refresh, rollout, grade, score, backward, update, evaluate. */
  phases: mapOf(number),
  total: number,
  tokensPerSecond: number,
  /** Tokens that went through the model in the rollouts; only with maxTurns > 1 or a thinking budget. */
  work: z.optional(z.object({ prefilled: count, decoded: count, alike: z._default(count, 0), idle: count })),
  /** Tokens of other models that the reward asked, by role; absent if none was asked. */
  models: z.optional(mapOf(modelCost)),
});

/** One turn of a stored rollout. */
export const turn = z.object({
  /** Text shown to the model: the whole prompt in the first turn, then the appended part. */
  prompt: long,
  completion: long,
  logprobs: z.nullable(listOf(number, 100_000)),
  /** Text of each token, in imported logs that have it; a run's own completions are split again by its tokenizer. */
  tokens: z.optional(listOf(z.string(), 100_000)),
  /** False if the turn was cut off at its token limit; absent in older records. */
  ended: z.optional(z.boolean()),
});

/** A user's judgement of a rollout. */
export const rolloutLabel = z.object({ label: z.nullable(z.enum(ROLLOUT_LABELS)), note: short });

/** A stored rollout: prompt, completions and verdict. */
export const rollout = z.object({
  step: count,
  promptIndex: count,
  sampleIndex: count,
  taskId: short,
  /** Same as TaskLabels.kind. */
  kind: short,
  source: z.enum(['student', 'teacher']),
  turns: listOf(turn, 256).check(z.minLength(1)),
  /** Why the episode ended; only for live rollouts with maxTurns > 1. */
  end: z.optional(episodeEnd),
  advantage: number,
  reward: number,
  /** The reward's verdict; the page shows the fields that it knows. */
  verdict: mapOf(z.union([z.null(), z.boolean(), number, short])),
  /** Only in files; a browser stores labels separately (lab/records/labels.ts). */
  label: z.optional(rolloutLabel),
});

/** Result of scoring a set of texts with a model, without sampling. */
export const probed = z.object({
  n: count,
  /** Mean probability of the texts; for drift, a value in nats. */
  mean: number,
  /** Mean log-odds; null if the texts are not about the same thing. */
  logit: measured,
});

/** Evaluation of one model (a deployed or total adapter) on a fixed problem set. */
export const evalRow = z.object({
  /** Step after which it was taken (0 = the untrained base). */
  step: count,
  /** `base`, `total` (the trained parameters), `deployed` (without the quarantine of the real V), `steered_base`, a control's id, or
   *  that of a model made after training. */
  model: short,
  kind: z.enum(['during', 'final']),
  all: rates,
  /** Rates by the environment's split ids. */
  splits: mapOf(rates),
  /** Values by ids of the environment; only in environments that measure without sampling. */
  probes: z.optional(mapOf(probed)),
  /** The same evaluation with further sampling seeds (evaluationSeeds), in order; absent with one seed. */
  draws: z.optional(listOf(z.object({ all: rates, splits: mapOf(rates) }), MOST_EVALUATION_SEEDS)),
  /** Remark on this model, such as the width of a matched random V. */
  note: z.optional(short),
});

/** Mean over seeds and its sample sd (null at n = 1). */
export const cell = z.object({ mean: number, sd: measured });
const cells = mapOf(z.nullable(cell));

/** A line of the final table. */
export const tableRow = z.object({
  label: short,
  arm: short,
  /** `base`, `total`, `deployed`, `steered_base`, a control id, or that of a model made after training. */
  model: short,
  n: count,
  /** Final evaluation of the trained model, by metric; empty for a model that exists only as a deployed one. */
  trained: cells,
  /** Final evaluation of the deployed model. */
  deployed: cells,
  /** Mean of the last five steps. */
  last5: cells,
  /** Difference from vanilla, paired by seed (final evaluation). */
  delta: cells,
  cinTeacher: measured,
  coutUpdate: measured,
  /** Rollouts of the final evaluations that were not judged; absent when 0. */
  unjudged: z.optional(count),
  /** Metrics whose difference from the base is within the noise of one evaluation; absent in older tables. */
  unchanged: z.optional(z.array(short)),
  /** Hack of the same evaluations (of the deployed model, if shown) if all unjudged ones that passed are hacks; absent if none passed. */
  hackAtMost: z.optional(number),
  /** One sentence by fixed rules: null effect, n too small, … */
  verdict: short,
});
