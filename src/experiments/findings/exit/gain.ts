// E1 to E4: what training on single steps gains over sixteen, and what of the method it is. Rules and tables: docs/exit.md.
import type { ImproveRow } from '../../improving/rows.ts';
import { KS } from '../../improving/steps.ts';
import { costVerdict, type ExitVerdict, exitVerdicts } from '../../improving/verdicts.ts';
import { bySeed, dotsOf, lineOf, ofPairs, overSeeds, standingOf, wordStanding, ZERO } from '../figures.ts';
import { shown, three } from '../numbers.ts';
import { runsToOpen } from '../runs.ts';
import type { Figure, Judged, Rows, Standing, WorldQuestion } from '../types.ts';
import { curves, type ShownArm, table } from './curves.ts';

const FIVE = ['exit/e1.jsonl.gz', 'exit/controls.jsonl.gz'];
const FIVE_TRAINED = ['exit/e1-training.json.gz', 'exit/controls-training.json.gz'];
const AGAIN = 'exit/e1-again.jsonl.gz';
const AGAIN_TRAINED = 'exit/e1-again-training.json.gz';
const UNIT = 'training seeds';

const SHOWN: readonly ShownArm[] = [
  ['base', 'base', 'base'],
  ['none', 'GRPO', 'none'],
  ['exit', 'ExIt', 'exit'],
  ['exit_uniform', 'chosen evenly', 'exit_uniform'],
  ['exit_drafts', 'random drafts', 'exit_drafts'],
  ['exit_depth1', 'first answers alone', 'exit_depth1'],
  ['exit_best', 'the best goes on', 'exit_best'],
  ['exit_clipped', 'clipped gain', 'exit_clipped'],
  ['exit_full', 'divergence and diversity', 'exit_full'],
];
const some = (...arms: string[]): ShownArm[] => SHOWN.filter(([arm]) => arms.includes(arm));

const MADE = 'npm run lab -- improve --run DIR --ways sampled --seeds 4 --out FILE';
const COMMON = {
  unit: UNIT,
  section: 'Five seeds, and the controls',
  files: [...FIVE, ...FIVE_TRAINED],
  commands: [
    'npm run lab -- run --world chain --arms none,exit,exit_uniform,exit_drafts,exit_depth1,exit_best,exit_clipped,exit_full --seeds 41,42,43,44,45 --set evalEvery=0 --set finalEvalProblems=32 --set checkpointEvery=50 --out DIR',
    MADE,
    `zcat ${FIVE.map((file) => `public/results/${file}`).join(' ')} > FILE && npm run lab -- improve --rows FILE`,
  ],
};

const five = (rows: Rows) => FIVE.flatMap((file) => rows.lines<ImproveRow>(file));
const trained = (rows: Rows) => FIVE_TRAINED.flatMap((file) => rows.runs(file));

const dash = (values: readonly number[]): string => values.map(three).join(' ');

/** E1's rule of one arm. */
function main(found: ExitVerdict, name: string): { figures: Figure[]; line: string } {
  const { seeds, first, last } = found;
  const at = (k: number, values: readonly number[]) =>
    ({ ...overSeeds(`${name}, K = ${k}`, [], values), each: bySeed(seeds, values) }) satisfies Figure;
  const figures = [at(16, last), at(0, first)];
  return { figures, line: lineOf(figures, { unit: UNIT }) };
}

