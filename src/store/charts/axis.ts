// The axes of the charts: their quantity (steps, rollout tokens or seconds), their round ticks, and the ticks' texts. Pure functions.
import { groupedBy } from '../../lib/grouped.ts';
import type { ChartRun } from './run.ts';

export type AxisName = 'step' | 'tokens' | 'time';

export const AXES: Readonly<Record<AxisName, { label: string; unit: string }>> = {
  step: { label: 'Step', unit: 'step' },
  tokens: { label: 'Rollout tokens', unit: 'tokens' },
  time: { label: 'Wall time', unit: 'seconds' },
};

/**
 * Maps an arm's steps to the axis: the step itself, or the sum of the tokens (seconds) up to and including it. Each step adds the mean over
 * the seeds that have reached it, so that seeds share an axis and it never decreases.
 */
export function armAxis(runs: readonly Pick<ChartRun, 'rows' | 'timings'>[], axis: AxisName): (step: number) => number {
  if (axis === 'step') return (step) => step;
  const parts = runs.flatMap(({ rows, timings }) =>
    axis === 'tokens'
      ? rows.map(({ step, rolloutTokens = 0 }) => ({ step, amount: rolloutTokens }))
      : timings.map(({ step, total }) => ({ step, amount: total })),
  );
  const at = new Map<number, number>();
  let sum = 0;
  for (const [step, own] of [...groupedBy(parts, ({ step }) => step)].sort(([a], [b]) => a - b)) {
    sum += own.reduce((total, { amount }) => total + amount, 0) / own.length;
    at.set(step, sum);
  }
  return (step) => at.get(step) ?? (step === 0 ? 0 : sum);
}

/** Round steps from 0 up to `top`, at most `most` of them; the last tick may be beyond it. */
export function ticksTo(top: number, most: number): number[] {
  if (!(top > 0)) return [0, 1];
  const size = 10 ** Math.floor(Math.log10(top / most));
  const step = [1, 2, 2.5, 5, 10]
    .map((factor) => factor * size)
    .find((candidate) => candidate * most >= top * 0.999999);
  const count = Math.ceil(top / step! - 1e-6);
  // The tick is rounded to the step's digits, so that 3 × 0.1 gives 0.3.
  const digits = Math.max(0, 2 - Math.floor(Math.log10(step!)));
  return Array.from({ length: count + 1 }, (_, i) => Number((i * step!).toFixed(digits)));
}

/** Round positions of a step axis whose right end is fixed: at most seven whole numbers. */
export function stepTicks(steps: number): number[] {
  let size = 1;
  // The possible sizes are 1, 2, 5, 10, 20, 50, …
  for (let i = 0; steps / size > 6; i++) size *= i % 3 === 1 ? 2.5 : 2;
  return Array.from({ length: Math.floor(steps / size) + 1 }, (_, i) => i * size);
}

/** Powers of ten around the data, including both ends; only every second or third if there are many. */
export function decadeTicks(low: number, high: number): number[] {
  const first = Math.floor(Math.log10(low) + 1e-9);
  const last = Math.max(first + 1, Math.ceil(Math.log10(high) - 1e-9));
  const stride = Math.ceil((last - first) / 5);
  const ticks = [];
  for (let exponent = first; exponent < last + stride; exponent += stride) ticks.push(10 ** exponent);
  return ticks;
}

/** 1200 → `1.2k`, 3 400 000 → `3.4M`. */
export function shortCount(x: number): string {
  if (x < 1000) return String(Number(x.toPrecision(4)));
  return x < 1e6 ? `${Number((x / 1e3).toPrecision(4))}k` : `${Number((x / 1e6).toPrecision(4))}M`;
}

/** Seconds on an axis that ends at `top`: `40 s`, `12 min`, `1.5 h`. */
export function shortTime(seconds: number, top: number): string {
  if (seconds === 0) return '0';
  if (top < 180) return `${Number(seconds.toPrecision(3))} s`;
  return top < 3 * 3600
    ? `${Number((seconds / 60).toPrecision(3))} min`
    : `${Number((seconds / 3600).toPrecision(3))} h`;
}

/** Ticks of a time axis are round in the displayed unit, such as minutes rather than hundreds of seconds. */
export function timeTicks(top: number): number[] {
  const unit = top < 180 ? 1 : top < 3 * 3600 ? 60 : 3600;
  return ticksTo(top / unit, 5).map((tick) => tick * unit);
}
