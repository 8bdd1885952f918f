// E1: does training on single steps improve sixteen, at no cost at the first answer? Rules and tables: docs/lab-book/exit.md.

import { KS } from '../../../environments/exit/types.ts';
import type { ImproveRow } from '../../exit/rows.ts';
import { E1 as E1_RULED } from '../../exit/rules.ts';
import { costVerdict, type ExitVerdict, exitVerdicts } from '../../exit/verdicts.ts';
import { bySeed, overSeeds, shown } from '../../judge/estimates.ts';
import { judgedAs, runsToOpen } from '../../judge/question.ts';
import { ruleWords } from '../../judge/rule.ts';
import type { Estimate, SeriesQuestion } from '../../judge/types.ts';
import { dash, FIVE, FIVE_TRAINED, MADE, OF_FIVE, some, UNIT } from './arms.ts';
import { bestSoFar, curves, type ShownArm, table } from './curves.ts';

const AGAIN = 'exit/e1-again.jsonl.gz';
const AGAIN_TRAINED = 'exit/e1-again-training.json.gz';

/** E1's rule of one arm. */
function ends(found: ExitVerdict, name: string): Estimate[] {
  const { seeds, first, last } = found;
  const at = (k: number, values: readonly number[]) =>
    ({ ...overSeeds(`${name}, K = ${k}`, [], values), each: bySeed(seeds, values) }) satisfies Estimate;
  return [at(16, last), at(0, first)];
}

const SAYS = {
  holds:
    'Trained on single steps, the model’s sixteenth revision is better than under GRPO, at no cost at the first answer.',
  'in part: K = 0 pays':
    'Trained on single steps, the model’s sixteenth revision is better than under GRPO; its first answers pay for it.',
  'in part: less than the bound':
    'Trained on single steps, the model’s sixteenth revision is better than under GRPO, by less than the bound.',
  fails: 'Training on single steps is not shown to improve sixteen.',
};

const E1: SeriesQuestion = {
  ...OF_FIVE,
  id: 'E1',
  title: 'Does training on single steps improve sixteen, at no cost at the first?',
  hypothesis: 'Q(16) of ExIt lies .08 above that of GRPO on base tasks, and Q(0) no more than .02 below it.',
  falsified: 'A seed in which Q(16) is not above.',
  rule: ruleWords(E1_RULED.rule, { names: E1_RULED.names, unit: 'seed' }),
  says: SAYS,
  caveat:
    'The prompt of a revision says which relations broke, so a chain beats independent answers for the untrained base too. The gain comes on top of that. One base, one shape of puzzle.',
  judge(rows) {
    const all = FIVE.flatMap((file) => rows.lines<ImproveRow>(file));
    const found = exitVerdicts(all).find(({ question }) => question.startsWith('E1'))!;
    const figures = ends(found, 'ExIt − GRPO');
    const arms = some('base', 'none', 'exit');
    return judgedAs(
      found.verdict,
      { unit: UNIT, figures },
      {
        limits: bestSoFar(all, 'exit'),
        tables: [table(all, arms, KS)],
        chart: curves(all, arms, KS),
        runs: runsToOpen(
          FIVE_TRAINED.flatMap((file) => rows.runs(file)),
          ['none', 'exit'],
        ),
        inDocs: [
          `| ${found.question} | ${dash(found.last)} | ${shown(figures[0])} | ${found.verdict} (${dash(found.first)})`,
        ],
      },
    );
  },
};

const E1_AGAIN: SeriesQuestion = {
  ...OF_FIVE,
  id: 'E1-again',
  title: 'The same at less cost, with the rule committed before five fresh seeds',
  hypothesis:
    'With the best child going on and an eighth of the tasks spent on revisions, Q(16) lies .08 above that of GRPO on base tasks, and Q(0) no more than .02 below it.',
  falsified: 'A seed in which Q(16) is not above.',
  rule: `E1’s rule, with this arm in the place of ExIt, on seeds 46–50, which nobody looked at before. ${E1.rule}`,
  says: SAYS,
  caveat:
    'Arm and share were chosen from other seeds, told in the docs. Whether the best child matters is not asked here, nor whether it holds on another base.',
  section: 'E1 again, at less cost: what was tried, and the rule',
  files: [AGAIN, AGAIN_TRAINED],
  commands: [
    'npm run lab -- run --environment chain --arms none,exit_best --seeds 46,47,48,49,50 --set startShare=.125 --set evalEvery=0 --set finalEvalProblems=32 --out DIR',
    MADE,
    `npm run lab -- improve --rows public/results/${AGAIN}`,
  ],
  judge(rows) {
    const all = rows.lines<ImproveRow>(AGAIN);
    const found = costVerdict(all, 'exit_best')!;
    const figures = ends(found, 'ExIt (an eighth) − GRPO');
    const arms: ShownArm[] = [...some('base', 'none'), ['exit_best', 'ExIt, an eighth', 'exit_best']];
    return judgedAs(
      found.verdict,
      { unit: UNIT, figures },
      {
        limits: bestSoFar(all, 'exit_best'),
        tables: [table(all, arms, KS)],
        chart: curves(all, arms, KS),
        runs: runsToOpen(rows.runs(AGAIN_TRAINED), ['none', 'exit_best']),
        inDocs: [
          `**E1, again: ${found.verdict}.**`,
          `| K = 16 | ${dash(found.last)} | ${shown(figures[0])} |`,
          `| K = 0 | ${dash(found.first)} | ${shown(figures[1])} |`,
        ],
      },
    );
  },
};

export const IMPROVES = [E1, E1_AGAIN];
