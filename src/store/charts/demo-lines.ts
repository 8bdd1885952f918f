// The lines of a published demo, named, coloured and smoothed by the same functions as in the charts of a run.

import type { Profile } from '../../environments/metric-info.ts';
import { type DemoRun, evaluatedLine, type PublishedDemo, trainingLine } from '../../experiments/analysis/demo.ts';
import { nameOf } from '../../experiments/analysis/names.ts';
import { isVanillaEquivalent } from '../../experiments/analysis/vanilla.ts';
import { ARMS, type ArmName } from '../../experiments/config/arms.ts';
import { type ArmStyle, armStyle, BASE_STYLE } from '../runs/arm-style.ts';
import { trainingStyle } from './looks.ts';
import { BETA, debiasedEma } from './smoothing.ts';

export interface DemoLine {
  id: string;
  label: string;
  style: ArmStyle;
  /** Whether the line consists of evaluations during training: few points, each marked, none smoothed. */
  isSparse: boolean;
  points: { x: number; y: number }[];
  /**
   * The final evaluation on unseen problems. Null for a metric that evaluations lack, and for a line that itself consists of final
   * evaluations.
   */
  final: number | null;
}

export function demoLines({ runs }: PublishedDemo, metric: string): DemoLine[] {
  const arms = runs.map(({ arm }) => arm);
  return runs.flatMap((run): DemoLine[] => {
    const { arm, seed } = run;
    const routes = ARMS[arm as ArmName]?.projection === 'route';
    const drawn = trainingLine(run, metric);
    const smoothed = debiasedEma(
      drawn.map(({ y }) => y),
      BETA,
    );
    const ofTraining = drawn.flatMap(({ step }, i) => (smoothed[i] === null ? [] : [{ x: step, y: smoothed[i] }]));
    // Metrics that training rollouts do not measure come from evaluations during training.
    const isSparse = ofTraining.length === 0;
    const training: DemoLine = {
      id: `${arm}/${seed}`,
      label: nameOf(arm, 'total', arms),
      style: trainingStyle(arm, isVanillaEquivalent(arm, arms), routes),
      isSparse,
      points: isSparse ? evaluatedPoints(run, metric, 'total') : ofTraining,
      final: finalOf(run, metric, 'total'),
    };
    if (!routes) return [training];
    return [
      training,
      {
        id: `${arm}/${seed}/deployed`,
        label: nameOf(arm, 'deployed', arms),
        style: armStyle(arm),
        isSparse: true,
        points: evaluatedPoints(run, metric, 'deployed'),
        final: finalOf(run, metric, 'deployed'),
      },
    ];
  });
}

const evaluatedPoints = (run: DemoRun, metric: string, of: 'deployed' | 'total'): DemoLine['points'] =>
  evaluatedLine(run, metric, of).flatMap(({ step, y }) => (y === null ? [] : [{ x: step, y }]));

const finalOf = ({ evals }: DemoRun, metric: string, of: 'deployed' | 'total'): number | null =>
  evals.find(({ kind, model }) => kind === 'final' && model === of)?.figures[metric] ?? null;

/** Profile lines of the final evaluation: the base, and the deployed model of each run. */
export function demoProfile({ runs }: PublishedDemo, { points }: Profile): DemoLine[] {
  const arms = runs.map(({ arm }) => arm);
  const line = (id: string, label: string, style: ArmStyle, of: DemoRun['evals'][number] | undefined): DemoLine[] => {
    const found = points.flatMap(({ x, metric }) => {
      const y = of?.figures[metric];
      return typeof y === 'number' ? [{ x, y }] : [];
    });
    return found.length < 2 ? [] : [{ id, label, style, isSparse: true, points: found, final: null }];
  };
  const final = ({ evals }: DemoRun, ...models: string[]) =>
    models.flatMap((model) => evals.filter((row) => row.kind === 'final' && row.model === model)).at(0);
  return [
    ...line('base', nameOf('', 'base', []), BASE_STYLE, final(runs[0], 'base')),
    ...runs.flatMap((run) => {
      const row = final(run, 'deployed', 'total');
      const style = trainingStyle(run.arm, isVanillaEquivalent(run.arm, arms), false);
      return line(`${run.arm}/${run.seed}`, nameOf(run.arm, row?.model ?? 'total', arms), style, row);
    }),
  ];
}

/** The last step over all runs. */
export const demoSteps = ({ runs }: PublishedDemo): number =>
  Math.max(1, ...runs.flatMap(({ series }) => Object.values(series).map((values) => values.length)));
