// A run in a link: a digest of everything that it logged, and as many points of its trajectories as fit, in thousandths. The digest decides
// whether a run here is equal bit for bit; the points draw its charts and show how much it differs.
import * as z from 'zod/mini';
import { ARM_NAMES, type ArmName } from '../experiments/config/arms.ts';
import { headlinesOf } from '../experiments/environments/registry.ts';
import { KINDS } from '../experiments/kinds/kinds.ts';
import type { EvalRow, RunRecord, StepRow } from '../experiments/records/events.ts';
import { digest } from '../experiments/records/kind.ts';
import { type Metrics, metricValue } from '../experiments/records/metrics.ts';
import { fromUnits, toUnits, units } from './pack.ts';

const SPINE = ['reward', 'cinStudent', 'cinTeacher', 'cinNull'] as const satisfies readonly (keyof StepRow)[];
/** Names of a step's values in a link, in order: the environment's headline metrics, then those of every run. */
interface LinkLayout {
  headlines: readonly string[];
  series: readonly string[];
}
export function linkLayout(environment: string): LinkLayout {
  const headlines = headlinesOf(environment).map(({ id }) => id);
  return { headlines, series: [...headlines, ...SPINE] };
}

export interface SharedEval {
  step: number;
  kind: EvalRow['kind'];
  model: string;
  n: number;
  /** The headline metrics. */
  figures: Metrics;
}

export interface SharedRun {
  arm: ArmName;
  seed: number;
  digest: string;
  /** Its quarantines, if it left out some of its spec's (training does not depend on them). */
  shadows?: readonly string[];
  /** Ascending; empty if the link had no room for trajectories. */
  steps: number[];
  /** Each list is as long as `steps`. */
  series: Record<string, (number | null)[]>;
  evals: SharedEval[];
}

/** A value as the link would carry it. */
export const quantised = (x: number | null) => fromUnits(toUnits(x));

/** The value of a series at a step, as the link would carry it. */
export function seriesValue(row: StepRow, name: string): number | null {
  const own = SPINE.find((spine) => spine === name);
  return quantised(own ? row[own] : metricValue(row.student, name));
}

/**
 * @param points most steps to carry, at least 2; null carries only the digest
 * @param planned ids of the quarantines in the experiment's spec for this run
 * @param digests cache of digests, for runs that are encoded repeatedly
 */
export async function sharedRunOf(
  run: RunRecord,
  points: number | null,
  planned: readonly string[],
  digests: Map<RunRecord, Promise<string>> = new Map(),
): Promise<SharedRun> {
  const { headlines, series } = linkLayout(run.spec.environment);
  const rows = points === null ? [] : evenlySpread(run.rows, points);
  const evals = points === null ? [] : run.evals.filter(isShared);
  const carried = run.spec.shadows.map(({ id }) => id);
  const isWhole = planned.every((id) => carried.includes(id));
  // Computing the digest is most of the work, and does not depend on the link's room.
  const known = digests.get(run) ?? digestOf(isWhole ? run : withControls(run, carried));
  digests.set(run, known);
  return {
    arm: run.spec.arm,
    seed: run.spec.seed,
    digest: await known,
    ...(isWhole ? {} : { shadows: carried }),
    steps: rows.map((row) => row.step),
    series: Object.fromEntries(series.map((name) => [name, rows.map((row) => seriesValue(row, name))])),
    evals: evals.map(({ step, kind, model, all }) => ({
      step,
      kind,
      model,
      n: all.n,
      figures: Object.fromEntries(headlines.map((id) => [id, quantised(metricValue(all, id))])),
    })),
  };
}

/** Whether a chart or the shared table shows an evaluation: every model's final one, controls included, and all of the base and the deployed model. */
const isShared = ({ model, kind }: EvalRow) =>
  MODEL_NAME.test(model) && (kind === 'final' || model === 'base' || model === 'deployed');
/** Model names that links accept; a quarantine with another name is left out, but the digest covers it. */
const MODEL_NAME = /^[\w-]{1,40}$/;

/** At most `limit` items at equal distances, including the first and the last. */
function evenlySpread<T>(items: readonly T[], limit: number): T[] {
  if (items.length <= limit) return [...items];
  return Array.from({ length: limit }, (_, i) => items[Math.round((i * (items.length - 1)) / (limit - 1))]);
}

const OWN_MODELS: ReadonlySet<string> = new Set(['base', 'total', 'deployed', 'steered_base']);

/** A run's rows and evaluations, as if it had only these quarantines. */
export function withControls(
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

/** Equal digests mean equal runs. */
export const digestOf = (run: Pick<RunRecord, 'rows' | 'evals' | 'rerouted'>): Promise<string> =>
  digest(KINDS.run.digested(run));

// ---- the link's own form -------------------------------------------------------------------------------------------

const step = z.int().check(z.minimum(0), z.maximum(1e7));
const column = z.array(units).check(z.maxLength(1000));
export const packedRunSchema = z.strictObject({
  a: z.enum(ARM_NAMES),
  s: z.int().check(z.minimum(0), z.maximum(Number.MAX_SAFE_INTEGER)),
  h: z.string().check(z.regex(/^[\w-]{22}$/)),
  w: z.optional(z.array(z.string().check(z.regex(/^[\w-]{1,40}$/))).check(z.maxLength(64))),
  x: z.optional(z.array(step).check(z.maxLength(1000))),
  t: z.optional(z.array(column).check(z.maxLength(32))),
  e: z.optional(
    z
      .array(z.tuple([step, z.enum(['f', 'd']), z.string().check(z.regex(MODEL_NAME)), step], units))
      .check(z.maxLength(1000)),
  ),
});
type PackedRun = z.infer<typeof packedRunSchema>;

export function packRun(run: SharedRun, { headlines, series }: LinkLayout): PackedRun {
  const packed: PackedRun = { a: run.arm, s: run.seed, h: run.digest };
  if (run.shadows) packed.w = [...run.shadows];
  if (run.steps.length > 0) {
    packed.x = run.steps;
    packed.t = series.map((name) => run.series[name].map(toUnits));
  }
  if (run.evals.length > 0)
    packed.e = run.evals.map(({ step, kind, model, n, figures }) => [
      step,
      kind === 'final' ? 'f' : 'd',
      model,
      n,
      ...headlines.map((id) => toUnits(figures[id])),
    ]);
  return packed;
}

/** Null if its columns do not match. */
export function unpackRun(
  { a, s, h, w, x = [], t, e = [] }: PackedRun,
  { headlines, series }: LinkLayout,
): SharedRun | null {
  const columns = t ?? series.map(() => []);
  if (columns.length !== series.length || e.some((row) => row.length !== 4 + headlines.length)) return null;
  if (columns.some((values) => values.length !== x.length)) return null;
  if (x.some((at, i) => i > 0 && at <= x[i - 1])) return null;
  return {
    arm: a,
    seed: s,
    digest: h,
    ...(w ? { shadows: w } : {}),
    steps: x,
    series: Object.fromEntries(series.map((name, i) => [name, columns[i].map(fromUnits)])),
    evals: e.map(([at, kind, model, n, ...values]) => ({
      step: at,
      kind: kind === 'f' ? 'final' : 'during',
      model,
      n,
      figures: Object.fromEntries(headlines.map((id, i) => [id, fromUnits(values[i])])),
    })),
  };
}
