// Finished runs as small files: rows and evaluations column by column, numbers as they are, so that what comes out is what went
// in, to the last bit. Step timings stay behind (they are no result); their sum is kept. Same runs, same bytes.
import { gunzipSync, gzipSync } from 'fflate';
import * as z from 'zod/mini';
import { FormatError } from '../../lib/errors.ts';
import type { EvalRow, RunRecord, StepRow } from '../events.ts';
import { COMMON } from '../presets.ts';
import { type RunSpec, type Settings, withDefaults } from '../spec.ts';
import type { Rerouted, StudyRun } from './figures.ts';

/** A run without its step timings, with what they came to. */
export interface PublishedRun extends StudyRun {
  /** Training, without the final evaluation. */
  seconds: number;
}

/** public/results/index.json */
export interface ResultsIndex {
  schema: 1;
  runs: number;
  bytes: number;
  /** In the order of the study; each holds the runs that this question asks for first. */
  files: { name: string; question: string; runs: number; bytes: number; sha256: string }[];
}

/** Throws FormatError. */
export function readIndex(text: string): ResultsIndex {
  try {
    return indexSchema.parse(JSON.parse(text)) as ResultsIndex;
  } catch (cause) {
    throw new FormatError('The index of the published results is damaged.', 'Load the page again.', { cause });
  }
}
const count = z.int().check(z.minimum(0));
const indexSchema = z.object({
  schema: z.literal(1),
  runs: count,
  bytes: count,
  files: z.array(
    z.object({
      name: z.string().check(z.regex(/^[\w-]+\.json\.gz$/)),
      question: z.string(),
      runs: count,
      bytes: count,
      sha256: z.string(),
    }),
  ),
});

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
/** By path (`student.hack`), one value a record; a record without that path has an empty list there. */
type Columns = Record<string, Json[]>;

interface PackedRun {
  key: string;
  /** Settings that differ from the defaults, and what is no setting. */
  spec: Json;
  about: Json;
  seconds: number;
  rows: Columns;
  evals: Columns;
  rerouted: { shadows: Json; rows: Columns };
}

const FORMAT = 'projected-grpo-lab study 1';

/** Gzipped JSON. Runs are sorted by key. */
export function packRuns(runs: readonly StudyRun[]): Uint8Array {
  const sorted = [...runs].sort((a, b) => (a.key < b.key ? -1 : 1));
  const text = JSON.stringify({ format: FORMAT, runs: sorted.map(packRun) });
  return gzipSync(new TextEncoder().encode(text), { level: 9, mtime: 0 });
}

/** Reads what packRuns wrote, also where a server has unzipped it on the way. Throws FormatError. */
export function unpackRuns(bytes: Uint8Array, label: string): PublishedRun[] {
  try {
    const isZipped = bytes[0] === 0x1f && bytes[1] === 0x8b;
    const text = new TextDecoder().decode(isZipped ? gunzipSync(bytes) : bytes);
    const { format, runs } = JSON.parse(text) as { format: string; runs: PackedRun[] };
    if (format === FORMAT) return runs.map(unpackRun);
  } catch (cause) {
    throw new FormatError(`${label} is damaged: ${String(cause)}`, 'Take the file again.', { cause });
  }
  throw new FormatError(`${label} is no file of study results.`, 'It must come from this version of the lab.');
}

function packRun({ key, record, rerouted, seconds: known = 0 }: StudyRun): PackedRun {
  const { spec, rows, evals, timings, ...about } = record;
  const seconds = timings.length > 0 ? timings.reduce((sum, { total }) => sum + total, 0) : known;
  return {
    key,
    spec: withoutDefaults(spec) as unknown as Json,
    about: about as unknown as Json,
    seconds: Math.round(10 * seconds) / 10,
    rows: toColumns(rows),
    evals: toColumns(evals),
    rerouted: {
      shadows: rerouted.map(({ shadow }) => shadow) as unknown as Json,
      rows: toColumns(rerouted.map(({ row }) => row)),
    },
  };
}

function unpackRun({ key, spec, about, seconds, rows, evals, rerouted }: PackedRun): PublishedRun {
  const shadows = rerouted.shadows as unknown as Rerouted['shadow'][];
  const routed = fromColumns<EvalRow>(rerouted.rows);
  return {
    key,
    seconds,
    record: {
      ...(about as unknown as Omit<RunRecord, 'spec' | 'rows' | 'evals' | 'timings'>),
      spec: withDefaults(spec as unknown as RunSpec),
      rows: fromColumns<StepRow>(rows),
      timings: [],
      evals: fromColumns<EvalRow>(evals),
    },
    rerouted: shadows.map((shadow, i) => ({ shadow, row: routed[i] })),
  };
}

function withoutDefaults(spec: RunSpec): Partial<RunSpec> {
  const isDefault = (name: string) =>
    name in COMMON && JSON.stringify(spec[name as keyof Settings]) === JSON.stringify(COMMON[name as keyof Settings]);
  return Object.fromEntries(Object.entries(spec).filter(([name]) => !isDefault(name))) as Partial<RunSpec>;
}

// ---- columns -------------------------------------------------------------------------------------------------------

const ABSENT: Json = [];
const isAbsent = (value: Json) => Array.isArray(value) && value.length === 0;
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Leaves are what is no object, and empty objects. Records keep their paths' first order. */
export function toColumns(records: readonly object[]): Columns {
  const columns: Columns = {};
  for (const [i, record] of records.entries())
    for (const [path, value] of leaves(record, '')) {
      columns[path] ??= Array.from({ length: records.length }, () => ABSENT);
      columns[path][i] = value;
    }
  // A column of one value throughout is written once.
  return Object.fromEntries(
    Object.entries(columns).map(([path, values]) => [
      path,
      isConstant(values) ? [values[0], values.length] : [...values, -1],
    ]),
  );
}

const isConstant = (values: readonly Json[]) =>
  values.length > 1 && values.every((value) => JSON.stringify(value) === JSON.stringify(values[0]));

function* leaves(record: object, prefix: string): Generator<[string, Json]> {
  for (const [name, value] of Object.entries(record)) {
    if (value === undefined) continue;
    if (isRecord(value) && Object.keys(value).length > 0) yield* leaves(value, `${prefix}${name}.`);
    else yield [prefix + name, value as Json];
  }
}

export function fromColumns<T extends object>(columns: Columns): T[] {
  const whole = Object.entries(columns).map(([path, packed]): [string[], Json[]] => {
    const last = packed[packed.length - 1] as number;
    return [path.split('.'), last < 0 ? packed.slice(0, -1) : Array.from({ length: last }, () => packed[0])];
  });
  const length = whole[0]?.[1].length ?? 0;
  return Array.from({ length }, (_, i) => {
    const record: Record<string, unknown> = {};
    for (const [path, values] of whole) {
      if (isAbsent(values[i])) continue;
      let at = record;
      for (const name of path.slice(0, -1)) {
        at[name] ??= {};
        at = at[name] as Record<string, unknown>;
      }
      at[path[path.length - 1]] = isRecord(values[i]) ? {} : values[i];
    }
    return record as T;
  });
}
