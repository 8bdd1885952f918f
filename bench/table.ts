// A benchmark's result (tables for bench/RESULTS.md), and small functions that benchmarks share.

export interface BenchTable {
  title: string;
  /** Printed under the title. */
  note: string;
  columns: readonly string[];
  rows: readonly (readonly string[])[];
}

export interface Bench {
  name: string;
  /** `log` is for progress; it goes to stderr. */
  run(log: (line: string) => void): Promise<BenchTable[]>;
}

/** Processor milliseconds of this process, which other load on the machine does not change. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Three significant digits, without an exponent. */
export function figure(value: number): string {
  if (value === 0 || !Number.isFinite(value)) return String(value);
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return value.toFixed(Math.min(digits, 6));
}

/** Sorts the values in place and returns their median, the upper of the two middle values if their number is even. */
export function median(values: number[]): number {
  return values.sort((a, b) => a - b)[values.length >> 1];
}
