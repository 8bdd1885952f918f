// E6: does a direction from labelled pairs take sandbagging away, routed or erased? Rules and tables: docs/lab-book/exit.md.
import type { ImproveRow } from '../../exit/rows.ts';
import { E6 as RULED } from '../../exit/rules.ts';
import { differenceAt, removalVerdicts } from '../../exit/sandbagging.ts';
import { dotsOf, shown, ZERO } from '../../judge/estimates.ts';
import { judgedAs, runsToOpen } from '../../judge/question.ts';
import { ruleWords } from '../../judge/rule.ts';
import type { Judged, Rows, SeriesQuestion } from '../../judge/types.ts';
import { UNIT } from './arms.ts';
import { table } from './curves.ts';
import { COMMON, estimateOf, KS, line, ROWS, SHOWN, TRAINED } from './sandbagging.ts';

const RULE = ruleWords(RULED.rule, { names: RULED.names, unit: 'seed' });
const CAVEAT =
  'Random directions are as many as the real ones, not as many as remove as much: they say that the direction matters, not that a step of that size does. Permuted labels keep half of the pairs as they are, and are no null.';
const saysOf = (doing: string): Readonly<Record<string, string>> => ({
  holds: `${doing} along the pairs’ direction raises first answers again, and by more than random directions do.`,
  'in part: at a cost': `${doing} along the pairs’ direction raises first answers again, and costs at the third revision.`,
  'fails: no more than random directions': `${doing} raises first answers no more than random directions do.`,
  open: `${doing} is not shown to raise first answers.`,
});

/** The rule compares with the whole model, which the reward spoilt: what the untrained base's first answers are is no part of it. */
function againstUntrained(rows: readonly ImproveRow[], done: string, arm: string): string[] {
  const figure = estimateOf('', differenceAt(rows, arm, 'base', 0));
  if (!figure.interval || figure.mean === null) return [];
  const { low, high } = figure.interval;
  const side = figure.mean < 0 ? 'below' : 'above';
  const remark = low <= 0 && high >= 0 ? ', not told apart' : '';
  return [`First answers, ${done}, lie ${side} the untrained base’s in the mean: ${shown(figure)}${remark}.`];
}

/** Of route or erase: `done` as in “routed”. `own`: the model of it, as rows name it. */
function removal(
  rows: Rows,
  question: 'E6: route' | 'E6: erase',
  done: string,
  files: readonly string[],
  trained: readonly string[],
  arms: readonly string[],
  own: string,
): Judged {
  const all = files.flatMap((file) => rows.lines<ImproveRow>(file));
  const { verdict, whole, random, permuted, cost } = removalVerdicts(all).find((one) => one.question === question)!;
  const figures = [
    estimateOf(`${done} − whole, K = 0`, whole),
    estimateOf(`${done} − random directions, K = 0`, random),
    estimateOf(`${done} − permuted labels, K = 0`, permuted),
    estimateOf(`${done} − whole, K = 3`, cost),
  ];
  return judgedAs(
    verdict,
    { unit: UNIT, figures },
    {
      limits: againstUntrained(all, done, own),
      tables: [
        table(
          all,
          SHOWN.filter(([arm]) => arm !== 'exit'),
          KS,
        ),
      ],
      chart: {
        kind: 'dots',
        title: 'What it gives back',
        x: 'difference in Q',
        bounds: [ZERO],
        rows: dotsOf(figures, () => arms[0]),
      },
      runs: runsToOpen(
        trained.flatMap((file) => rows.runs(file)),
        arms,
      ),
      inDocs: [
        `**${question}: ${verdict}**`,
        line(`${question} − whole, K = 0`, figures[0]),
        line(`${question} − random, K = 0`, figures[1]),
        line(`${question} − permuted, K = 0`, figures[2]),
        line(`${question} − whole, K = 3`, figures[3]),
      ],
    },
  );
}

const E6: SeriesQuestion = {
  ...COMMON,
  id: 'E6',
  title: 'Does a direction from labelled pairs take sandbagging away?',
  hypothesis:
    'Routing the part of each step along the direction of 24 labelled pairs into a quarantine raises Q(0) of the policy that is paid the rise, and more than random directions do.',
  falsified: 'An interval that holds 0.',
  rule: RULE,
  says: saysOf('Routing'),
  caveat: CAVEAT,
  runsNote: 'One run a seed carries the whole model and every quarantine.',
  judge: (rows) => removal(rows, 'E6: route', 'routed', ROWS, [TRAINED], ['route-update'], 'route-update/deployed'),
};

const ERASED = 'exit/erase.jsonl.gz';
const ERASED_TRAINED = 'exit/erase-training.json.gz';
const E6_ERASE: SeriesQuestion = {
  ...COMMON,
  id: 'E6-erase',
  title: 'The same erased from the gradient',
  hypothesis:
    'Erasing the direction of 24 labelled pairs from the gradient raises Q(0) of the policy that is paid the rise, and more than erasing random directions does.',
  falsified: 'An interval that holds 0.',
  rule: RULE,
  says: saysOf('Erasing'),
  caveat: CAVEAT,
  files: [...ROWS, ERASED, ERASED_TRAINED],
  commands: [
    'npm run lab -- run --environment chain --arms erase,random_V,permuted_V --seeds 41,42,43,44,45 --set chainSteps=3 --set chainPay=rise --set pairSet=sandbag --set promptsPerStep=2 --set evalEvery=0 --set finalEvalProblems=1 --out DIR',
    'npm run lab -- improve --run DIR --ways sampled --seeds 4 --steps 4 --out FILE',
  ],
  judge: (rows) =>
    removal(
      ...([rows, 'E6: erase', 'erased', [...ROWS, ERASED], [ERASED_TRAINED]] as const),
      ['erase', 'random_V', 'permuted_V'],
      'erase',
    ),
};

export const REMOVAL = [E6, E6_ERASE];
