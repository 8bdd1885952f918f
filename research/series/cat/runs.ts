// Figures of runs with references or judges, at their end and along their steps, computed from their records: judged texts, models of
// projecting runs, variants of CaT's training, and long training.

import type { ArmName } from '../../../src/experiments/config/arms.ts';
import type { Estimate } from '../../../src/experiments/judge/estimate.ts';
import type { RunRecord, StepRow } from '../../../src/experiments/records/events.ts';
import { finalMetric, finalRow, metricValue } from '../../../src/experiments/records/metrics.ts';
import { two } from '../../../src/lib/numbers.ts';
import { mean } from '../../../src/stats/index.ts';
import { seedsEstimate } from '../../judge/estimates.ts';

/** Steps averaged at the start and at the end. */
export const STEPS = 10;

// ---- judged texts --------------------------------------------------------------------------------------------------

export type JudgedRun = Pick<RunRecord, 'spec' | 'rows' | 'evals'>;

/** Metrics of one run, each null where it was not measured. */
export interface JudgedMetrics {
  arm: ArmName;
  seed: number;
  score: number | null;
  splits: Readonly<Record<string, number | null>>;
  plain: number | null;
  edge: number | null;
  stamped: number | null;
  contradicts: number | null;
  /** Means of the first and the last steps, by metric. */
  first: Readonly<Record<string, number | null>>;
  last: Readonly<Record<string, number | null>>;
}

const ALONG = [
  ...(['judged', 'score', 'gap', 'gapJudge', 'judgeAgrees', 'judgePrecision', 'judgeRecall'] as const),
  ...(['rubricPrecision', 'rubricRecall', 'synthesisScore', 'teacherDelta', 'stamped'] as const),
];

export function metricsOfRun({ spec, rows, evals }: JudgedRun): JudgedMetrics {
  const final = finalRow({ evals }, 'total');
  const of = (id: string) => (final ? metricValue(final.all, id) : null);
  const along = (part: typeof rows) =>
    Object.fromEntries(ALONG.map((id) => [id, mean(part.flatMap(({ student }) => metricValue(student, id) ?? []))]));
  return {
    arm: spec.arm,
    seed: spec.seed,
    score: of('score'),
    plain: of('score:plain'),
    edge: of('score:edge'),
    splits: Object.fromEntries(
      Object.entries(final?.splits ?? {}).map(([id, rates]) => [id, metricValue(rates, 'score')]),
    ),
    stamped: of('stamped'),
    contradicts: of('contradicts'),
    first: along(rows.slice(0, STEPS)),
    last: along(rows.slice(-STEPS)),
  };
}

/** `.52 → .61`, from a start to an end; null if the start is unknown. */
export const changeText = (first: number | null, last: number | null): string | null =>
  first === null ? null : `${two(first)} → ${two(last)}`;

/** The same for a metric's means over runs, of the first and the last steps. */
export function metricChange(runs: readonly JudgedMetrics[], id: string): string | null {
  const part = (of: 'first' | 'last') => mean(runs.flatMap((run) => run[of][id] ?? []));
  return changeText(part('first'), part('last'));
}

// ---- runs that project ---------------------------------------------------------------------------------------------

export type ProjectedRun = Pick<RunRecord, 'spec' | 'evals'>;

/** The hack that is wrongly rewarded, and the skill to keep: ids of final figures. */
export interface Subject {
  id: 'flattery' | 'misconception' | 'cat';
  hack: string;
  gain: string;
  isOf(spec: ProjectedRun['spec']): boolean;
}

export const SUBJECTS: readonly Subject[] = [
  { id: 'flattery', hack: 'stamped', gain: 'score', isOf: ({ grading }) => grading === 'hasty' },
  { id: 'misconception', hack: 'misconception', gain: 'solve', isOf: ({ reference }) => reference === 'majority' },
  { id: 'cat', hack: 'misconception', gain: 'solve', isOf: ({ reference }) => reference === 'synthesis' },
];

export function runsOfSubject<Run extends ProjectedRun>(runs: readonly Run[], id: Subject['id']) {
  const { isOf, hack, gain } = SUBJECTS.find((one) => one.id === id)!;
  return { own: runs.filter(({ spec }) => isOf(spec)), hack, gain };
}

