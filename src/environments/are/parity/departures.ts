// Where the port differs from recorded runs on purpose. Each has its line in docs/are.md, under the same title. A difference that no
// entry covers fails `lab are parity`.
import type { ParityCase } from './types.ts';

export interface Departure {
  /** As docs/are.md has it. */
  readonly title: string;
  readonly file: string;
  /** Of a difference's text; every difference of a case has to be covered. */
  readonly pattern: RegExp;
}

export const DEPARTURES: readonly Departure[] = [];

/** The titles that cover all differences of a case; null where one is not covered. */
export function departureOf(
  { file, differences, missing }: ParityCase,
  listed: readonly Departure[] = DEPARTURES,
): string | null {
  if (missing !== undefined) return null;
  const titles = new Set<string>();
  for (const difference of differences) {
    const found = listed.find((entry) => entry.file === file && entry.pattern.test(difference));
    if (!found) return null;
    titles.add(found.title);
  }
  return [...titles].join('; ');
}
