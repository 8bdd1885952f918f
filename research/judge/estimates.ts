// Turns the results of the environments' verdict rules into estimates of a common type; formats a verdict's sentence; computes the status
// of a question with several parts.

import {
  type Estimate,
  type Estimates,
  intervalText,
  type ProblemShare,
} from '../../src/experiments/judge/estimate.ts';
import type { DotChart } from '../../src/experiments/judge/figures.ts';
import type { RunRecord } from '../../src/experiments/records/events.ts';
import { three } from '../../src/lib/numbers.ts';
import { mean as meanOf, type PairedT, pairedT } from '../../src/stats/index.ts';

export const valuesBySeed = (seeds: readonly (number | null)[], values: readonly number[]): Estimate['each'] =>
  values.map((value, i) => ({ of: `seed ${seeds[i] ?? i + 1}`, value }));

/** Estimate over problems; each value is the mean for a sampling seed. */
export function shareEstimate(
  name: string,
  share: ProblemShare,
  seeds: readonly number[],
  word: string | null = null,
): Estimate {
  const each = share.seeds.flatMap((value, i) => (value === null ? [] : [{ of: `sampling ${seeds[i]}`, value }]));
  return { name, word, n: share.problems, mean: share.mean, interval: share.interval, each };
}

/** Estimate over differences, one per seed or character. */
export function pairedEstimate(
  name: string,
  each: Estimate['each'],
  paired: PairedT | null,
  word: string | null = null,
): Estimate {
  const values = each.map(({ value }) => value);
  return { name, word, n: values.length, mean: meanOf(values), interval: paired?.interval ?? null, each };
}

/** The existing estimates, in the order of `keys`. */
export const presentEstimates = <Key extends string>(estimates: Estimates<Key>, keys: readonly Key[]): Estimate[] =>
  keys.flatMap((key) => estimates[key] ?? []);

export const isKnown = (values: readonly number[] = []): boolean =>
  values.length > 0 && values.every((value) => !Number.isNaN(value));

/** Difference one − other, seed by seed; undefined if either was not measured. */
export function differenceOf(
  name: string,
  seeds: readonly number[],
  one: readonly number[] = [],
  other: readonly number[] = [],
  of: (one: number, other: number) => number = (a, b) => a - b,
): Estimate | undefined {
  if (!isKnown(one) || !isKnown(other)) return undefined;
  const values = one.map((value, i) => of(value, other[i]));
  return pairedEstimate(name, valuesBySeed(seeds, values), pairedT(values));
}

/** Mean and Student’s 95 % interval. */
export const meanAndInterval = (values: readonly number[]): Pick<Estimate, 'mean' | 'interval'> => ({
  mean: meanOf(values),
  interval: pairedT(values)?.interval ?? null,
});

/** Estimate with Student’s interval over values, one per seed. */
export const seedsEstimate = (name: string, seeds: readonly number[], values: readonly number[]): Estimate =>
  pairedEstimate(name, valuesBySeed(seeds, values), pairedT(values));

/** `Synthesis − majority: .15 [.10 .20]; … (n = 200 problems, 95 % intervals).` */
export function lineOf(
  figures: readonly Estimate[],
  { show = three, unit }: { show?: (value: number) => string; unit: string },
): string {
  const sentences = figures.map(
    (figure) => `${figure.name}: ${intervalText(figure, show)}${figure.word === null ? '' : `, ${figure.word}`}`,
  );
  const ns = figures.map(({ n }) => n);
  const [least, most] = [Math.min(...ns), Math.max(...ns)];
  return `${sentences.join('; ')} (n = ${least === most ? least : `${least} to ${most}`} ${unit}, 95 % intervals).`;
}

/**
 * One row per estimate, its units as dots styled like an arm; `bounds` are vertical lines. The order of keys is that of published sheets.
 */
export const dotChart = (
  title: string,
  x: string,
  figures: readonly Estimate[],
  arm: string | ((figure: Estimate) => string),
  bounds: DotChart['bounds'] = [ZERO],
): DotChart => ({
  kind: 'dots',
  title,
  x,
  bounds,
  rows: figures.map((figure) => {
    const { name, n, mean, interval, each } = figure;
    const look = typeof arm === 'string' ? arm : arm(figure);
    return { name, n, mean, interval, arm: look, values: each.map(({ value }) => value) };
  }),
});

export const ZERO = { at: 0, label: '0' };

export const seedsOf = (runs: readonly Pick<RunRecord, 'spec'>[], arm: string): number[] =>
  runs.filter(({ spec }) => spec.arm === arm).map(({ spec }) => spec.seed);

/** Provenance of computed rows that are no runs, without repeats: `CPU (WASM SIMD); lab 1.0.0; commit 9f0c61e983cd`. */
export const rowProvenance = (rows: readonly { device: string; appVersion: string; commit?: string }[]): string[] => [
  ...new Set(
    rows.map(({ device, appVersion, commit }) =>
      [device, `lab ${appVersion}`, ...(commit ? [`commit ${commit.slice(0, 12)}`] : [])].join('; '),
    ),
  ),
];
