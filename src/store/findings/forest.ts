// A question that was studied more than once, as one chart and one sentence: one line per repetition, without pooling. A repetition without
// data (n = 0) has no line, and the text states why a question is open.

import type { Estimate, Status } from '../../experiments/judge/estimate.ts';
import { intervalText } from '../../experiments/judge/estimate.ts';
import type { DotChart } from '../../experiments/judge/figures.ts';
import type { ShownQuestion } from '../../findings/sheet.ts';

/** The compared measure without its variant, so that `ExIt (an eighth) − GRPO` becomes `ExIt − GRPO`. */
const measureOf = ({ name }: Pick<Estimate, 'name'>): string => name.replace(/ \([^)]*\)/g, '');

/** Whether there were data for the decision rule, or the question was not run. */
export const isAnswered = ({ n, standing }: Pick<ShownQuestion, 'n' | 'standing'>): boolean =>
  n > 0 || standing === 'not run';

/** Draws the repetitions whose first figure measures the same as that of the first answered one; null if there are fewer than two. */
export function forestOf(entries: readonly ShownQuestion[]): DotChart | null {
  const answered = entries.filter(({ n, figures }) => n > 0 && figures.length > 0 && figures[0].mean !== null);
  if (answered.length === 0) return null;
  const measure = measureOf(answered[0].figures[0]);
  const alike = answered.filter(({ figures }) => measureOf(figures[0]) === measure);
  if (alike.length < 2) return null;
  return {
    kind: 'dots',
    title: `${measure}: every entry by itself`,
    x: measure,
    bounds: [{ at: 0, label: '0' }],
    rows: alike.map(({ id, standing, n, unit, figures: [{ mean, interval, each }] }) => {
      const values = each.map(({ value }) => value);
      return { name: `${id}: ${standing}, n = ${n} ${unit}`, n, mean, interval, arm: 'none', values };
    }),
  };
}

/** Statuses by strength: the first one that occurs is the question's status. */
const ORDER: readonly Status[] = ['holds', 'in part', 'fails'];

/** Such as `Documents … (S1-again, S1-seed2-on-again). Open: S1, S1-seed3-on.` */
export function statusSummary(entries: readonly ShownQuestion[]): string {
  const of = (standing: Status) => entries.filter((entry) => entry.standing === standing && isAnswered(entry));
  const ids = (some: readonly ShownQuestion[]) => some.map(({ id }) => id).join(', ');
  const [first, ...others] = ORDER.filter((standing) => of(standing).length > 0);
  const summary = first ? [`${of(first)[0].said.replace(/\.$/, '')} (${ids(of(first))}).`] : [];
  const rest = [...others, 'open' as const].flatMap((standing) => {
    const some = of(standing);
    const word = standing.charAt(0).toUpperCase() + standing.slice(1);
    return some.length > 0 ? [`${word}: ${ids(some)}.`] : [];
  });
  return [...summary, ...rest].join(' ');
}

/** Why a question is open: too few units, or an interval that includes 0. Null if it is not open, or neither reason is known. */
export function whyOpen({ standing, word, figures }: ShownQuestion): string | null {
  if (standing !== 'open') return null;
  const reason = word.split(': ').slice(1).join(': ');
  if (/\bwanted\b/.test(reason)) return `Too few: ${reason}.`;
  if (reason !== '') return `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`;
  const both = figures.find(({ interval }) => interval && interval.low <= 0 && interval.high >= 0);
  return both ? `Both sides of 0 are possible: ${both.name}, ${intervalText(both)}.` : null;
}
