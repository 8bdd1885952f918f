// Round ends and ticks of an axis, for the charts of Findings, which are plain SVG.

export interface Axis {
  low: number;
  high: number;
  ticks: number[];
}

/** Round ends and ticks around the values, at least a tenth wide. */
export function axisOf(values: readonly number[], fixed: { low?: number; high?: number } = {}): Axis {
  const least = Math.min(...values, fixed.low ?? Number.POSITIVE_INFINITY);
  const most = Math.max(...values, fixed.high ?? Number.NEGATIVE_INFINITY);
  const span = Math.max(0.1, most - least);
  const step = [0.02, 0.05, 0.1, 0.2, 0.25, 0.5, 1, 2, 5].find((candidate) => span / candidate <= 6) ?? 10;
  const first = Math.floor(least / step + 1e-9);
  const last = Math.max(first + 1, Math.ceil(most / step - 1e-9));
  const ticks = Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toFixed(2)));
  return { low: ticks[0], high: ticks[ticks.length - 1], ticks };
}
