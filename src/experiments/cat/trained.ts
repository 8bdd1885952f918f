// The questions of docs/lab-book/cat.md that runs by reference answer, judged by the rules that stand there: C2 (is a trained policy better than
// its first teacher?) and C7 (a teacher that is wrong: agreement up, truth down). The unit is the run; seeds of an arm are its sample.

import { mean } from '../../stats/index.ts';
import type { ArmName } from '../config/arms.ts';
import { spreadOver } from '../judge/estimates.ts';
import type { RunRecord } from '../records/events.ts';
import { finalMetric } from '../records/metrics.ts';
import type { InferenceRow } from './infer.ts';
import { by, C2, C7, type RunsVerdict } from './questions.ts';
import { rightness, shareOfRows } from './summary.ts';

export interface TrainedVerdict extends RunsVerdict {
  arm: ArmName;
}

type Run = Pick<RunRecord, 'spec' | 'rows' | 'evals'>;

/** Steps that reward is a mean of, at the beginning and at the end. */
const STEPS = 10;
/** Attempts of the reference that a policy is compared with. */
const SIZE = 8;

/** C2 of each arm whose first teacher is in the rows; the rows are of the same problems, asked of the untrained model. */
export function againstTeacher(runs: readonly Run[], rows: readonly InferenceRow[]): TrainedVerdict[] {
  return eachArm(runs).flatMap(([arm, own]) => {
    const teacher = shareOfRows(rows, (row) => rightness(row, SIZE, own[0].spec.reference)).mean;
    const solved = own.flatMap((run) => finalMetric(run, 'total', 'solve') ?? []);
    if (teacher === null || solved.length === 0) return [];
    const over = (name: string, values: readonly number[]) => spreadOver(name, values)!;
    const beyond = over(
      C2.names.beyond,
      solved.map((one) => one - teacher),
    );
    return { ...by(C2, { beyond }), arm, figures: [over('solve', solved), beyond] };
  });
}

/** C7 of an arm: of problems of the kind `fact`, whose wrong answer most rollouts share. */
export function rewardAgainstTruth(runs: readonly Run[], kind = 'fact'): TrainedVerdict[] {
  return eachArm(runs).flatMap(([arm, own]) => {
    const rewards = own.flatMap(({ rows }) => {
      const of = (part: typeof rows) => mean(part.flatMap(({ reward }) => reward ?? []));
      const [first, last] = [of(rows.slice(0, STEPS)), of(rows.slice(-STEPS))];
      return first === null || last === null ? [] : [last - first];
    });
    const truths = own.flatMap((run) => {
      const [after, before] = ['total', 'base'].map((model) => finalMetric(run, model, `solve:${kind}`));
      return after == null || before == null ? [] : [after - before];
    });
    const reward = spreadOver(C7.names.reward, rewards);
    const truth = spreadOver(`solve:${kind}, trained − base`, truths);
    return reward && truth ? { ...by(C7, { reward, truth }), arm } : [];
  });
}

function eachArm(runs: readonly Run[]): [ArmName, Run[]][] {
  const arms = [...new Set(runs.map(({ spec }) => spec.arm))];
  return arms.map((arm) => [arm, runs.filter(({ spec }) => spec.arm === arm)]);
}
