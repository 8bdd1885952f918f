// Rows of `improve` with the verdicts of ExIt's questions (docs/lab-book/exit.md).
import { improveTables } from '../../../src/cli/exit/tables.ts';
import { basesOf, type ImproveRow } from '../../../src/experiments/exit/rows.ts';
import type { RunRecord } from '../../../src/experiments/records/events.ts';
import { answersText } from '../../judge/answer-text.ts';
import { E1_BASES } from './e1.ts';
import { CHAIN_QUESTIONS } from './index.ts';
import { sandbagging } from './sandbagging.ts';

/** Questions on one base, and the rewards of whole chains for which E5's rule was not written. */
const QUESTIONS = [
  ...CHAIN_QUESTIONS.filter(({ id }) => id !== E1_BASES.id),
  ...['chain_rise', 'chain_gains'].map((arm) => sandbagging(arm)),
];

/** @param runs that trained the models, for E5 */
export function improveAnswers(rows: readonly ImproveRow[], runs: readonly RunRecord[]): string {
  const verdicts = (own: readonly ImproveRow[]): string[] => {
    const answers = answersText(QUESTIONS, { rows: own, runs });
    return answers.length > 0 ? ['', 'Questions, by seed', ...answers] : [];
  };
  const tables = improveTables(rows, verdicts);
  if (basesOf(rows).size < 2) return tables;
  return [tables, answersText([E1_BASES], { rows, runs }).join('\n')].join('\n\n').trimEnd();
}
