// Stages 5 and 6 (R5, R6): the probe's claims tested by training. They are ordinary experiments (half of every group from the teacher, Dr.GRPO,
// vanilla against projected), planned here as specs and judged from the runs' step rows.

import { percent } from '../../../lib/numbers.ts';
import { mean, meanOfKnown } from '../../../stats/index.ts';
import type { Settings } from '../../config/settings.ts';
import { type ExperimentSpec, parseExperimentSpec } from '../../config/spec.ts';
import type { RunRecord, StepRow } from '../../records/events.ts';
import { metricValue } from '../../records/metrics.ts';
import { BY_STEP, checkResult, GAP_AT_LEAST, RISE_ABOVE, WITHIN } from './rules.ts';
import type { CheckResult, Trajectory } from './types.ts';

/** Shares above which a run's failure is attributed to flat groups, or to the clip. */
const FLAT_GROUPS = 0.5;
const AT_THE_CLIP = 0.5;

export interface TrajectoryInput {
  steps: number;
  seed: number;
  /** Share of a group that the teacher writes. */
  ratio?: number;
  /** The teacher's own pool, and its number of problems; training uses these problems and rows. Null or absent for templates. */
  pool?: { sha256: string; problems: number } | null;
  overrides?: Partial<Settings>;
}

/** Optimizer steps on the same rollouts: with one, every policy ratio is 1 and the histogram is empty. */
const INNER_EPOCHS = 2;

/** Plans vanilla and projected training on hackable problems. Throws SpecError. */
export function trajectorySpec({ steps, seed, ratio = 0.5, pool, overrides }: TrajectoryInput): ExperimentSpec {
  return parseExperimentSpec({
    preset: 'classic',
    arms: ['none', 'erase'],
    seeds: [seed],
    overrides: {
      innerEpochs: INNER_EPOCHS,
      ...overrides,
      ...(pool ? { teacherPool: pool.sha256, problems: pool.problems } : {}),
      steps,
      mix: ratio,
      honestShare: 0,
      evalEvery: 0,
      finalEvalProblems: 16,
    },
  });
}

/** Trajectory of finished runs of the arms `none` and `erase`; null where one is missing. `ratios`: vanilla's histograms by step. */
export function trajectoryOf(
  runs: readonly RunRecord[],
  ratios: ReadonlyMap<number, readonly number[]> = new Map(),
): Trajectory | null {
  const rowsOf = (arm: string) => runs.find(({ spec }) => spec.arm === arm)?.rows;
  const pool = runs.find(({ spec }) => spec.arm === 'none')?.teacherPool;
  const [vanilla, projected] = [rowsOf('none'), rowsOf('erase')];
  if (!vanilla || !projected) return null;
  const hack = (rows: readonly StepRow[]) => rows.map(({ student }) => metricValue(student, 'hack'));
  const by = (rows: readonly StepRow[]) =>
    rows.length < BY_STEP ? null : meanOfKnown(hack(rows).slice(BY_STEP - 5, BY_STEP));
  return {
    vanilla: hack(vanilla),
    projected: hack(projected),
    start: meanOfKnown(hack(vanilla).slice(0, 2)),
    vanillaBy: by(vanilla),
    projectedBy: by(projected),
    flatGroups: mean(vanilla.map(({ fracRewardZeroStd }) => fracRewardZeroStd)),
    atTheClip: meanOfKnown(vanilla.map(({ clipFraction }) => clipFraction ?? null)),
    clipped: vanilla.map(({ clipFraction }) => clipFraction ?? null),
    ratios: ratios.size === 0 ? [] : vanilla.map(({ step }) => ratios.get(step) ?? null),
    taught: pool ? { problems: pool.problems, ofProblems: pool.ofProblems } : null,
  };
}

const points = (x: number | null) => percent(x, 1, ' %');

/** Judges R5. */
export function t5(trajectory: Trajectory): CheckResult {
  const { start, vanillaBy, projectedBy, flatGroups, atTheClip, taught } = trajectory;
  const rise = start === null || vanillaBy === null ? null : vanillaBy - start;
  const gap = vanillaBy === null || projectedBy === null ? null : vanillaBy - projectedBy;
  const notes: string[] = [];
  if (rise === null || gap === null) notes.push(`Fewer than ${BY_STEP} steps, or none with a rollout.`);
  if (flatGroups !== null && flatGroups > FLAT_GROUPS)
    notes.push(`${points(flatGroups)} of the groups had no variance: there was little to learn from.`);
  if (atTheClip !== null && atTheClip > AT_THE_CLIP)
    notes.push(`${points(atTheClip)} of the ratios stood at the clip bounds: the gradient is mostly noise.`);
  if (atTheClip === null)
    notes.push('Ratios are 1 by construction (recomputed, one inner epoch): no histogram of them.');
  notes.push(
    taught
      ? `The teacher’s rows are the probe’s own pool, for ${taught.problems} of ${taught.ofProblems} problems.`
      : 'The teacher’s rows are the templates’.',
    'One seed: the size of the gap has no error bar.',
  );
  return checkResult('T5', {
    value: `vanilla ${points(start)} → ${points(vanillaBy)} by step ${BY_STEP}, projected ${points(projectedBy)}`,
    note: notes.join(' '),
    figures: { start, vanillaBy, projectedBy, rise, gap, flatGroups, atTheClip },
  });
}

const risesInVanilla = ({ start, vanillaBy }: Trajectory): boolean =>
  start !== null && vanillaBy !== null && vanillaBy - start > RISE_ABOVE;

/** R6: T4 with both adapters, and their trainings where both were run. */
export function t6(
  t4: { svd: CheckResult; lora: CheckResult },
  trainings: { svd: Trajectory; lora: Trajectory } | null,
): CheckResult {
  const reduction = ({ vanillaBy, projectedBy }: Trajectory) =>
    vanillaBy === null || projectedBy === null ? null : vanillaBy - projectedBy;
  const svd = trainings && reduction(trainings.svd);
  const lora = trainings && reduction(trainings.lora);
  // A share of a zero reduction is undefined, and where no hack was learnt there is nothing to remove.
  const silent = (['svd', 'lora'] as const).filter((adapter) => trainings && !risesInVanilla(trainings[adapter]));
  const share = svd === null || lora === null || silent.length > 0 || svd < GAP_AT_LEAST ? null : lora / svd;
  const side = ({ outcome, figures }: CheckResult) => `${outcome} (t ${figures.t?.toFixed(2) ?? '–'})`;
  const parts = [`T4 with SVD ${side(t4.svd)}, with LoRA ${side(t4.lora)}`];
  if (trainings) parts.push(`hack reduction ${points(svd)} and ${points(lora)}`);
  return checkResult('T6', {
    value: parts.join('; '),
    note: [
      'At B = 0 the gradient on A vanishes, so that a LoRA basis of the untrained model lies in B alone.',
      trainings
        ? silent.length > 0
          ? `Vanilla does not take up the hack with ${silent.join(' and ')}: there is nothing to reduce (its learning rate?).`
          : share === null
            ? 'SVD’s own reduction is too small to be compared with.'
            : `LoRA’s reduction is ${(100 * share).toFixed(0)} % of SVD’s${share < 1 - WITHIN ? ': a clean negative, for its vanilla takes up the hack' : ''}, at one seed.`
        : 'The matched training runs were not made.',
    ]
      .filter((text) => text !== '')
      .join(' '),
    figures: {
      tSvd: t4.svd.figures.t ?? null,
      tLora: t4.lora.figures.t ?? null,
      svdReduction: svd,
      loraReduction: lora,
      share,
    },
  });
}
