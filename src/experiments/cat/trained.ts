// The questions of docs/lab-book/cat.md that runs by reference answer, judged by the rules that stand there: C2 (is a trained policy better than
// its first teacher?) and C7 (a teacher that is wrong: agreement up, truth down). The unit is the run; seeds of an arm are its sample.

import { mean, pairedT } from '../../stats/index.ts';
import type { ArmName } from '../config/arms.ts';
import type { Spread } from '../judge/estimates.ts';
import { judge, ofValues } from '../judge/rule.ts';
import type { Status } from '../judge/types.ts';
import type { RunRecord } from '../records/events.ts';
import { figureOf } from '../records/figures.ts';
import type { InferenceRow } from './infer.ts';
import { C2, C7 } from './questions.ts';
import { rightness, shareOfRows } from './summary.ts';

export interface TrainedVerdict {
  question: 'C2' | 'C7';
  arm: ArmName;
  verdict: Status;
  figures: readonly Spread[];
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
    const solved = own.flatMap(finalSolve);
    if (teacher === null || solved.length === 0) return [];
    const beyond = spread(
      'solve − first teacher',
      solved.map((one) => one - teacher),
    );
    const verdict = judge(C2.rule, { beyond: ofValues(beyond) }).status;
    return { question: 'C2', arm, verdict, figures: [spread('solve', solved), beyond] } as const;
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
      const [after, before] = ['total', 'base'].map((model) => solveOf(run, model, `solve:${kind}`));
      return after == null || before == null ? [] : [after - before];
    });
    if (rewards.length === 0 || truths.length === 0) return [];
    const figures = [spread('reward, last − first steps', rewards), spread(`solve:${kind}, trained − base`, truths)];
    const [reward, truth] = figures.map(ofValues);
    const verdict = judge(C7.rule, { reward, truth }).status;
    return { question: 'C7', arm, verdict, figures } as const;
  });
}

function spread(name: string, values: readonly number[]): Spread {
  return { name, values, mean: mean(values)!, interval: pairedT(values)?.interval ?? null };
}

const solveOf = ({ evals }: Run, model: string, id: string): number | null => {
  const row = evals.find((one) => one.kind === 'final' && one.model === model);
  return row ? figureOf(row.all, id) : null;
};
const finalSolve = (run: Run): number[] => {
  const solve = solveOf(run, 'total', 'solve');
  return solve === null ? [] : [solve];
};

function eachArm(runs: readonly Run[]): [ArmName, Run[]][] {
  const arms = [...new Set(runs.map(({ spec }) => spec.arm))];
  return arms.map((arm) => [arm, runs.filter(({ spec }) => spec.arm === arm)]);
}