const E1: WorldQuestion = {
  ...COMMON,
  id: 'E1',
  title: 'Does training on single steps improve sixteen, at no cost at the first?',
  hypothesis: 'Q(16) of ExIt lies .08 above that of GRPO on base tasks, and Q(0) no more than .02 below it.',
  falsified: 'A seed in which Q(16) is not above.',
  rule: 'Holds: both in every seed. In part, K = 0 pays: the first alone in every seed. In part, less than the bound: Q(16) above in every seed. Fails: else.',
  says: {
    holds: 'Trained on single steps, the model improves over sixteen, at no cost at the first answer.',
    'in part: K = 0 pays': 'Trained on single steps, the model improves over sixteen; its first answers pay for it.',
    'in part: less than the bound': 'Trained on single steps, the model improves over sixteen, by less than the bound.',
    fails: 'Training on single steps is not shown to improve sixteen.',
  },
  caveat:
    'A revision is told which relations broke, so that a chain beats independent answers for the untrained base too: the gain is beside that, not instead of it. One base, one shape of puzzle.',
  judge(rows) {
    const all = five(rows);
    const found = exitVerdicts(all).find(({ question }) => question.startsWith('E1'))!;
    const { figures, line } = main(found, 'ExIt − GRPO');
    const arms = some('base', 'none', 'exit');
    return {
      standing: wordStanding(found.verdict),
      word: found.verdict,
      verdict: line,
      beside: [],
      n: found.seeds.length,
      figures,
      tables: [table(all, arms, KS)],
      chart: curves(all, arms, KS),
      runs: runsToOpen(trained(rows), ['none', 'exit']),
      inDocs: [
        `| ${found.question} | ${dash(found.last)} | ${shown(figures[0])} | ${found.verdict} (${dash(found.first)})`,
      ],
    };
  },
};

const E1_AGAIN: WorldQuestion = {
  ...COMMON,
  id: 'E1-again',
  title: 'The same at less cost, with the rule committed before five fresh seeds',
  hypothesis:
    'With the best child going on and an eighth of the tasks spent on revisions, Q(16) lies .08 above that of GRPO on base tasks, and Q(0) no more than .02 below it.',
  falsified: 'A seed in which Q(16) is not above.',
  rule: 'E1’s rule, with this arm in the place of ExIt: seeds 46–50, which nobody looked at before, one judgement.',
  says: {
    holds: 'Trained on single steps, the model improves over sixteen, at no cost at the first answer.',
    'in part: K = 0 pays': 'Trained on single steps, the model improves over sixteen; its first answers pay for it.',
    'in part: less than the bound': 'Trained on single steps, the model improves over sixteen, by less than the bound.',
    fails: 'Training on single steps is not shown to improve sixteen.',
  },
  caveat:
    'Arm and share were chosen from other seeds, told in the docs. Whether the best child matters is not asked here, nor whether it holds on another base.',
  section: 'E1 again, at less cost: what was tried, and the rule',
  files: [AGAIN, AGAIN_TRAINED],
  commands: [
    'npm run lab -- run --world chain --arms none,exit_best --seeds 46,47,48,49,50 --set startShare=.125 --set evalEvery=0 --set finalEvalProblems=32 --out DIR',
    MADE,
    `npm run lab -- improve --rows public/results/${AGAIN}`,
  ],
  judge(rows) {
    const all = rows.lines<ImproveRow>(AGAIN);
    const found = costVerdict(all, 'exit_best')!;
    const { figures, line } = main(found, 'ExIt (an eighth) − GRPO');
    const arms: ShownArm[] = [...some('base', 'none'), ['exit_best', 'ExIt, an eighth', 'exit_best']];
    return {
      standing: wordStanding(found.verdict),
      word: found.verdict,
      verdict: line,
      beside: [],
      n: found.seeds.length,
      figures,
      tables: [table(all, arms, KS)],
      chart: curves(all, arms, KS),
      runs: runsToOpen(rows.runs(AGAIN_TRAINED), ['none', 'exit_best']),
      inDocs: [
        `**E1, again: ${found.verdict}.**`,
        `| K = 16 | ${dash(found.last)} | ${shown(figures[0])} |`,
        `| K = 0 | ${dash(found.first)} | ${shown(figures[1])} |`,
      ],
    };
  },
};

const STANDING: Readonly<Record<string, Standing>> = {
  adds: 'holds',
  costs: 'fails',
  'adds nothing': 'fails',
  open: 'open',
};

