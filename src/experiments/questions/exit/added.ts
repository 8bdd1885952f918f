// What a part of the method adds to Q(16): the rule of E2, E3 and E4.
import type { ImproveRow } from '../../improving/rows.ts';
import { KS } from '../../improving/steps.ts';
import { exitVerdicts } from '../../improving/verdicts.ts';
import { bySeed, dotsOf, lineOf, ofPairs, standingOf, ZERO } from '../estimates.ts';
import { shown } from '../numbers.ts';
import { runsToOpen } from '../runs.ts';
import type { Judged, Rows, Status } from '../types.ts';
import { dash, FIVE, FIVE_TRAINED, SHOWN, some, UNIT } from './arms.ts';
import { table } from './curves.ts';

const STANDING: Readonly<Record<string, Status>> = {
  adds: 'holds',
  costs: 'fails',
  'adds nothing': 'fails',
  open: 'open',
};

/** Of such a question: one arm against others at K = 16, in the rows of these files. */
export function added(rows: Rows, id: string, arms: readonly string[], [of, trained] = [FIVE, FIVE_TRAINED]): Judged {
  const all = of.flatMap((file) => rows.lines<ImproveRow>(file));
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
    runs: runsToOpen(
      trained.flatMap((file) => rows.runs(file)),
      arms,
    ),
    inDocs: found.map(
      ({ question, last, verdict }, i) => `| ${question} | ${dash(last)} | ${shown(figures[i])} | ${verdict}`,
    ),
  };
}

export const ADDS =
  'Adds: the 95 % paired t interval of the difference at K = 16 lies above 0. Costs: below. Adds nothing: within ± .02. Open: else.';
export const FEW =
  'Differences are looked at without a correction for their number. Five seeds are too few for a difference of a point or two: what is open is not nothing.';
