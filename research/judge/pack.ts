// Finished runs as small files: rows and evaluations column by column, with unrounded numbers, so that they read back to the last bit. Step
// timings are left out, since they are no result; their sum is stored. The same runs give the same bytes.

import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { parseJsonText } from '@projected-grpo-lab/base/json.ts';
import { ownOf, setOwn } from '@projected-grpo-lab/base/own.ts';
import type { RunSpec } from '../../src/experiments/config/run-spec.ts';
import { COMMON, type Settings } from '../../src/experiments/config/settings.ts';
import { asRecorded, withDefaults } from '../../src/experiments/config/spec.ts';
import type { RunRecord } from '../../src/experiments/records/events.ts';
import { fromEvalRow, fromStepRow, toEvalRow, toStepRow } from '../../src/experiments/records/layout-1.ts';
import type { ControlEvaluation, FinishedRun } from '../../src/experiments/runs/finished.ts';
import { gunzip } from '../../src/lib/gunzip.ts';
import { gzipText, roomFor } from '../../src/lib/inflate.ts';
import { isGzip } from '../../src/lib/streams.ts';

/** A run without its step timings, with their sum. */
export interface PublishedRun extends FinishedRun {
  /** Seconds of training, without the final evaluation. */
  seconds: number;
}

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
/** Columns by path (`student.hack`), one value per record; a record without that path has an empty list there. */
type Columns = Record<string, Json[]>;

export interface PackedRun {
  key: string;
  /** Settings that differ from the defaults, and fields that are no settings. */
  spec: Json;
  about: Json;
  seconds: number;
  /** Absent in the study's files, whose index names commits. */
  commit?: string;
  rows: Columns;
  evals: Columns;
  rerouted: { shadows: Json; rows: Columns };
}

const FORMAT = 'projected-grpo-lab study 1';

/**
 * Returns gzipped JSON. Runs are sorted by key. `published`: the runs in the published files; a run that equals its published form keeps
 * those bytes, whatever order its fields once had.
 */
export function packRuns(runs: readonly FinishedRun[], published?: ReadonlyMap<string, PackedRun>): Uint8Array {
  return packed(
    runs.map(({ commit: _, ...run }) => run),
    published,
  );
}

/** Extension of these files' names, by which they are recognised. */
export const PACKED_RUNS = '.runs.json.gz';

/** Packs runs like `packRuns`, each with its commit. */
export const packRunsWithCommits = (runs: readonly FinishedRun[]): Uint8Array => packed(runs);

function packed(runs: readonly FinishedRun[], published?: ReadonlyMap<string, PackedRun>): Uint8Array {
  const sorted = [...runs].sort((a, b) => (a.key < b.key ? -1 : 1));
  const entries = sorted.map((run) => {
    const [own, before] = [canonicalRun(packRun(run)), published?.get(run.key)];
    return before && JSON.stringify(canonicalRun(before)) === JSON.stringify(own) ? before : own;
  });
  return gzipText(JSON.stringify({ format: FORMAT, runs: entries }));
}

/** Limits of one file: a constant column is two values for any number of rows, so a small file could require any amount of memory. */
const LIMITS = {
  /** Unzipped bytes. */
  bytes: 256 * 2 ** 20,
  /** Unzipped bytes that even the smallest file may have. */
  free: 4 * 2 ** 20,
  runs: 4096,
  /** Rows, or evaluations, of a run. */
  records: 100_000,
  /** Names in one path. */
  depth: 8,
  /** Values of all columns written out; published files have one per eight bytes. */
  cells: 100_000,
  cellsPerByte: 4,
};

/** Reads the output of packRuns, even if a server has unzipped it in transit. Throws FormatError. */
export function unpackRuns(bytes: Uint8Array, label: string): PublishedRun[] {
  return readPacked(bytes, label, unpackRun);
}

/** Unpacks like unpackRuns, with each run as in the file, or as returned by `read`. Throws FormatError. */
export function readPacked<T = PackedRun>(
  bytes: Uint8Array,
  label: string,
  read: (run: PackedRun, room: Room) => T = (run) => run as T,
): T[] {
  try {
    const plain = isGzip(bytes) ? gunzip(bytes, roomFor(bytes.length, LIMITS.free, LIMITS.bytes)) : bytes;
    const { format, runs } = parseJsonText(new TextDecoder().decode(plain)) as { format: string; runs: PackedRun[] };
    if (format === FORMAT) {
      if (runs.length > LIMITS.runs) throw new RangeError(`${runs.length} runs, ${LIMITS.runs} are allowed`);
      const room = { cells: LIMITS.cells + LIMITS.cellsPerByte * plain.length };
      return runs.map((run) => read(run, room));
    }
  } catch (cause) {
    throw damagedPack(label, cause);
  }
  throw new FormatError(`${label} is not a study results file.`, 'It must come from this version of the lab.');
}

function damagedPack(label: string, cause: unknown): FormatError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new FormatError(`${label} is damaged: ${why.slice(0, 200)}.`, 'Get the file again.', { cause });
}

