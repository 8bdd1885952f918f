// Compares the port with a folder of recorded runs of the reference: one comparison per file, one result per case.

import { parsePythonJson } from '../../python-json.ts';
import { plain } from '../../value.ts';
import { compareAppCalls, compareCatalogue } from './apps.ts';
import { compareClock, compareConditions, compareQueue, compareWaiting } from './core.ts';
import { type Departure, departureOf, entryOf } from './departures.ts';
import { compareActions, compareCheckers, compareParameters, compareRegistry, compareSchema } from './texts.ts';
import type { Comparison, ParityCase, ParityContext } from './types.ts';
import { compareOracles, compareVerdicts } from './worlds.ts';

/** Comparisons by file name. */
export const COMPARISONS: Readonly<Record<string, Comparison>> = {
  'time_manager.json': compareClock,
  'event_queue.json': compareQueue,
  'condition_events.json': compareConditions,
  'wait_for_notification.json': compareWaiting,
  'tool_catalogue.json': compareCatalogue,
  'app_calls.json': compareAppCalls,
  'parse_parameter_value.json': compareParameters,
  'parse_action.json': compareActions,
  'hard_checkers.json': compareCheckers,
  'checker_registry.json': compareRegistry,
  'exported_trace_schema.json': compareSchema,
  'oracle_runs.json': compareOracles,
  'verdicts.json': compareVerdicts,
};

export interface JudgedCase extends ParityCase {
  /** The documented reason for its difference (docs/reference/are.md), if any. */
  readonly departure: string | null;
  /** Whether it has no difference, or a listed one. */
  readonly isRight: boolean;
  /** Differences that are not listed. */
  readonly unlisted: readonly string[];
}

export interface ParityReport {
  /** Sorted by the number of unlisted differences, highest first. */
  readonly cases: readonly JudgedCase[];
  /** Files without a comparison, and comparisons without a file. */
  readonly unknown: readonly string[];
  readonly absent: readonly string[];
  readonly isRight: boolean;
}

/** @param files names of the JSON files directly in the folder */
export function parityOf(files: readonly string[], context: ParityContext): ParityReport {
  const known = files.filter((file) => Object.hasOwn(COMPARISONS, file));
  const cases = known.flatMap((file) => casesOf(file, context)).map(judged);
  const weight = ({ isRight, missing, unlisted, differences }: JudgedCase) =>
    (isRight ? 0 : 1e9) + (missing === undefined ? unlisted.length * 1e3 + differences.length : 1e6);
  cases.sort((a, b) => weight(b) - weight(a));
  return {
    cases,
    unknown: files.filter((file) => !known.includes(file)),
    absent: Object.keys(COMPARISONS).filter((file) => !files.includes(file)),
    isRight: cases.length > 0 && cases.every(({ isRight }) => isRight),
  };
}

/** Entries that apply, each with the number of differences that it covers. */
export function departuresOf({ cases }: Pick<ParityReport, 'cases'>): { departure: Departure; count: number }[] {
  const counts = new Map<string, { departure: Departure; count: number }>();
  for (const { file, differences } of cases) {
    for (const difference of differences) {
      const departure = entryOf(file, difference);
      if (!departure) continue;
      const known = counts.get(departure.title) ?? { departure, count: 0 };
      known.count++;
      counts.set(departure.title, known);
    }
  }
  return [...counts.values()].sort((a, b) => b.count - a.count);
}

function casesOf(file: string, context: ParityContext): ParityCase[] {
  const text = context.text(file);
  if (text === undefined) return [{ file, name: 'file', differences: [], missing: 'it cannot be read' }];
  try {
    return (COMPARISONS[file] as Comparison)({ text, json: plain(parsePythonJson(text)) }, context);
  } catch (error) {
    return [{ file, name: 'file', differences: [`it cannot be compared: ${String(error)}`] }];
  }
}

function judged(found: ParityCase): JudgedCase {
  const isSame = found.differences.length === 0 && found.missing === undefined;
  const departure = isSame ? null : departureOf(found);
  const unlisted = found.differences.filter((difference) => !entryOf(found.file, difference));
  return { ...found, departure, isRight: isSame || departure !== null, unlisted };
}
