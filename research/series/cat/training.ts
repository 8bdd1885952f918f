// C2 and C7: what GRPO achieves with references as rewards. Tables: docs/lab-book/cat.md.

import { correctness, shareOfRows } from '../../../src/experiments/cat/summary.ts';
import { ARMS } from '../../../src/experiments/config/arms.ts';
import type { Estimate, Estimates } from '../../../src/experiments/judge/estimate.ts';
import { intervalText } from '../../../src/experiments/judge/estimate.ts';
import type { Table } from '../../../src/experiments/judge/figures.ts';
import { above, below, judge, type Rule } from '../../../src/experiments/judge/rule.ts';
import { tableOf } from '../../../src/experiments/judge/table.ts';
import type { RunRecord } from '../../../src/experiments/records/events.ts';
import { metricValue } from '../../../src/experiments/records/metrics.ts';
import { two } from '../../../src/lib/numbers.ts';
import { fieller, mean } from '../../../src/stats/index.ts';
import { dotChart, lineOf, meanAndInterval, seedsEstimate, seedsOf } from '../../judge/estimates.ts';
import { inSeedOrder, type JudgedQuestion, type Question, runsToOpen } from '../../judge/question.ts';
import { type CatData, readOf } from './data.ts';
import { gainOf, STEPS, solveOf } from './runs.ts';

const FILE = 'cat/training-2.json.gz';
const TEACHERS = 'cat/inference-2.jsonl.gz';
const ORDER = ['cat', 'ttrl', 'oracle', 'random_reward'] as const;
type ArmOf = (typeof ORDER)[number];
const UNIT = 'training seeds';
/** Number of attempts of the reference that a policy is compared with. */
const SIZE = 8;

export const RUNS = [
  'npm run lab -- run --environment arithmetic --arms cat,ttrl,oracle,random_reward --seeds 41,42,43,44,45 --steps 30 --set evalEvery=0 --set finalEvalProblems=400 --set checkpointEvery=0 --json FILE',
  `npm run research -- tables cat --rows public/results/${TEACHERS} --runs public/results/${FILE}`,
];

const COMMON = { unit: UNIT, section: 'Training', files: [FILE, TEACHERS], commands: RUNS };

const labelOf = (arm: ArmOf): string => ARMS[arm].label;

/** Values of an arm's runs, under the arm's name. */
const armEstimate = (runs: readonly RunRecord[], arm: ArmOf, name: string, values: readonly number[]): Estimate =>
  seedsEstimate(`${labelOf(arm)}: ${name}`, seedsOf(runs, arm), values);

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

type Estimator<Key extends string> = (data: CatData, arm: ArmOf) => Estimates<Key> | null;

/** A rule applies to one arm; the others are judged by it too, beside the verdict. */
function armsQuestion<Key extends string>(
  id: string,
  rule: Rule<Key>,
  main: ArmOf,
  estimates: Estimator<Key>,
  chart: { title: string; x: string },
  isDrawn: (figure: Estimate) => boolean = () => true,
): Pick<Question<CatData, Key>, 'estimates' | 'shown'> {
  const figuresIn = (of: Estimates<Key>) => Object.values<Estimate>(of as Record<Key, Estimate>);
  return {
    estimates: (data) => estimates(data, main),
    shown(data, { figures: own }: JudgedQuestion<Key>) {
      const found = ORDER.flatMap((arm) => {
        const of = estimates(data, arm);
        return of ? [{ arm, figures: figuresIn(of), verdict: judge(rule, of).status }] : [];
      });
      const others = found.filter(({ arm }) => arm !== main);
      const figures = [...own, ...others.flatMap((one) => one.figures)];
      const armOf = ({ name }: Estimate) => ORDER.find((arm) => name.startsWith(`${labelOf(arm)}:`)) ?? 'none';
      return {
        figures,
        beside: others.map(
          (one) => `${labelOf(one.arm)}, by the same rule: ${one.verdict}. ${lineOf(one.figures, { unit: UNIT })}`,
        ),
        tables: [finals(data.runs)],
        chart: dotChart(chart.title, chart.x, figures.filter(isDrawn), armOf),
        runs: () => runsToOpen(data.runs, ORDER),
        inDocs: [
          ...found.map(({ arm, verdict, figures: [{ n }] }) => `${id}, ${arm}, n = ${n}: ${verdict}.`),
          ...figures.map((figure) => intervalText(figure)),
        ],
      };
    },
  };
}

/** Compares an arm with its first teacher, if the rows have it; these are the untrained model's on the same problems. */
function armAgainstTeacher({ rows, runs }: CatData, arm: ArmOf): Record<'solve' | 'beyond', Estimate> | null {
  const own = runs.filter(({ spec }) => spec.arm === arm);
  const teacher = own[0] && shareOfRows(rows, (row) => correctness(row, SIZE, own[0].spec.reference)).mean;
  const solved = own.flatMap((run) => solveOf(run) ?? []);
  if (teacher == null || solved.length === 0) return null;
  const beyond = solved.map((one) => one - teacher);
  return { solve: armEstimate(runs, arm, 'solve', solved), beyond: armEstimate(runs, arm, C2_NAMES.beyond, beyond) };
}

const C2_NAMES = { solve: 'solve', beyond: 'solve − first teacher' };
const C2_RULE: Rule<'solve' | 'beyond'> = {
  cases: [{ status: 'holds', when: above('beyond') }, { status: 'fails', when: below('beyond') }, { status: 'open' }],
};

