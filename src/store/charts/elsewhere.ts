// Runs from a link and from a published demo, in the form that the charts read. Both contain a few series and evaluations of each run, so
// that the same charts can draw them and runs that were made in this browser.
import type { DemoEval, PublishedDemo } from '../../experiments/analysis/demo.ts';
import { type ExperimentSpec, resolveRuns } from '../../experiments/config/spec.ts';
import type { Share } from '../../share/url.ts';
import type { ChartRun } from './run.ts';

interface Given {
  arm: string;
  seed: number;
  steps: readonly number[];
  /** Values by metric, each as long as `steps`. */
  series: Readonly<Record<string, readonly (number | null)[]>>;
  evals: readonly DemoEval[];
}

export const runsOfShare = ({ spec, runs }: Share): ChartRun[] => chartRuns(spec, runs);

export const runsOfDemo = ({ spec, runs }: PublishedDemo): ChartRun[] =>
  chartRuns(
    spec,
    runs.map((run) => {
      const [first = []] = Object.values(run.series);
      return { ...run, steps: first.map((_, i) => i + 1) };
    }),
  );

/** A run that its spec does not plan is omitted. */
function chartRuns(experiment: ExperimentSpec, runs: readonly Given[]): ChartRun[] {
  const planned = resolveRuns(experiment);
  return runs.flatMap(({ arm, seed, steps, series, evals }): ChartRun[] => {
    const spec = planned.find((one) => one.arm === arm && one.seed === seed);
    if (!spec) return [];
    const figuresAt = (i: number) =>
      Object.fromEntries(Object.entries(series).map(([id, values]) => [id, values[i] ?? null]));
    return [
      {
        id: `${arm}/${seed}`,
        spec,
        rows: steps.map((step, i) => ({ step, student: { n: 0, figures: figuresAt(i) } })),
        evals: evals.map(({ step, kind, model, n, figures }) => ({
          step,
          kind,
          model,
          all: { n, figures },
          splits: {},
        })),
        timings: [],
      },
    ];
  });
}
