// A run as a link carries it: a digest of everything that it logged, and as many points of its trajectories as fit, in
// thousandths. The digest says whether a run here is the same to the last bit; the points draw its charts and say how far off it is.
import * as z from 'zod/mini';
import type { EvalRow, RunRecord, StepRow } from '../experiments/events.ts';
import { ARM_NAMES, type ArmName } from '../experiments/spec.ts';
import { toBase64Url } from './pack.ts';

/** What a step of the trajectories holds; the order is the link's. */
export const SERIES = ['hack', 'solve', 'reward', 'cinStudent', 'cinTeacher', 'cinNull'] as const;
export type SeriesName = (typeof SERIES)[number];
/** Values are carried as whole multiples of this. */
export const QUANTUM = 1e-3;

export interface SharedEval {
  step: number;
  kind: EvalRow['kind'];
  model: string;
  n: number;
  hack: number | null;
  solve: number | null;
}

export interface SharedRun {
  arm: ArmName;
  seed: number;
  digest: string;
  /** Quarantines that it carried, where it left out some of its spec's own (training does not depend on them). */
  shadows?: readonly string[];
  /** Ascending; empty where the link had no room for trajectories. */
  steps: number[];
  /** Each as long as `steps`. */
  series: Record<SeriesName, (number | null)[]>;
  evals: SharedEval[];
}

const READ: Record<SeriesName, (row: StepRow) => number | null> = {
  hack: (row) => row.student.hack,
  solve: (row) => row.student.solve,
  reward: (row) => row.reward,
  cinStudent: (row) => row.cinStudent,
  cinTeacher: (row) => row.cinTeacher,
  cinNull: (row) => row.cinNull,
};

const toUnits = (x: number | null) => (x === null || !Number.isFinite(x) ? null : Math.round(x / QUANTUM));
const fromUnits = (x: number | null) => (x === null ? null : x * QUANTUM);
/** As the link would carry it. */
export const quantised = (x: number | null) => fromUnits(toUnits(x));

/** The value of a series at a step, as the link would carry it. */
export function seriesValue(row: StepRow, name: SeriesName): number | null {
  return quantised(READ[name](row));
}

/**
 * @param points most steps to carry, at least 2; null carries the digest alone.
 * @param planned ids of the quarantines that its experiment would give it
 */
export async function sharedRunOf(
  run: RunRecord,
  points: number | null,
  planned: readonly string[],
): Promise<SharedRun> {
  const rows = points === null ? [] : pick(run.rows, points);
  const evals = points === null ? [] : run.evals.filter(isShared);
  const carried = run.spec.shadows.map(({ id }) => id);
  const isWhole = planned.every((id) => carried.includes(id));
  return {
    arm: run.spec.arm,
    seed: run.spec.seed,
    digest: await digestOf(isWhole ? run : withShadows(run, carried)),
    ...(isWhole ? {} : { shadows: carried }),
    steps: rows.map((row) => row.step),
    series: Object.fromEntries(
      SERIES.map((name) => [name, rows.map((row) => seriesValue(row, name))]),
    ) as SharedRun['series'],
    evals: evals.map(({ step, kind, model, all }) => ({
      step,
      kind,
      model,
      n: all.n,
      hack: quantised(all.hack),
      solve: quantised(all.solve),
    })),
  };
}

/** Evaluations that a chart or the shared table shows; the shadows are covered by the digest. */
const isShared = ({ model, kind }: EvalRow) =>
  model === 'base' || model === 'deployed' || (kind === 'final' && model === 'total');

/** Evenly spread, first and last included. */
function pick<T>(items: readonly T[], limit: number): T[] {
  if (items.length <= limit) return [...items];
  return Array.from({ length: limit }, (_, i) => items[Math.round((i * (items.length - 1)) / (limit - 1))]);
}

const OWN_MODELS: ReadonlySet<string> = new Set(['base', 'total', 'deployed', 'steered_base']);