/** A model: an arm's, and which of its models; erasing arms have only the whole one. */
export type Model = readonly [arm: ArmName, model: string];

/** A routing run contains it; an erasing run, which trains differently, is compared with that of its seed. */
export const WHOLE: Model = ['route-update', 'total'];

export const seedsOf = (runs: readonly ProjectedRun[]): number[] =>
  [...new Set(runs.map(({ spec }) => spec.seed))].sort((a, b) => a - b);

/** A final figure of the seed's run; null if there is none. */
export function finalOf(runs: readonly ProjectedRun[], seed: number, [arm, model]: Model, id: string): number | null {
  const run = runs.find(({ spec }) => spec.arm === arm && spec.seed === seed);
  return run ? finalMetric(run, model, id) : null;
}

// ---- variants of CaT -----------------------------------------------------------------------------------------------

export type VariantRun = Pick<RunRecord, 'spec' | 'rows' | 'evals'>;

/** `G 8`, `G 2`, `KL 0.1`, `finetuned`, `self-chosen`; null for other runs. */
export function variantOf({ spec }: Pick<VariantRun, 'spec'>): string | null {
  const { arm, groupSize, klBeta, entropyCoef = 0, reference } = spec;
  if (entropyCoef > 0) return null;
  if (arm === 'cat_sft') return 'finetuned';
  if (arm === 'self_bon') return 'self-chosen';
  if (arm !== 'cat' || reference !== 'synthesis') return null;
  return klBeta > 0 ? `KL ${klBeta}` : `G ${groupSize}`;
}

/** Returns a figure of the final evaluation of a variant's runs, by seed. */
export function finalBySeed(runs: readonly VariantRun[], variant: string, id: string): Map<number, number> {
  const own = runs.filter((run) => variantOf(run) === variant);
  return new Map(
    own.flatMap((run) => {
      const value = finalMetric(run, 'total', id);
      return value === null ? [] : [[run.spec.seed, value] as const];
    }),
  );
}

// ---- long training -------------------------------------------------------------------------------------------------

/** Mean over the ten steps that end at `last`; null if one of them has no value. */
export function meanBefore(
  { rows }: Pick<RunRecord, 'rows'>,
  last: number,
  of: (row: StepRow) => number | null,
): number | null {
  const values = rows.slice(last - STEPS, last).flatMap((row) => of(row) ?? []);
  return values.length === STEPS ? mean(values) : null;
}

/** Null if one of the two is unknown. */
export const differenceOrNull = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? null : one - other;

/** Returns the share of the training problems solved. */
export const solveOfStep = ({ student }: Pick<StepRow, 'student'>): number | null => metricValue(student, 'solve');

/** Returns the share solved in the final evaluation. */
export const solveOf = (run: RunRecord): number | null => finalMetric(run, 'total', 'solve');

/** Change of a figure of the final evaluation by training. */
export const gainOf = (run: RunRecord, id = 'solve'): number | null =>
  differenceOrNull(finalMetric(run, 'total', id), finalMetric(run, 'base', id));

/** Difference from the other run of the same seed. */
export const lessOfSeed =
  (others: readonly RunRecord[], of: (run: RunRecord) => number | null) =>
  (run: RunRecord): number | null => {
    const other = others.find(({ spec }) => spec.seed === run.spec.seed);
    return differenceOrNull(of(run), other ? of(other) : null);
  };

/** Over the seeds with a value; absent without any. */
export function runsEstimate(
  name: string,
  runs: readonly RunRecord[],
  value: (run: RunRecord) => number | null,
): Estimate | undefined {
  const known = runs.flatMap((run) => {
    const one = value(run);
    return one === null ? [] : [{ seed: run.spec.seed, one }];
  });
  const [seeds, values] = [known.map(({ seed }) => seed), known.map(({ one }) => one)];
  return known.length > 0 ? seedsEstimate(name, seeds, values) : undefined;
}

/** Number of policies that end below the untrained model, in words. */
export function belowUntrained(runs: readonly RunRecord[]): string {
  const gains = runs.flatMap((run) => gainOf(run) ?? []);
  return `CaT’s policies that end below the untrained model: ${gains.filter((gain) => gain < 0).length} of ${gains.length}.`;
}
