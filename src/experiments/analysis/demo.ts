// A finished experiment as it is published for the first paint: its spec, the lines that the charts draw, its final evaluations and its
// table. Small, and the same bytes for the same experiment; it contains everything needed to make its table again.

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
  /** The headline metrics, and means of quantities measured without sampling; at the end the metrics of the environment's profiles too. */
  figures: Metrics;
}

export interface DemoRun {
  arm: string;
  seed: number;
  /** One value per step from step 1 on, in thousandths: for drawing alone. */
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
  // A metric that only evaluations measure needs those during training for its line.
  const isOnTheWay = probedIds.length > 0 || headlines.some(({ measured }) => measured === 'evaluation');
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
        .filter((row) => isShown(row, isOnTheWay))
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

/** During training the deployed model is drawn, and the model in training where some metric comes from evaluations alone; at the end every
 *  model is in the table. */
const isShown = ({ kind, model }: EvalRow, isOnTheWay: boolean): boolean =>
  kind === 'final' || model === 'deployed' || model === 'base' || (isOnTheWay && model === 'total');

/** The line of one run and metric: the model in training by step. */
export const trainingLine = ({ series }: DemoRun, id: string): { step: number; y: number | null }[] =>
  (series[id] ?? []).map((y, i) => ({ step: i + 1, y }));

/** The deployed model's evaluations during training; for the model in training, with the base that it began as. */
export const evaluatedLine = (
  { evals }: DemoRun,
  id: string,
  of: 'deployed' | 'total',
): { step: number; y: number | null }[] =>
  evals
    .filter(({ kind, model }) => kind === 'during' && (model === of || (of === 'total' && model === 'base')))
    .map(({ step, figures }) => ({ step, y: figures[id] ?? null }));

/** Null for any other file: a missing picture is no error. */
export function readDemo(json: unknown): PublishedDemo | null {
  const demo = json as PublishedDemo;
  const isOne = demo?.schema === 1 && Array.isArray(demo.runs) && Array.isArray(demo.table) && demo.runs.length > 0;
  return isOne ? demo : null;
}

/** Path of the demo below `public/`. */
export const demoPath = (environment: string): string => `results/demo/${environment}.json`;
