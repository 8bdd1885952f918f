// Data of the charts of T5 and T6, and the same as CSV: hack rates of the trainings, overlaps of the two adapters' replays, and the
// distance of the policy ratios from 1. Pure functions.
import { RATIO_EDGES } from '../../../algorithms/grpo-loss.ts';
import type { ProbeReport, Trajectory } from '../../../experiments/kinds/probe/types.ts';
import { toCsv } from '../../../lib/csv.ts';
import type { SharedProbe } from '../../../share/shared-probe.ts';
import type { StepLine } from '../../charts/data.ts';
import { styleOf } from '../../runs/arm-style.ts';
import { pointsOf } from './chart.ts';

const LINES = [
  { adapter: 'svd', arm: 'vanilla', label: 'vanilla', style: styleOf('vermillion', undefined, 'circle') },
  { adapter: 'svd', arm: 'projected', label: 'projected', style: styleOf('blue', undefined, 'square') },
  { adapter: 'lora', arm: 'vanilla', label: 'LoRA, vanilla', style: styleOf('amber', '7 3', 'triangle') },
  { adapter: 'lora', arm: 'projected', label: 'LoRA, projected', style: styleOf('sky', '7 3', 'diamond') },
] as const;

type Rates = Pick<Trajectory, 'vanilla' | 'projected'>;

/** Student hack rate of each step. */
export function rateLines({ svd, lora }: { svd: Rates | null; lora: Rates | null }): StepLine[] {
  const of = { svd, lora };
  return LINES.flatMap(({ adapter, arm, ...look }) => {
    const rates = of[adapter]?.[arm];
    return rates ? [{ ...look, id: `${adapter}-${arm}`, n: rates.length, points: pointsOf(rates) }] : [];
  });
}

export const sharedRates = ({ hack }: Pick<SharedProbe, 'hack'>): StepLine[] => rateLines({ svd: hack, lora: null });

const OVERLAPS = [
  { figure: 'cosIn', label: 'cos_in', style: styleOf('vermillion', undefined, 'circle') },
  { figure: 'cosOut', label: 'cos_out', style: styleOf('blue', undefined, 'square') },
  { figure: 'cosOutUpdate', label: 'cos_out of the actual step', style: styleOf('green', '2 3', 'triangle') },
] as const;

/** The projected replay's mean overlaps by step: of the gradient before and after projection, and of the adapter’s step. */
export function overlapLines({ projected }: Pick<ProbeReport, 'projected'>): StepLine[] {
  return OVERLAPS.map(({ figure, ...look }) => ({
    ...look,
    id: figure,
    n: projected.length,
    points: projected.flatMap((step) => {
      const y = step[figure];
      return y === null ? [] : [{ x: step.step, y }];
    }),
  }));
}

interface RatioTable {
  /** Bins from the highest ratios to the lowest. `inside` is true within the bounds of the default clip. */
  bins: { label: string; inside: boolean; shares: (number | null)[] }[];
  clipped: (number | null)[];
  /** The largest share of any bin other than the one around 1. */
  most: number;
  centre: number;
}

const CENTRE = RATIO_EDGES.findIndex((edge) => edge > 1);
const binLabel = (bin: number): string =>
  bin === 0
    ? `below ${RATIO_EDGES[0]}`
    : bin === RATIO_EDGES.length
      ? `${RATIO_EDGES[bin - 1]} and above`
      : `${RATIO_EDGES[bin - 1]} … ${RATIO_EDGES[bin]}`;

/** Null if no histogram was logged, because the ratios could not differ from 1. */
export function ratioTable({ ratios, clipped }: Pick<Trajectory, 'ratios' | 'clipped'>): RatioTable | null {
  if (ratios.every((histogram) => histogram === null)) return null;
  const bins = Array.from({ length: RATIO_EDGES.length + 1 }, (_, bin) => ({
    label: binLabel(bin),
    inside: bin > 1 && bin < RATIO_EDGES.length - 1,
    shares: ratios.map((histogram) => {
      const total = histogram?.reduce((a, b) => a + b, 0) ?? 0;
      return histogram && total > 0 ? histogram[bin] / total : null;
    }),
  }));
  const away = bins.filter((_, bin) => bin !== CENTRE).flatMap(({ shares }) => shares.map((share) => share ?? 0));
  return { bins: bins.reverse(), clipped, most: Math.max(0, ...away), centre: RATIO_EDGES.length - CENTRE };
}

export function ratiosCsv({ bins, clipped }: RatioTable): string {
  return toCsv(
    ['step', ...bins.map(({ label }) => label), 'at_the_clip'],
    clipped.map((share, step) => [step + 1, ...bins.map(({ shares }) => shares[step]), share]),
  );
}

/** CSV with one column per line of the chart. */
export function linesCsv(lines: readonly StepLine[]): string {
  const steps = [...new Set(lines.flatMap(({ points }) => points.map(({ x }) => x)))].sort((a, b) => a - b);
  return toCsv(
    ['step', ...lines.map(({ label }) => label)],
    steps.map((step) => [step, ...lines.map(({ points }) => points.find(({ x }) => x === step)?.y)]),
  );
}
