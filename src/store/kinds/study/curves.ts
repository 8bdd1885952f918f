// Learning curves of a question: of each line that was trained itself, the student's hack or solve along the steps, each seed smoothed
// before the mean over seeds is taken, and the mean's 95% t interval as a band, from three seeds on. From the rows of the runs that are here.
import { runOfCell } from '../../../../research/series/study/plan.ts';
import { QUESTIONS } from '../../../../research/series/study/questions/index.ts';
import type { QuestionId } from '../../../../research/series/study/types.ts';
import { metricValue } from '../../../experiments/records/metrics.ts';
import type { FinishedRuns } from '../../../experiments/runs/finished.ts';
import { meanHalfInterval } from '../../../stats/index.ts';
import { BETA, debiasedEma, meanOf } from '../../charts/smoothing.ts';
import { type ArmStyle, modelStyle } from '../../runs/arm-style.ts';

export interface Curve {
  id: string;
  /** Line of the table. */
  number: number;
  label: string;
  style: ArmStyle;
  /** Seeds in the mean. */
  n: number;
  /** `half` of the interval is null where fewer than three seeds have a value. */
  points: { step: number; mean: number; half: number | null }[];
}

export function curvesOf(id: QuestionId, runs: FinishedRuns, measure: 'hack' | 'solve'): Curve[] {
  const cells = QUESTIONS.find((question) => question.id === id)?.cells ?? [];
  return cells.flatMap((cell, i): Curve[] => {
    // A deployed model, or a quarantine, writes no rollouts in training.
    if (cell.model !== 'total' || cell.shadow) return [];
    const found = cell.seeds.flatMap((seed) => runs.get(runOfCell(cell, seed).key)?.record ?? []);
    const bySeed = found.map(({ rows }) => {
      const values = debiasedEma(
        rows.map(({ student }) => metricValue(student, measure)),
        BETA,
      );
      return new Map(rows.map(({ step }, i) => [step, values[i]]));
    });
    const steps = [...new Set(bySeed.flatMap((seed) => [...seed.keys()]))].sort((a, b) => a - b);
    const points = steps.flatMap((step) => {
      const values = bySeed.map((seed) => seed.get(step) ?? null).filter((value) => value !== null);
      const mean = meanOf(values);
      return mean === null ? [] : [{ step, mean, half: meanHalfInterval(values) }];
    });
    if (points.length === 0) return [];
    return [{ id: cell.id, number: i + 1, label: cell.label, style: modelStyle(cell), n: found.length, points }];
  });
}
