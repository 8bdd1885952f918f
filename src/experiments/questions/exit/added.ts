// What a part of the method adds to Q(16): the rule of E2, E3 and E4.

import { KS } from '../../../environments/exit/types.ts';
import { two } from '../../../lib/numbers.ts';
import type { ImproveRow } from '../../exit/rows.ts';
import { ADDS as ADDS_RULED, eachAdds, NONE_WITHIN } from '../../exit/rules.ts';
import { exitVerdicts } from '../../exit/verdicts.ts';
import { bySeed, dotsOf, ofPairs, shown, ZERO } from '../../judge/estimates.ts';
import { judgedAs, runsToOpen } from '../../judge/question.ts';
import { judge, ruleWords, verdictText } from '../../judge/rule.ts';
import type { Judged, Rows } from '../../judge/types.ts';
import { dash, FIVE, FIVE_TRAINED, SHOWN, some, UNIT } from './arms.ts';
import { table } from './curves.ts';

/** Of such a question: one arm against others at K = 16, in the rows of these files. */
export function added(rows: Rows, id: string, arms: readonly string[], [of, trained] = [FIVE, FIVE_TRAINED]): Judged {
  const all = of.flatMap((file) => rows.lines<ImproveRow>(file));
  const found = exitVerdicts(all).filter(({ question }) => question.startsWith(`${id}:`));
  const label = (arm: string) => SHOWN.find(([name]) => name === arm)![1];
  const figures = found.map(({ question, seeds, last, paired, verdict }) => {
    const [one, other] = question.slice(id.length + 2).split(' − ');
    return ofPairs(`${label(one)} − ${label(other)}`, bySeed(seeds, last), paired, verdict);
  });
  // Of one part its rule's reason is told too.
  const [single, ...more] = figures;
  const verdict =
    more.length === 0
      ? judge(ADDS_RULED.rule, { difference: single })
      : judge(
          eachAdds(figures.map(({ name }) => name)).rule,
          Object.fromEntries(figures.map((one) => [one.name, one])),
        );
  return judgedAs(
    verdictText(verdict),
    { unit: UNIT, figures },
    {
      tables: [table(all, some('none', ...arms), KS)],
      chart: {
        kind: 'dots',
        title: 'What it adds to Q(16)',
        x: 'difference in Q(16)',
        bounds: [{ at: -NONE_WITHIN, label: two(-NONE_WITHIN) }, ZERO, { at: NONE_WITHIN, label: two(NONE_WITHIN) }],
        rows: dotsOf(figures, ({ name }) => SHOWN.find(([, own]) => name.endsWith(`− ${own}`))?.[0] ?? 'exit'),
      },
      runs: runsToOpen(
        trained.flatMap((file) => rows.runs(file)),
        arms,
      ),
      inDocs: found.map(
        ({ question, last, verdict }, i) => `| ${question} | ${dash(last)} | ${shown(figures[i])} | ${verdict}`,
      ),
    },
  );
}

/** Of one part. */
export const ADDS = ruleWords(ADDS_RULED.rule, { names: ADDS_RULED.names, unit: 'seed' });
/** Of several: of each, and of all. */
export function addsEach(names: readonly string[]): string {
  const ruled = eachAdds(names);
  return `Of each: ${ADDS} Of all: ${ruleWords(ruled.rule, { names: ruled.names, unit: 'seed' })}`;
}
export const FEW =
  'Differences are looked at without a correction for their number. Five seeds are too few for a difference of a point or two: what is open is not nothing.';
