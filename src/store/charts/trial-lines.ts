// Lines of a tried basis beside the run's own lines: the shares of each step, and the rates of the deployed model by step. Pure functions.
import { headlinesOf } from '../../experiments/environments/registry.ts';
import type { TrialPoint, TrialReport, TrialStep } from '../../experiments/kinds/run/basis-trial.ts';
import { decimal, percent } from '../../lib/numbers.ts';
import type { MethodSplit } from '../runs/method.ts';
import type { DemoLine } from './demo-lines.ts';

/** One of the run's own evaluations of its deployed model, in a form that the rows of runs and demos share. */
export interface TrialEval {
  step: number;
  kind: 'during' | 'final' | string;
  n: number;
  figures: Readonly<Record<string, number | null>>;
}

export interface TrialChart {
  id: string;
  title: string;
  lines: DemoLine[];
}

const OWN: Pick<DemoLine, 'label' | 'style'> = {
  label: 'the run’s own',
  style: { color: 'var(--ink-2)', dash: '5 3', marker: 'square' },
};
const TRIED: Pick<DemoLine, 'label' | 'style'> = {
  label: 'this basis',
  style: { color: 'var(--accent)', dash: undefined, marker: 'circle' },
};

type Points = DemoLine['points'];

const both = (own: Points, tried: Points, isSparse: boolean): DemoLine[] =>
  [
    { ...OWN, id: 'own', isSparse, points: own, final: null },
    { ...TRIED, id: 'tried', isSparse, points: tried, final: null },
  ].filter(({ points }) => points.length > 0);

/** ‖removed‖ / ‖Δ‖ by step. Steps without an update are omitted. */
const removedShares = ({ steps }: TrialReport): Points =>
  steps.flatMap(({ step, removed, moved }) => (moved > 0 ? [{ x: step, y: Math.min(1, removed / moved) }] : []));

/** One chart of the removed share, and one for each of the environment's headline rates. */
export function trialCharts(
  environment: string,
  own: TrialReport,
  report: TrialReport,
  evals: readonly TrialEval[],
  points: readonly TrialPoint[],
): TrialChart[] {
  const rates = headlinesOf(environment).filter(({ unit }) => unit === 'share');
  const evaluated = latest(points);
  return [
    { id: 'removed', title: 'Taken out of each step', lines: both(removedShares(own), removedShares(report), false) },
    ...rates.map(({ id, label }) => {
      const at = (rows: readonly { step: number; figures: TrialEval['figures'] }[]): Points =>
        rows.flatMap(({ step, figures }) => (typeof figures[id] === 'number' ? [{ x: step, y: figures[id] }] : []));
      return {
        id,
        title: `Deployed: ${label.toLowerCase()}`,
        lines: both(at(evals.filter(isDuring)), at(evaluated), true),
      };
    }),
  ];
}

const isDuring = ({ kind }: { kind: string }) => kind === 'during';

/** The evaluations at the steps that the run evaluated too, or the first evaluation as long as there are none. */
function latest(points: readonly TrialPoint[]): { step: number; figures: TrialEval['figures'] }[] {
  const during = points.filter(isDuring);
  const early = points.filter(({ kind, step }) => kind === 'first' && !during.some((one) => one.step === step));
  return [...during, ...early].sort((a, b) => a.step - b.step).map(({ step, all }) => ({ step, figures: all.figures }));
}

/**
 * The deployed model in words: its final evaluation, or the first one until the final one exists, beside the run's own final one. Null
 * before the first evaluation.
 */
export function trialRates(
  environment: string,
  evals: readonly TrialEval[],
  points: readonly TrialPoint[],
): { n: number; isWhole: boolean; rates: { label: string; tried: string; own: string | null }[] } | null {
  const best = points.find(({ kind }) => kind === 'final') ?? points.find(({ kind }) => kind === 'first');
  if (!best) return null;
  const own = evals.find(({ kind }) => kind === 'final');
  const rates = headlinesOf(environment).flatMap(({ id, label, unit }) => {
    const text = (x: number | null | undefined) =>
      x === null || x === undefined ? null : unit === 'share' ? percent(x, 1) : decimal(x, 2);
    const tried = text(best.all.figures[id]);
    return tried === null ? [] : [{ label: label.toLowerCase(), tried, own: text(own?.figures[id]) }];
  });
  return { n: best.all.n, isWhole: best.kind === 'final', rates };
}

/** One step as the method diagram draws it; null if every group had zero reward variance. */
export function trialSplit(
  { share, left, deployed, quarantine }: TrialStep,
  chance: number | null,
): MethodSplit | null {
  if (share === null) return null;
  return { of: 'update', does: 'routed', share: Math.min(1, share), chance, left, deployed, quarantine };
}

/** Σ‖removed‖ / Σ‖Δ‖ over the run, as a share. */
export function removedShare({ steps }: TrialReport): number {
  const sum = (of: 'removed' | 'moved') => steps.reduce((total, step) => total + step[of], 0);
  return sum('moved') > 0 ? sum('removed') / sum('moved') : 0;
}
