// What `lab arena --warning` prints: each signal's AUC and lead, and the verdict on the update's directions.
import { FEWEST_CLEAN, ONSET, SIGNALS } from '../experiments/analysis/early-warning.ts';
import { type EarlyWarning, estimateOf, WARNING_NAMES, WARNING_RULE } from '../experiments/arena/early-warning.ts';
import { type Judgeable, judge, ruleWords, verdictText } from '../experiments/judge/rule.ts';
import { decimal, inBrackets } from '../lib/numbers.ts';
import { renderTable } from './table.ts';

const told = ({ mean, interval }: Judgeable, digits: number): string => {
  const of = (value: number) => decimal(value, digits);
  return mean === null ? '' : of(mean) + inBrackets(interval, of);
};

export function renderWarning({ warnings, estimates }: EarlyWarning): string {
  if (warnings.length === 0)
    return `No comparison: it needs runs of vanilla whose hacking rises by ${100 * ONSET.rise} points, and ${FEWEST_CLEAN} runs of the same settings with repaired graders.`;
  const rows = warnings.map(({ signal, side, auc, lead, warned }) => [
    SIGNALS[signal].label,
    side,
    told(estimateOf(auc), 2),
    told(estimateOf(lead), 1),
    `${warned} of ${lead.length}`,
  ]);
  const table = renderTable(['signal', 'warns when', 'AUC', 'lead, steps', 'warned'], rows, () => false);
  const verdict = verdictText(judge(WARNING_RULE, estimates));
  const rule = ruleWords(WARNING_RULE, { names: WARNING_NAMES, unit: 'run that hacks' });
  return `${table}\n\nEarly warning by the update’s directions: ${verdict}.\n${rule}`;
}
