// A finished experiment in the form that is published for the first paint: its spec, the charts' lines, its final evaluations and its table. It
// is small, has equal bytes for equal experiments, and contains everything that its table is made from.

import { environmentOf } from '../config/preset-in.ts';
import type { ExperimentSpec } from '../config/spec.ts';
import { askedOf, headlinesOf, profilesOf } from '../environments/registry.ts';
import type { EvalRow, ExperimentResult, TableRow } from '../records/events.ts';
import { type Metrics, metricValue } from '../records/metrics.ts';

export interface DemoEval {
  step: number;
  kind: EvalRow['kind'];
  model: string;
  n: number;
  /** The headline metrics, and means of measures without sampling; in the final evaluation also the metrics of the environment's profiles. */
  figures: Metrics;
}

export interface DemoRun {
  arm: string;
  seed: number;
  /** One value per step from step 1, rounded to thousandths for drawing. */
  series: Record<string, (number | null)[]>;
  evals: DemoEval[];
}

export interface PublishedDemo {
  schema: 1;
  spec: ExperimentSpec;
  app: string;
  model: string;
  modelSha256: string;
  graderVersion: string;
  device: string;
  runs: DemoRun[];
  table: TableRow[];
  verdicts: string[];
}

const toThousandths = (x: number | null): number | null => (x === null ? null : Math.round(1000 * x) / 1000);

export function demoOf({ spec, runs, table, verdicts }: ExperimentResult): PublishedDemo {
  const environment = environmentOf(spec);
  const headlines = headlinesOf(environment);
  const ids = headlines.map(({ id }) => id);
  const ofProfiles = profilesOf(environment).flatMap(({ points }) => points.map(({ metric }) => metric));
  const idsAt = (kind: EvalRow['kind']) => (kind === 'final' ? [...new Set([...ids, ...ofProfiles])] : ids);
  const probedIds = askedOf(environment).map(({ id }) => id);
  // A metric that only evaluations measure needs the evaluations during training for its line.
  const includesTrained = probedIds.length > 0 || headlines.some(({ measured }) => measured === 'evaluation');
  const [first] = runs;
  return {
    schema: 1,
    spec,
    app: first.appVersion,
    model: first.spec.model,
    modelSha256: first.modelSha256,
    graderVersion: first.graderVersion,
    device: first.device,
    runs: runs.map((run) => ({
      arm: run.spec.arm,
      seed: run.spec.seed,
      series: Object.fromEntries(
        ids.map((id) => [id, run.rows.map(({ student }) => toThousandths(metricValue(student, id)))]),
      ),
      evals: run.evals
        .filter((row) => isShown(row, includesTrained))
        .map(({ step, kind, model, all, probes }) => ({
          step,
          kind,
          model,
          n: all.n,
          figures: Object.fromEntries([
            ...idsAt(kind).map((id) => [id, metricValue(all, id)]),
            ...probedIds.map((id) => [id, toThousandths(probes?.[id]?.mean ?? null)]),
          ]),
        })),
    })),
    table,
    verdicts,
  };
}

/** Whether a row is published. During training these are the base, the deployed model, and the trained one where a metric comes from
 *  evaluations alone; of the final evaluation every row, for the table. */
const isShown = ({ kind, model }: EvalRow, includesTrained: boolean): boolean =>
  kind === 'final' || model === 'deployed' || model === 'base' || (includesTrained && model === 'total');

/** The line of one run and metric: the model in training by step. */
export const trainingLine = ({ series }: DemoRun, id: string): { step: number; y: number | null }[] =>
  (series[id] ?? []).map((y, i) => ({ step: i + 1, y }));

/** Evaluations of one model during training; for the trained model, starting with the base. */
export const evaluatedLine = (
  { evals }: DemoRun,
  id: string,
  of: 'deployed' | 'total',
): { step: number; y: number | null }[] =>
  evals
    .filter(({ kind, model }) => kind === 'during' && (model === of || (of === 'total' && model === 'base')))
    .map(({ step, figures }) => ({ step, y: figures[id] ?? null }));

/** Null if it is not a demo; a missing picture is not an error. */
export function readDemo(json: unknown): PublishedDemo | null {
  const demo = json as PublishedDemo;
  const isOne = demo?.schema === 1 && Array.isArray(demo.runs) && Array.isArray(demo.table) && demo.runs.length > 0;
  return isOne ? demo : null;
}

/** Path of the demo below `public/`. */
export const demoPath = (environment: string): string => `results/demo/${environment}.json`;
