// The lines of a published demo, as the charts of a run would have them: named and coloured by the same functions, smoothed alike.
import { deployedLine, type PublishedDemo, trainingLine } from '../../experiments/reading/demo.ts';
import { nameOf, standsForVanilla } from '../../experiments/reading/names.ts';
import { ARMS, type ArmName } from '../../experiments/spec/spec.ts';
import { type ArmStyle, armStyle } from '../runs/arm-style.ts';
import { trainingStyle } from './looks.ts';
import { debiasedEma } from './smoothing.ts';

/** Weight of the past, as the charts have it at first. */
const BETA = 0.6;

export interface DemoLine {
  id: string;
  label: string;
  style: ArmStyle;
  /** Evaluations on the way: few points, each marked, none smoothed. */
  isSparse: boolean;
  points: { x: number; y: number }[];
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
    const training: DemoLine = {
      id: `${arm}/${seed}`,
      label: nameOf(arm, 'total', arms),
      style: trainingStyle(arm, standsForVanilla(arm, arms), routes),
      isSparse: false,
      points: drawn.flatMap(({ step }, i) => (smoothed[i] === null ? [] : [{ x: step, y: smoothed[i] }])),
    };
    if (!routes) return [training];
    return [
      training,
      {
        id: `${arm}/${seed}/deployed`,
        label: nameOf(arm, 'deployed', arms),
        style: armStyle(arm),
        isSparse: true,
        points: deployedLine(run, metric).flatMap(({ step, y }) => (y === null ? [] : [{ x: step, y }])),
      },
    ];
  });
}

/** Last step of any run. */
export const demoSteps = ({ runs }: PublishedDemo): number =>
  Math.max(1, ...runs.flatMap(({ series }) => Object.values(series).map((values) => values.length)));