/** What is logged of a run, as if it had carried these quarantines alone. */
export function withShadows(
  { rows, evals }: Pick<RunRecord, 'rows' | 'evals'>,
  ids: readonly string[],
): Pick<RunRecord, 'rows' | 'evals'> {
  const only = <T>(figures: Record<string, T>) =>
    Object.fromEntries(Object.entries(figures).filter(([id]) => ids.includes(id)));
  return {
    rows: rows.map((row) => ({ ...row, shadowNorms: only(row.shadowNorms), shadowCin: only(row.shadowCin) })),
    evals: evals.filter(({ model }) => OWN_MODELS.has(model) || ids.includes(model)),
  };
}

/**
 * 128 bits of SHA-256 over every row and evaluation, whatever the order of their keys: equal digests are equal runs. What was
 * routed again afterwards is left out: no spec asks for it, so that no other run of the spec would have it.
 */
export async function digestOf({
  rows,
  evals,
  rerouted = [],
}: Pick<RunRecord, 'rows' | 'evals' | 'rerouted'>): Promise<string> {
  const later = new Set(rerouted.map(({ shadow }) => shadow.id));
  const own = evals.filter(({ model }) => !later.has(model));
  const text = JSON.stringify({ rows, evals: own }, (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return toBase64Url(new Uint8Array(hash, 0, 16));
}

// ---- the link's own form -------------------------------------------------------------------------------------------

const units = z.nullable(z.int().check(z.minimum(-1e7), z.maximum(1e7)));
const step = z.int().check(z.minimum(0), z.maximum(1e7));
const column = z.array(units).check(z.maxLength(1000));
export const packedRunSchema = z.strictObject({
  a: z.enum(ARM_NAMES),
  s: z.int().check(z.minimum(0), z.maximum(Number.MAX_SAFE_INTEGER)),
  h: z.string().check(z.regex(/^[\w-]{22}$/)),
  w: z.optional(z.array(z.string().check(z.regex(/^[\w-]{1,40}$/))).check(z.maxLength(64))),
  x: z.optional(z.array(step).check(z.maxLength(1000))),
  t: z.optional(z.array(column).check(z.length(SERIES.length))),
  e: z.optional(
    z
      .array(z.tuple([step, z.enum(['f', 'd']), z.string().check(z.regex(/^[\w-]{1,40}$/)), step, units, units]))
      .check(z.maxLength(1000)),
  ),
});
export type PackedRun = z.infer<typeof packedRunSchema>;

export function packRun(run: SharedRun): PackedRun {
  const packed: PackedRun = { a: run.arm, s: run.seed, h: run.digest };
  if (run.shadows) packed.w = [...run.shadows];
  if (run.steps.length > 0) {
    packed.x = run.steps;
    packed.t = SERIES.map((name) => run.series[name].map(toUnits));
  }
  if (run.evals.length > 0)
    packed.e = run.evals.map(({ step, kind, model, n, hack, solve }) => [
      step,
      kind === 'final' ? 'f' : 'd',
      model,
      n,
      toUnits(hack),
      toUnits(solve),
    ]);
  return packed;
}

/** Null where its columns do not belong together. */
export function unpackRun({ a, s, h, w, x = [], t, e = [] }: PackedRun): SharedRun | null {
  const columns = t ?? SERIES.map(() => []);
  if (columns.some((values) => values.length !== x.length)) return null;
  if (x.some((at, i) => i > 0 && at <= x[i - 1])) return null;
  return {
    arm: a,
    seed: s,
    digest: h,
    ...(w ? { shadows: w } : {}),
    steps: x,
    series: Object.fromEntries(SERIES.map((name, i) => [name, columns[i].map(fromUnits)])) as SharedRun['series'],
    evals: e.map(([at, kind, model, n, hack, solve]) => ({
      step: at,
      kind: kind === 'f' ? 'final' : 'during',
      model,
      n,
      hack: fromUnits(hack),
      solve: fromUnits(solve),
    })),
  };
}
