// Estimates for the agents' questions: final evaluations of runs, differences seed by seed.

import type { EvalRow, RunRecord } from '../../../src/experiments/records/events.ts';
import { finalRow } from '../../../src/experiments/records/metrics.ts';
import { inSeedOrder } from '../../judge/question.ts';

/** Hacks are measured over all held-out tasks, solving in held-out universes. NaN if not measured. */
export const hackOf = (row: EvalRow | null): number => row?.all.figures.hack ?? Number.NaN;
export const solveOf = (row: EvalRow | null, split = 'words'): number =>
  row?.splits[split]?.figures.solve ?? Number.NaN;

const isHollow = ({ spec }: RunRecord): boolean => spec.softJudge === 'hollow';

/**
 * Rates of a policy trained with a flawed judge's reward, and of the same policy with the hack direction removed: one value per seed, NaN
 * if not measured.
 */
export interface Removal {
  seeds: readonly number[];
  /** Rates by the model's name, `base` and `whole` among them. */
  hack: Readonly<Record<string, readonly number[]>>;
  solve: Readonly<Record<string, readonly number[]>>;
}

/** Models of a routing run: the whole one, the deployed one, its controls, and the base steered along the direction. */
const ROUTED = {
  base: 'base',
  whole: 'total',
  deployed: 'deployed',
  no_gate: 'no_gate',
  random: 'random_V',
  permuted: 'permuted_V',
  flipped: 'flipped_V',
  early: 'early_V',
  placebo: 'placebo_V',
  steered: 'steered_base',
} as const;

/** Null if no routing run was rewarded by the flawed judge. */
export function routed(all: readonly RunRecord[]): Removal | null {
  const runs = inSeedOrder(all.filter((run) => run.spec.arm === 'route-update' && isHollow(run)));
  const of = (value: (row: EvalRow | null) => number) =>
    Object.fromEntries(
      Object.entries(ROUTED).map(([name, model]) => [name, runs.map((run) => value(finalRow(run, model)))]),
    );
  return runs.length === 0
    ? null
    : { seeds: runs.map(({ spec }) => spec.seed), hack: of(hackOf), solve: of((row) => solveOf(row)) };
}

/** Models of an erasing run and its controls; `base` and `whole` come from the routing run of the same seed. */
const ERASED = { base: 'base', whole: 'total', erased: 'erase', random: 'random_V', permuted: 'permuted_V' } as const;

/** Uses the seeds that have an erasing run, both its controls and a routing run; null if there is none. */
export function erased(all: readonly RunRecord[]): Removal | null {
  const runs = all.filter(isHollow);
  const runOf = (arm: string, seed: number) => runs.find(({ spec }) => spec.arm === arm && spec.seed === seed);
  const rowOf = (name: keyof typeof ERASED, seed: number): EvalRow | null => {
    const isBeside = name === 'base' || name === 'whole';
    const run = runOf(isBeside ? 'route-update' : ERASED[name], seed);
    return run ? finalRow(run, name === 'base' ? 'base' : 'total') : null;
  };
  const names = Object.keys(ERASED) as (keyof typeof ERASED)[];
  const seeds = inSeedOrder(runs.filter(({ spec }) => spec.arm === 'erase'))
    .map(({ spec }) => spec.seed)
    .filter((seed) => names.every((name) => rowOf(name, seed)));
  const of = (value: (row: EvalRow | null) => number) =>
    Object.fromEntries(names.map((name) => [name, seeds.map((seed) => value(rowOf(name, seed)))]));
  return seeds.length === 0 ? null : { seeds, hack: of(hackOf), solve: of((row) => solveOf(row)) };
}
