// The shape of a probe's files, field by field: report.json and the rows of a step.

import { listOf, mapOf } from '@projected-grpo-lab/base/lists.ts';
import * as z from 'zod/mini';
import { RATIO_EDGES } from '../../../algorithms/grpo-loss.ts';
import { CHECKS } from '../../../experiments/kinds/probe/types.ts';

const count = z.int().check(z.nonnegative());
const words = z.string().check(z.maxLength(4000));
const nullableNumber = z.nullable(z.number());

const Row = z.object({
  step: z.int().check(z.positive()),
  sample: count,
  problem: z.string(),
  completion: z.string(),
  exploited: z.boolean(),
  gt_pass: z.nullable(z.boolean()),
  structural: z.boolean(),
  n_tokens: count,
  nll: z.number(),
  cos_S_contrib: nullableNumber,
  cos_normalised: nullableNumber,
  cos_grpo: nullableNumber,
  cos_random: listOf(nullableNumber),
  modules: z.optional(mapOf(nullableNumber)),
});
/** Rows of one step. */
export const RowsSchema = listOf(Row, 4096);

const Step = z.object({
  step: z.int().check(z.positive()),
  problem: z.string(),
  samples: count,
  tokens: count,
  lr: z.number(),
  nll: z.number(),
  cos: nullableNumber,
  cosIn: nullableNumber,
  cosOut: nullableNumber,
  cosOutUpdate: nullableNumber,
  fired: nullableNumber,
  gradNorm: z.number(),
});
const Contrast = z.object({
  nPure: count,
  nBoth: count,
  mixedProblems: count,
  meanPure: nullableNumber,
  meanBoth: nullableNumber,
  t: nullableNumber,
  p: nullableNumber,
  permutationP: nullableNumber,
  exact: z.boolean(),
});
const Discrimination = z.object({
  plain: Contrast,
  lengthMatched: Contrast,
  random: z.object({ t: listOf(nullableNumber), passing: count, permutationPassing: count, p: nullableNumber }),
});
const VerdictsSchema = listOf(
  z.object({
    id: z.enum(CHECKS),
    what: words,
    value: words,
    threshold: words,
    outcome: z.enum(['pass', 'fail', 'undecided', 'not run']),
    excludes: words,
    note: words,
    figures: mapOf(nullableNumber),
  }),
  CHECKS.length,
).check(z.minLength(CHECKS.length));

const stepSeries = listOf(nullableNumber, 10_000);
const Trained = z.object({
  vanilla: stepSeries,
  projected: stepSeries,
  start: nullableNumber,
  vanillaBy: nullableNumber,
  projectedBy: nullableNumber,
  flatGroups: nullableNumber,
  atTheClip: nullableNumber,
  ratios: listOf(z.nullable(listOf(count).check(z.length(RATIO_EDGES.length + 1))), 10_000),
  clipped: stepSeries,
  taught: z.optional(z.nullable(z.object({ problems: count, ofProblems: count }))),
});

const COMMON_FIELDS = {
  schema: z.literal(1),
  key: words,
  adapter: z.enum(['svd', 'lora']),
  pool: z.object({ source: words, problems: count, samples: count }),
  modulesWithBasis: count,
  bound: z.number(),
  vanilla: listOf(Step, 10_000).check(z.minLength(1)),
  projected: listOf(Step, 10_000).check(z.minLength(1)),
  discrimination: Discrimination,
  grpoDiscrimination: Discrimination,
  contrastive: z.object({
    pairs: count,
    equalLength: z.object({ tokens: count, meanAngle: nullableNumber, maxAngle: nullableNumber }),
    asTheyAre: z.object({
      differing: count,
      meanAngle: nullableNumber,
      modules: listOf(z.object({ name: words, angles: listOf(z.number()) })),
    }),
  }),
  verdicts: VerdictsSchema,
};

/** Contents of report.json; unknown fields of another version are dropped. */
export const ReportSchema = z.object({
  ...COMMON_FIELDS,
  lora: z.optional(z.object(COMMON_FIELDS)),
  trajectories: z.optional(z.object({ svd: z.nullable(Trained), lora: z.nullable(Trained) })),
});