/** The run with its fields in the order in which they are read, whatever its source. */
const canonicalRun = (run: PackedRun): PackedRun => packRun(unpackRun(run, { cells: Number.POSITIVE_INFINITY }));

/** Interfaces have no index signature, unlike JSON's type; packed values are read back by the same casts. */
const asJson = (value: object): Json => value as unknown as Json;

function packRun({ key, record, rerouted: replayed, seconds: known = 0, commit }: FinishedRun): PackedRun {
  const { spec, rows, evals, timings, ...about } = record;
  const seconds = timings.length > 0 ? timings.reduce((sum, { total }) => sum + total, 0) : known;
  return {
    key,
    spec: asJson(withoutDefaults(spec)),
    about: asJson(about),
    seconds: Math.round(10 * seconds) / 10,
    ...(commit === undefined ? {} : { commit }),
    rows: toColumns(rows.map(toStepRow)),
    evals: toColumns(evals.map(toEvalRow)),
    rerouted: {
      shadows: asJson(replayed.map(({ shadow: control }) => control)),
      rows: toColumns(replayed.map(({ row }) => toEvalRow(row))),
    },
  };
}

/** Number of column values that the file may still write out. */
interface Room {
  cells: number;
}

/** Unpacks a run, within the limits given by the file's length. */
export function unpackRun(
  { key, spec, about, seconds, commit, rows, evals, rerouted: replayed }: PackedRun,
  room: Room,
): PublishedRun {
  const controls = replayed.shadows as unknown as ControlEvaluation['shadow'][];
  const routed = fromColumns(replayed.rows, room).map(fromEvalRow);
  if (controls.length !== routed.length)
    throw new RangeError(`${controls.length} quarantines with ${routed.length} rows`);
  return {
    key,
    seconds,
    ...(typeof commit === 'string' ? { commit } : {}),
    record: {
      ...(about as unknown as Omit<RunRecord, 'spec' | 'rows' | 'evals' | 'timings'>),
      spec: asRecorded(withDefaults(spec as unknown as RunSpec)),
      rows: fromColumns(rows, room).map(fromStepRow),
      timings: [],
      evals: fromColumns(evals, room).map(fromEvalRow),
    },
    rerouted: controls.map((control, i) => ({ shadow: control, row: routed[i] })),
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

/** Leaves are values that are no objects, and empty objects. Paths are in the order of their first occurrence. */
export function toColumns(records: readonly object[]): Columns {
  const columns = new Map<string, Json[]>();
  for (const [i, record] of records.entries())
    for (const [path, value] of leaves(record, '')) {
      const column = columns.get(path) ?? Array.from({ length: records.length }, () => ABSENT);
      column[i] = value;
      columns.set(path, column);
    }
  // A constant column is written once.
  return Object.fromEntries(
    [...columns].map(([path, values]) => [path, isConstant(values) ? [values[0], values.length] : [...values, -1]]),
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

/** The inverse of toColumns. Throws RangeError for columns that do not fit together, or that would exceed `room`. */
export function fromColumns<T extends object>(columns: Columns, room: Room = { cells: Number.POSITIVE_INFINITY }): T[] {
  const entries = Object.entries(columns);
  const length = entries.length > 0 ? lengthOf(entries[0][1]) : 0;
  if (!(length >= 0 && length <= LIMITS.records)) throw new RangeError(`a column of ${length} rows`);
  room.cells -= length * entries.length;
  if (room.cells < 0) throw new RangeError('its columns hold far more values than it has bytes');
  const whole = entries.map(([path, packed]): [string[], Json[]] => {
    const names = path.split('.', LIMITS.depth + 1);
    if (names.length > LIMITS.depth) throw new RangeError(`a path of more than ${LIMITS.depth} names`);
    if (lengthOf(packed) !== length) throw new RangeError(`columns of ${length} and of ${lengthOf(packed)} rows`);
    return [names, isPlain(packed) ? packed : Array.from({ length }, () => packed[0])];
  });
  return Array.from({ length }, (_, i) => {
    const record: Record<string, unknown> = {};
    for (const [path, values] of whole) {
      if (isAbsent(values[i])) continue;
      let at = record;
      for (const name of path.slice(0, -1)) {
        const next = ownOf(at, name) ?? {};
        if (!isRecord(next)) throw new RangeError(`${name} is a value and holds values`);
        setOwn(at, name, next);
        at = next;
      }
      setOwn(at, path[path.length - 1], isRecord(values[i]) ? {} : values[i]);
    }
    return record as T;
  });
}

/** A column ends with −1 after its values, or is one value and its number of repeats. */
const isPlain = (packed: readonly Json[]) => packed[packed.length - 1] === -1;

function lengthOf(packed: readonly Json[]): number {
  if (!Array.isArray(packed) || packed.length === 0) throw new RangeError('a column that is no list');
  const last = packed[packed.length - 1];
  if (isPlain(packed)) return packed.length - 1;
  if (packed.length === 2 && Number.isInteger(last)) return last as number;
  throw new RangeError('a column without its length');
}
