// One function writes the finding of every environment from one value per unit, so that all are worded alike and none claims more than its
// rows show: if the interval of the difference includes 0, the sentence says that no difference is shown.

import {
  type EnvironmentHeadline,
  type HeadlineEstimate,
  type MeanEstimate,
  percent,
  sideOf,
} from '../../src/findings/headline.ts';
import { mean, pairedT } from '../../src/stats/index.ts';

/** Shares measured for one unit of replication (a seed or a character). */
export interface UnitValues {
  of: string;
  from: number;
  to: number;
  second?: { from: number; to: number };
  beside?: number;
}

/** The words of a headline's sentence; its numbers come from the rows. */
export interface Claim extends Pick<EnvironmentHeadline, 'environment' | 'asked' | 'unit' | 'inDemo'> {
  /** Conditions as a sentence begins with them: `Trained with plain RL`. */
  from: string;
  to: string;
  /** The words around the measure's figure: `the model cheats on 45% of the trick problems`. */
  measure: readonly [before: string, after: string];
  /** Another measure of the same models, worded by the direction of its difference: `it solves more`. */
  second?: { more: string; less: string; open: string };
  /** A third condition, in brackets after the second: `with right answers`. */
  beside?: string;
}

/** Throws RangeError for fewer than two units, which give no interval. */
export function headlineOf(claim: Claim, units: readonly UnitValues[]): EnvironmentHeadline {
  const { environment, asked, unit, from, to, measure, second, beside, inDemo } = claim;
  if (units.length < 2) throw new RangeError(`${environment}: a finding of ${units.length} ${unit}`);
  const figure = (name: string, of: (values: UnitValues) => number): HeadlineEstimate => ({
    name,
    ...meanOf(units.map(of)),
  });
  const measured = `${measure[0]} … ${measure[1]}`.trim();
  const main = [
    figure(`${from}: ${measured}`, (one) => one.from),
    figure(`${to}: ${measured}`, (one) => one.to),
    figure('difference', (one) => one.to - one.from),
  ];
  const others = second
    ? [
        figure(`${from}: ${second.open}`, (one) => one.second!.from),
        figure(`${to}: ${second.open}`, (one) => one.second!.to),
        figure(`difference in ${second.open}`, (one) => one.second!.to - one.second!.from),
      ]
    : [];
  const third = beside ? [figure(`${beside}: ${measured}`, (one) => one.beside!)] : [];
  const sentence = [
    `${from}, ${measure[0]} ${percent(main[0].mean)} ${measure[1]}.`,
    ` ${to}: ${percent(main[1].mean)}`,
    third.length > 0 ? ` (${beside}: ${percent(third[0].mean)})` : '',
    sideOf(main[2]) === 'open' ? '; no difference is shown' : '',
    second ? secondClause(second, others) : '',
    '.',
  ].join('');
  return { environment, asked, unit, inDemo, sentence, n: units.length, figures: [...main, ...others, ...third] };
}

/** `, and it solves more (53% against 46%)`; says so if the interval includes 0. */
function secondClause(
  second: NonNullable<Claim['second']>,
  [from, to, difference]: readonly HeadlineEstimate[],
): string {
  const figures = `(${percent(to.mean)} against ${percent(from.mean)})`;
  const side = sideOf(difference);
  return side === 'open' ? `; no difference is shown in ${second.open} ${figures}` : `, and ${second[side]} ${figures}`;
}

/** Mean and 95 % interval. Needs at least one value. */
export function meanOf(values: readonly number[]): MeanEstimate {
  const paired = pairedT(values);
  return { mean: mean(values)!, interval: paired?.t === null ? null : (paired?.interval ?? null) };
}
