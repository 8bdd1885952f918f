// C2 and C7: what GRPO makes of references as rewards. Rules and tables: docs/lab-book/cat.md.

import { two } from '../../../lib/numbers.ts';
import type { InferenceRow } from '../../cat/infer.ts';
import { againstTeacher, rewardAgainstTruth, type TrainedVerdict } from '../../cat/trained.ts';
import { ARMS } from '../../config/arms.ts';
import { dotsOf, lineOf, ofSpread, seedsOf, shown, ZERO } from '../../judge/estimates.ts';
import { judgedAs, runsToOpen } from '../../judge/question.ts';
import { tableOf } from '../../judge/table.ts';
import type { Estimate, Judged, Rows, Table } from '../../judge/types.ts';
import type { RunRecord } from '../../records/events.ts';
import { metricValue } from '../../records/metrics.ts';
import { catQuestion } from './question.ts';

const FILE = 'cat/training-2.json.gz';
const TEACHERS = 'cat/inference-2.jsonl.gz';
const ORDER = ['cat', 'ttrl', 'oracle', 'random_reward'];
const UNIT = 'training seeds';

const COMMON = {
  unit: UNIT,
  section: 'Training',
  files: [FILE, TEACHERS],
  commands: [
    'npm run lab -- run --environment arithmetic --arms cat,ttrl,oracle,random_reward --seeds 41,42,43,44,45 --steps 30 --set evalEvery=0 --set finalEvalProblems=400 --set checkpointEvery=0 --json FILE',
    `npm run lab -- synthesise --rows public/results/${TEACHERS} --runs public/results/${FILE}`,
  ],
};

const labelOf = (arm: string): string => ARMS[arm as keyof typeof ARMS].label;

/** The figures of one arm, by its name. */
const estimatesOf = (
  runs: readonly RunRecord[],
  { arm, verdict, figures }: TrainedVerdict,
  isJudged: boolean,
): Estimate[] =>
  figures.map((one) => {
    const word = isJudged && one === figures.at(-1) ? verdict : null;
    return ofSpread({ ...one, name: `${labelOf(arm)}: ${one.name}` }, seedsOf(runs, arm), word);
  });

/** Each arm's final evaluation, means ± sd over seeds. */
function finals(runs: readonly RunRecord[]): Table {
  const arms = ORDER.map((arm) => {
    return { label: labelOf(arm), own: runs.filter(({ spec }) => spec.arm === arm), model: 'total' };
  });
  // Every run evaluates the same base on the same problems.
  const models = [{ label: 'base', own: runs.slice(0, 1), model: 'base' }, ...arms];
  const of =
    (id: string) =>
    ({ own, model }: (typeof models)[number]) =>
      own
        .flatMap(({ evals }) => evals.filter((one) => one.kind === 'final' && one.model === model))
        .map(({ all }) => metricValue(all, id));
  return tableOf(
    'Final evaluation on held-out problems, one answer each, mean ± sd over seeds',
    models,
    [
      ['arm', ({ label }) => label],
      ['n', ({ own }) => String(own.length)],
      ['solve', of('solve')],
      ...(['plain', 'fact', 'reading'] as const).map((kind) => [kind, of(`solve:${kind}`)] as const),
    ],
    two,
  );
}

function judged(
  rows: Rows,
  found: readonly TrainedVerdict[],
  main: string,
  more: (figures: readonly Estimate[]) => Pick<Judged, 'chart'>,
): Judged {
  const runs = rows.runs(FILE);
  const sorted = ORDER.flatMap((arm) => found.filter((one) => one.arm === arm));
  const own = sorted.find(({ arm }) => arm === main)!;
  const mine = estimatesOf(runs, own, false);
  const others = sorted.filter((one) => one !== own);
  const figures = [...mine, ...others.flatMap((one) => estimatesOf(runs, one, false))];
  return judgedAs(
    own.verdict,
    { unit: UNIT, figures, line: mine },
    {
      beside: others.map((one) => {
        const line = lineOf(estimatesOf(runs, one, false), { unit: UNIT });
        return `${labelOf(one.arm)}, by the same rule: ${one.verdict}. ${line}`;
      }),
      tables: [finals(runs)],
      ...more(figures),
      runs: runsToOpen(runs, ORDER),
      inDocs: [
        ...sorted.map(({ question, arm, verdict, figures: [{ values }] }) => {
          return `${question}, ${arm}, n = ${values.length}: ${verdict}.`;
        }),
        ...figures.map((figure) => shown(figure)),
      ],
    },
  );
}

const armOf = ({ name }: Estimate): string => ORDER.find((arm) => name.startsWith(`${labelOf(arm)}:`)) ?? 'none';

const C2 = catQuestion('C2', {
  ...COMMON,
  says: {
    holds: 'The trained policy is better than its first teacher.',
    fails: 'The trained policy is worse than its first teacher.',
    open: 'Whether the trained policy is better than its first teacher is open.',
  },
  caveat:
    'The teacher reads eight attempts, the policy has one; 30 steps are few. The oracle, paid by the truth, says what as many steps can give at most.',
  judge: (rows) =>
    judged(rows, againstTeacher(rows.runs(FILE), rows.lines<InferenceRow>(TEACHERS)), 'cat', (figures) => ({
      chart: {
        kind: 'dots',
        title: 'The trained policy against its first teacher',
        x: 'solve − share of references right',
        bounds: [ZERO],
        rows: dotsOf(
          figures.filter(({ name }) => name.includes('teacher')),
          armOf,
        ),
      },
    })),
});

const C7 = catQuestion('C7', {
  ...COMMON,
  says: {
    holds: 'A wrong teacher raises the reward and lowers the truth.',
    fails: 'A wrong teacher does not raise the reward and lower the truth.',
    open: 'Whether a wrong teacher lowers the truth while the reward rises is open.',
  },
  caveat:
    'The rule asks of every arm whether its teacher is a wrong one: “fails” of CaT and of the oracle says that theirs is not, which is what a null should say.',
  judge: (rows) =>
    judged(rows, rewardAgainstTruth(rows.runs(FILE)), 'ttrl', (figures) => ({
      chart: {
        kind: 'dots',
        title: 'Reward gained, and truth gained on facts',
        x: 'difference',
        bounds: [ZERO],
        rows: dotsOf(figures, armOf),
      },
    })),
});

export const TRAINING = [C2, C7];
