// E1 on other bases: its rule on each, the base as the unit. Rules and tables: docs/lab-book/exit.md.

import { KS } from '../../../environments/exit/types.ts';
import { three, two } from '../../../lib/numbers.ts';
import { mean, pairedT } from '../../../stats/index.ts';
import { basesVerdict } from '../../exit/bases.ts';
import { basesOf, type ImproveRow } from '../../exit/rows.ts';
import { COSTS_AT_MOST, GAINS_AT_LEAST, onEachBase } from '../../exit/rules.ts';
import { bySeed, dotsOf, ofPairs, shown, ZERO } from '../../judge/estimates.ts';
import { judgedAs } from '../../judge/question.ts';
import { ruleWords } from '../../judge/rule.ts';
import type { Estimate, SeriesQuestion } from '../../judge/types.ts';
import { dash } from './arms.ts';
import { table } from './curves.ts';

const FILE = 'exit/bases.jsonl.gz';
const KNOWN = 'exit/e1-again.jsonl.gz';
const UNIT = 'training seeds a base';

const RULED = onEachBase(['tiny-chain-2', 'tiny-chain-3']);
const nameOf = (base: string | null): string => base ?? 'tiny-chain';

const E1_BASES: SeriesQuestion = {
  id: 'E1-bases',
  title: 'The same on two other bases',
  hypothesis:
    'On two models of the puzzles that were pretrained from other initial weights, Q(16) of ExIt (the best child, an eighth of the tasks) lies .08 above that of GRPO on base tasks, and Q(0) no more than .02 below it.',
  falsified: 'A base on which Q(16) is not above in every seed.',
  rule: ruleWords(RULED.rule, { names: RULED.names, unit: 'seed' }),
  says: {
    holds:
      'On both other bases, trained on single steps, the model improves over sixteen at no cost at the first answer.',
    'in part': 'On both other bases, training on single steps improves sixteen, and a bound is missed.',
    fails: 'Not on both other bases does training on single steps improve sixteen.',
  },
  unit: UNIT,
  caveat:
    'Two bases, of one shape, one size and one kind of puzzle, each taken as it came out of pretraining; the base that was known when the rule was written is shown and judges nothing.',
  section: 'E1 on other bases: what the runs say',
  files: [FILE, KNOWN],
  commands: [
    'npm run lab -- pretrain --environment chain --seed N --out .cache/bases/tiny-chain-N',
    'npm run lab -- run --environment chain --model .cache/bases/tiny-chain-N --storage f32 --arms none,exit_best --seeds 46,47,48,49,50 --set startShare=.125 --set evalEvery=0 --set finalEvalProblems=32 --out DIR',
    'npm run lab -- improve --run DIR --model .cache/bases/tiny-chain-N --ways sampled --seeds 4 --out FILE',
    `zcat public/results/${KNOWN} public/results/${FILE} > FILE && npm run lab -- improve --rows FILE`,
  ],
  runsNote: 'The other bases do not come with the lab: no link opens these runs.',
  judge(rows) {
    const all = [...rows.lines<ImproveRow>(KNOWN), ...rows.lines<ImproveRow>(FILE)];
    const { verdict, bases } = basesVerdict(all, 'exit_best')!;
    const figures = bases.flatMap(({ base, of: { seeds, first, last, verdict: own } }): Estimate[] => [
      ofPairs(`${nameOf(base)}, K = 16`, bySeed(seeds, last), pairedT(last), base === null ? null : own),
      ofPairs(`${nameOf(base)}, K = 0`, bySeed(seeds, first), pairedT(first)),
    ]);
    const judged = figures.filter((_, i) => bases[Math.floor(i / 2)].base !== null);
    const over = (of: 'first' | 'last', k: number) => {
      const means = bases.map(({ of: own }) => mean(own[of])!);
      const figure = ofPairs('', [], pairedT(means));
      const line = shown({ mean: mean(means), interval: figure.interval });
      return `With the base as the unit, n ${bases.length}, ExIt − GRPO at K = ${k}: ${dash(means)}; together ${line}.`;
    };
    return judgedAs(
      verdict,
      { unit: UNIT, figures, line: judged },
      {
        limits: [over('last', 16)],
        beside: [over('first', 0)],
        n: Math.min(...judged.map(({ n }) => n)),
        tables: [...basesOf(all)].map(([base, own]) => {
          const arms = [
            ['base', 'base', 'base'],
            ['none', 'GRPO', 'none'],
            ['exit_best', 'ExIt, an eighth', 'exit_best'],
          ] as const;
          const of = table(own, arms, KS);
          return { ...of, title: `${nameOf(base)}: ${of.title}` };
        }),
        chart: {
          kind: 'dots',
          title: 'ExIt − GRPO on each base',
          x: 'difference in Q',
          bounds: [
            { at: -COSTS_AT_MOST, label: two(-COSTS_AT_MOST) },
            ZERO,
            { at: GAINS_AT_LEAST, label: three(GAINS_AT_LEAST) },
          ],
          rows: dotsOf(figures, () => 'exit_best'),
        },
        runs: [],
        inDocs: [`**E1 on other bases: ${verdict}.**`, ...figures.map((figure) => shown(figure))],
      },
    );
  },
};

export const BASES = [E1_BASES];
