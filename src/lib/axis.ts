// Chooses a chart's axis for its values, with round ends and round ticks. Pure; shared by the page and the figures of the docs.

export interface Axis {
  low: number;
  high: number;
  ticks: number[];
}

interface AxisEnds {
  /** Values that the axis must include. */
  low?: number;
  high?: number;
  /** Minimum width of the axis. */
  least?: number;
}

/** Round ends and at most eight ticks around the values. */
export function axisAround(values: readonly number[], { low, high, least = 0 }: AxisEnds = {}): Axis {
  const bottom = Math.min(...values, low ?? Number.POSITIVE_INFINITY);
  const top = Math.max(...values, high ?? Number.NEGATIVE_INFINITY);
  const span = Math.max(least, top > bottom ? top - bottom : Math.max(1, Math.abs(top)) / 5);
  const power = 10 ** Math.floor(Math.log10(span / 6));
  const step = [1, 2, 5, 10].map((m) => m * power).find((size) => span / size <= 6) ?? 10 * power;
  const first = Math.floor(bottom / step + 1e-9);
  const last = Math.max(first + Math.max(1, Math.ceil(least / step - 1e-9)), Math.ceil(top / step - 1e-9));
  const ticks = Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
  return { low: ticks[0], high: ticks[ticks.length - 1], ticks };
}