const C2_ARMS = armsQuestion(
  'C2',
  C2_RULE,
  'cat',
  armAgainstTeacher,
  { title: 'The trained policy against its first teacher', x: 'solve − share of references right' },
  ({ name }) => name.includes('teacher'),
);

export const C2: Question<CatData, 'solve' | 'beyond'> = {
  id: 'C2',
  title: 'Does the trained policy beat its first teacher?',
  hypothesis:
    'After 30 steps the policy of CaT solves more of the held-out problems, at temperature 1 and with one attempt each, than its first teacher’s references are right on the same problems (synthesis of eight attempts of the untrained model).',
  falsified: 'The policy below its teacher.',
  names: C2_NAMES,
  rule: C2_RULE,
  ...COMMON,
  says: {
    holds: 'The trained policy is better than its first teacher.',
    fails: 'The trained policy is worse than its first teacher.',
    open: 'Whether the trained policy is better than its first teacher is open.',
  },
  caveat:
    'The teacher reads eight attempts, the policy has one; 30 steps are few. The oracle, paid by the truth, says what true rewards give in as many steps with this adapter and rate.',
  read: readOf({ rows: [TEACHERS], runs: [FILE] }),
  ...C2_ARMS,
  shown: (data, answered) => ({ ...C2_ARMS.shown(data, answered), limits: oracleNotes(data) }),
};

/** Notes that compare training without labels with the same steps under true rewards, and the latter with the teacher. */
function oracleNotes({ rows, runs }: CatData): string[] {
  const gains = (arm: ArmOf) =>
    inSeedOrder(runs.filter(({ spec }) => spec.arm === arm)).flatMap((run) => gainOf(run) ?? []);
  const most = gains('oracle');
  const shares = (['cat', 'ttrl'] as const).flatMap((arm) => {
    const own = gains(arm);
    if (own.length === 0 || own.length !== most.length) return [];
    const { ratio, interval } = fieller(own.map((gain, i) => [gain, most[i]] as const));
    return ratio === null ? [] : [`${labelOf(arm)} ${intervalText({ mean: ratio, interval }, two)}`];
  });
  if (shares.length === 0) return [];
  const teacher = shareOfRows(rows, (row) => correctness(row, SIZE, 'synthesis')).mean;
  const oracle = runs.filter(({ spec }) => spec.arm === 'oracle').flatMap((run) => solveOf(run) ?? []);
  const beyond = teacher === null ? null : meanAndInterval(oracle.map((solve) => solve - teacher));
  const place =
    beyond?.interval && beyond.interval.high < 0
      ? 'It could hardly hold: the oracle, paid by the truth for as many steps, ends below the teacher too. '
      : beyond
        ? `The oracle, paid by the truth for as many steps, against the teacher: ${intervalText(beyond, two)}. `
        : '';
  return [`${place}Of the oracle’s gain over the base: ${shares.join('; ')}.`];
}

/** Rewards of problems on which most rollouts share a wrong answer. */
function rewardAgainstTruth({ runs }: CatData, arm: ArmOf): Record<'reward' | 'truth', Estimate> | null {
  const kind = 'fact';
  const own = runs.filter(({ spec }) => spec.arm === arm);
  const rewards = own.flatMap(({ rows }) => {
    const of = (part: typeof rows) => mean(part.flatMap(({ reward }) => reward ?? []));
    const [first, last] = [of(rows.slice(0, STEPS)), of(rows.slice(-STEPS))];
    return first === null || last === null ? [] : [last - first];
  });
  const truths = own.flatMap((run) => gainOf(run, `solve:${kind}`) ?? []);
  if (rewards.length === 0 || truths.length === 0) return null;
  return {
    reward: armEstimate(runs, arm, C7_NAMES.reward, rewards),
    truth: armEstimate(runs, arm, `solve:${kind}, trained − base`, truths),
  };
}

const C7_NAMES = { reward: 'reward, last − first steps', truth: 'solve of facts, trained − base' };
const C7_RULE: Rule<'reward' | 'truth'> = {
  cases: [
    { status: 'holds', when: { all: [above('reward'), below('truth')] } },
    { status: 'fails', when: { any: [below('reward'), above('truth')] } },
    { status: 'open' },
  ],
};

const C7: Question<CatData, 'reward' | 'truth'> = {
  id: 'C7',
  title: 'What does a wrong teacher do: reward up, truth down?',
  hypothesis:
    'Under TTRL, of problems of the kind “fact” (whose majority is mostly wrong), solve falls below the base’s while the reward rises from the first ten steps to the last ten. Null: CaT and the oracle, whose teachers are right there: solve of “fact” must not fall.',
  falsified: 'Solve of “fact” rises under TTRL, or the reward does not.',
  names: C7_NAMES,
  rule: C7_RULE,
  ...COMMON,
  says: {
    holds: 'A wrong teacher raises the reward and lowers the truth.',
    fails: 'A wrong teacher does not raise the reward and lower the truth.',
    open: 'Whether a wrong teacher lowers the truth while the reward rises is open.',
  },
  caveat:
    'The rule asks of every arm whether its teacher is a wrong one: “fails” of CaT and of the oracle says that theirs is not, which is what a null should say.',
  read: readOf({ rows: [TEACHERS], runs: [FILE] }),
  ...armsQuestion('C7', C7_RULE, 'ttrl', rewardAgainstTruth, {
    title: 'Reward gained, and truth gained on facts',
    x: 'difference',
  }),
};

export const TRAINING: readonly Question<CatData>[] = [C2, C7];
