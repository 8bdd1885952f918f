// Made-up finished runs for tests: real specs with given rates, for what is computed from stored records alone.

import type { ArmSet } from '../analysis/statistics.ts';
import type { ArmName } from '../config/arms.ts';
import type { Settings } from '../config/settings.ts';
import { parseExperimentSpec, resolveRun } from '../config/spec.ts';
import type { EvalRow, RunRecord, StepRow } from '../records/events.ts';
import { fromRates } from '../records/layout-1.ts';
import type { Rates } from '../records/metrics.ts';

type ByMode = Record<string, { n: number; hack: number | null; solve: number | null }>;

export function ratesMade(hack: number | null, solve: number | null, byMode: ByMode = {}): Rates {
  return fromRates({ n: 100, hack, solve, structural: 0, byMode });
}

export function evaluationMade(model: string, hack: number | null, solve: number | null): EvalRow {
  const all = ratesMade(hack, solve);
  return { step: model === 'base' ? 0 : 6, model, kind: 'final', all, splits: { family: all, params: all } };
}

export interface MadeRun {
  arm?: ArmName;
  seed?: number;
  overrides?: Partial<Settings>;
  /** Final [hack, solve] by model. */
  final?: Record<string, readonly [number | null, number | null]>;
  /** Student hack of each step, and a constant solve rate. */
  hack?: readonly (number | null)[];
  solve?: number;
  /** Number of logged rows, if not all. */
  logged?: number;
  change?: Partial<RunRecord>;
}

export const BASE = [0.02, 0.4] as const;

export function runMade({
  arm = 'none',
  seed = 41,
  overrides = {},
  final = {},
  hack,
  solve = 0.4,
  logged,
  change,
}: MadeRun): RunRecord {
  const steps = hack?.length ?? overrides.steps ?? 6;
  const spec = parseExperimentSpec({ preset: 'smoke', arms: [arm], seeds: [seed], overrides: { steps, ...overrides } });
  const rows = Array.from({ length: logged ?? steps }, (_, i) => ({
    step: i + 1,
    student: ratesMade(hack ? hack[i] : 0.1 * i, solve),
  })) as StepRow[];
  const whole = rows.length === steps;
  const models = { base: BASE, total: [0.5, 0.3] as const, ...final };
  return {
    schema: 1,
    id: `${arm}/${seed}`,
    experimentId: 'made',
    spec: resolveRun(spec, arm, seed),
    status: whole ? 'done' : 'stopped',
    createdAt: 0,
    device: 'CPU',
    appVersion: '1',
    modelSha256: 'm',
    graderVersion: 'g',
    rows,
    timings: [],
    evals: whole ? Object.entries(models).map(([model, [h, s]]) => evaluationMade(model, h, s)) : [],
    error: null,
    ...change,
  };
}

/** One run per seed from 41, with these final [hack, solve] of the set's model. */
export function setMade(
  label: string,
  finals: readonly (readonly [number | null, number | null])[],
  { model = 'total', ...made }: MadeRun & { model?: string } = {},
): ArmSet {
  const first = made.seed ?? 41;
  const runs = finals.map((final, i) =>
    runMade({ ...made, seed: first + i, final: { ...made.final, [model]: final } }),
  );
  return { id: label, label, model, runs };
}