/** E2, E3 and E4: one arm against others at K = 16. */
function added(rows: Rows, id: string, arms: readonly string[]): Judged {
  const all = five(rows);
  const found = exitVerdicts(all).filter(({ question }) => question.startsWith(`${id}:`));
  const label = (arm: string) => SHOWN.find(([name]) => name === arm)![1];
  const figures = found.map(({ question, seeds, last, paired, verdict }) => {
    const [one, other] = question.slice(id.length + 2).split(' − ');
    return ofPairs(`${label(one)} − ${label(other)}`, bySeed(seeds, last), paired, verdict);
  });
  const words = [...new Set(found.map(({ verdict }) => verdict))];
  const standing = standingOf(found.map(({ verdict }) => STANDING[verdict]));
  return {
    standing,
    word: words.length === 1 ? words[0] : standing,
    verdict: lineOf(figures, { unit: UNIT }),
    beside: [],
    n: figures[0].n,
    figures,
    tables: [table(all, some('none', ...arms), KS)],
    chart: {
      kind: 'dots',
      title: 'What it adds to Q(16)',
      x: 'difference in Q(16)',
      bounds: [{ at: -0.02, label: '−.02' }, ZERO, { at: 0.02, label: '.02' }],
      rows: dotsOf(figures, ({ name }) => SHOWN.find(([, own]) => name.endsWith(`− ${own}`))?.[0] ?? 'exit'),
    },
    runs: runsToOpen(trained(rows), arms),
    inDocs: found.map(
      ({ question, last, verdict }, i) => `| ${question} | ${dash(last)} | ${shown(figures[i])} | ${verdict}`,
    ),
  };
}

const ADDS =
  'Adds: the 95 % paired t interval of the difference at K = 16 lies above 0. Costs: below. Adds nothing: within ± .02. Open: else.';
const FEW =
  'Differences are looked at without a correction for their number. Five seeds are too few for a difference of a point or two: what is open is not nothing.';

const E2: WorldQuestion = {
  ...COMMON,
  id: 'E2',
  title: 'Does the variance curriculum add to other ways of starting?',
  hypothesis:
    'Choosing starts by variance adds to Q(16) over an even choice, random drafts, first answers alone, and taking a group’s best rollout as the child.',
  falsified: 'An interval that holds 0.',
  rule: `${ADDS} Holds: it adds to each. In part: to some, and to others not. Fails: to none.`,
  says: {
    adds: 'The variance curriculum adds to every other way of starting.',
    'adds nothing': 'The variance curriculum adds nothing to other ways of starting.',
    costs: 'The variance curriculum costs, against every other way of starting.',
    'in part': 'The variance curriculum adds to some other ways of starting, and to others not.',
    fails: 'The variance curriculum adds to no other way of starting.',
    open: 'Whether the variance curriculum adds to other ways of starting is open.',
  },
  caveat: `Is it the curriculum at all? Random drafts are answers that nobody gave: where they do as well, it is not. ${FEW}`,
  judge: (rows) => added(rows, 'E2', ['exit', 'exit_uniform', 'exit_drafts', 'exit_depth1', 'exit_best']),
};

const E3: WorldQuestion = {
  ...COMMON,
  id: 'E3',
  title: 'Do divergence and the diversity bonus add to it?',
  hypothesis: 'Divergence and the diversity bonus add to Q(16) of ExIt.',
  falsified: 'An interval that holds 0.',
  rule: ADDS,
  says: {
    adds: 'Divergence and the diversity bonus add to Q(16).',
    'adds nothing': 'Divergence and the diversity bonus add nothing to Q(16).',
    costs: 'Divergence and the diversity bonus cost at Q(16).',
    open: 'Whether divergence and the diversity bonus add to Q(16) is open.',
  },
  caveat: `Both at once: which of the two does what is not asked. ${FEW}`,
  judge: (rows) => added(rows, 'E3', ['exit_full', 'exit']),
};

const E4: WorldQuestion = {
  ...COMMON,
  id: 'E4',
  title: 'Does a signed gain add over the published clipped one?',
  hypothesis: 'A gain that counts worsening too adds to Q(16) over one that is clipped at 0.',
  falsified: 'An interval that holds 0.',
  rule: ADDS,
  says: {
    adds: 'A signed gain adds to Q(16).',
    'adds nothing': 'A signed gain adds nothing to Q(16).',
    costs: 'A signed gain costs at Q(16).',
    open: 'Whether a signed gain adds to Q(16) is open.',
  },
  caveat: FEW,
  judge: (rows) => added(rows, 'E4', ['exit', 'exit_clipped']),
};

export const GAIN = [E1, E1_AGAIN, E2, E3, E4];
