// Helpers for tests of the pages: the arena's published runs, the pages' text, and shares in the pages' format.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunRecord } from '../../../src/experiments/records/events.ts';
import { minus } from '../../../src/lib/numbers.ts';
import { unpackRuns } from '../pack.ts';

export const PROJECT = join(import.meta.dirname, '..', '..', '..');

/** Runs of public/results/arena/NAME.runs.json.gz. */
export const arenaRuns = (...names: readonly string[]): RunRecord[] =>
  names.flatMap((name) =>
    unpackRuns(readFileSync(join(PROJECT, 'public', 'results', 'arena', `${name}.runs.json.gz`)), name).map(
      ({ record }) => record,
    ),
  );

export const pageOf = (path: string): string => readFileSync(join(PROJECT, path), 'utf8');

/** Formats 0.123 as `12.3`; a value below 1 has no zero before the point. */
export const points = (share: number): string => minus((100 * share).toFixed(1).replace(/^(-?)0\./, '$1.'));
/** Formats 0.123 as `12`. */
export const whole = (share: number): string => minus((100 * share).toFixed(0).replace(/^-0$/, '0'));
