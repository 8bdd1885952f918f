// Gain in Q(16) by one part of the method: the rule of E2, E3 and E4.

import { KS } from '../../../src/environments/exit/types.ts';
import type { Estimate } from '../../../src/experiments/judge/estimate.ts';
import { intervalText } from '../../../src/experiments/judge/estimate.ts';
import {
  above,
  below,
  type Condition,
  judge,
  type Ruled,
  ruleWords,
  verdictText,
} from '../../../src/experiments/judge/rule.ts';
import { two } from '../../../src/lib/numbers.ts';
import { dotChart, ZERO } from '../../judge/estimates.ts';
import { type Question, runsToOpen } from '../../judge/question.ts';
import { type ExitData, FIVE, FIVE_TRAINED, readOf, SHOWN, shownArms, valuesLine } from './arms.ts';
import { LAST, table } from './curves.ts';
import { differenceAt } from './estimates.ts';

/** A difference at K = 16 within this margin counts as none. */
const NONE_WITHIN = 0.02;

/** The rule for one part. */
const ADDS: Ruled = {
  names: { difference: 'the difference in Q(16)' },
  rule: {
    cases: [
      { status: 'holds', when: above('difference') },
      { status: 'fails', because: 'costs', when: below('difference') },
      { status: 'fails', because: 'adds nothing', when: { within: 'difference', margin: NONE_WITHIN } },
      { status: 'open' },
    ],
  },
};
const addsWord = (difference: Estimate): string => verdictText(judge(ADDS.rule, { difference }));

/** The rule for several parts together, each with its key. */
function eachAdds(keys: readonly string[]): Ruled {
  const none = (key: string): Condition => ({ any: [below(key), { within: key, margin: NONE_WITHIN }] });
  const some = { any: keys.map((key) => above(key)) };
  return {
    names: Object.fromEntries(keys.map((key) => [key, key])),
    rule: {
      before: `Of each: ${ruleWords(ADDS.rule, { names: ADDS.names, unit: 'seed' })} Of all:`,
      cases: [
        { status: 'holds', when: { all: keys.map((key) => above(key)) } },
        { status: 'fails', when: { all: keys.map(none) } },
        { status: 'in part', when: { all: [some, { any: keys.map(none) }] } },
        { status: 'open' },
      ],
    },
  };
}

/** An arm, and the arm that it is compared with. */
type Pair = readonly [one: string, other: string];

const labelOf = (arm: string) => SHOWN.find(([name]) => name === arm)![1];

/**
 * A question about one or several pairs of arms, in the rows of these files. `id`: as in the docs' table. `arms`: in the order in which
 * their runs are listed.
 */
export function addsQuestion(
  id: string,
  pairs: readonly Pair[],
  { files, trained } = { files: FIVE, trained: FIVE_TRAINED },
  arms: readonly string[] = [...new Set(pairs.flat())],
): Pick<Question<ExitData>, 'names' | 'rule' | 'read' | 'estimates' | 'shown'> {
  const nameOf = ([one, other]: Pair) => `${labelOf(one)} − ${labelOf(other)}`;
  const keyOf = pairs.length === 1 ? () => 'difference' : nameOf;
  return {
    ...(pairs.length === 1 ? ADDS : eachAdds(pairs.map(nameOf))),
    read: readOf(files, trained),
    estimates({ rows }) {
      const found = pairs.flatMap((pair) => {
        const [one, other] = pair;
        const figure = differenceAt(rows, { name: nameOf(pair), one, other, k: LAST });
        return figure ? [[keyOf(pair), { ...figure, word: addsWord(figure) }] as const] : [];
      });
      return found.length > 0 ? Object.fromEntries(found) : null;
    },
    shown: ({ rows, runs }, { figures, estimates }) => ({
      tables: [table(rows, shownArms('none', ...arms), KS)],
      chart: dotChart(
        'What it adds to Q(16)',
        'difference in Q(16)',
        figures,
        ({ name }) => SHOWN.find(([, own]) => name.endsWith(`− ${own}`))?.[0] ?? 'exit',
        [{ at: -NONE_WITHIN, label: two(-NONE_WITHIN) }, ZERO, { at: NONE_WITHIN, label: two(NONE_WITHIN) }],
      ),
      runs: () => runsToOpen(runs, arms),
      inDocs: pairs.flatMap((pair) => {
        const figure = estimates[keyOf(pair)];
        return figure
          ? [`| ${id}: ${pair.join(' − ')} | ${valuesLine(figure)} | ${intervalText(figure)} | ${figure.word}`]
          : [];
      }),
    }),
  };
}

export const FEW =
  'Differences are looked at without a correction for their number. Five seeds are too few for a difference of a point or two: what is open is not nothing.';
