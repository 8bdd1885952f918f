// Rows and runs of Compute as Teacher with the verdicts of its questions (docs/lab-book/cat.md).
import { inferenceTables } from '../../../src/cli/cat/synthesise-tables.ts';
import type { InferenceRow } from '../../../src/experiments/cat/infer.ts';
import type { RunRecord } from '../../../src/experiments/records/events.ts';
import { answersText } from '../../judge/answer-text.ts';
import { INFERENCE } from './inference.ts';
import { judgedTables } from './judged-tables.ts';
import { isPassing, PASSING } from './passing.ts';
import { projectedTables, variantTables } from './trained-tables.ts';
import { TRAINING } from './training.ts';

/** The lab's own tables of the rows, and the questions' answers. */
export function inferenceAnswers(rows: readonly InferenceRow[]): string {
  const answers = answersText(INFERENCE, { rows, first: [], runs: [] });
  if (answers.length === 0) return inferenceTables(rows);
  return [inferenceTables(rows), '', 'Questions, on held-out templates at G = 8', ...answers].join('\n');
}

/** C2 and C7 for runs with references; the rows are the untrained model's, on the evaluation problems of the runs. */
export function trainedTables(runs: readonly RunRecord[], rows: readonly InferenceRow[]): string {
  const passing = runs.filter(isPassing);
  const answers = [
    ...answersText(TRAINING, { rows, first: [], runs: runs.filter((run) => !isPassing(run)) }),
    ...answersText(PASSING, { rows, first: [], runs: passing }),
  ];
  return ['Runs by reference, by seed', ...answers].join('\n');
}

/** Tables of runs without rows; empty tables are left out. */
export function runTables(runs: readonly RunRecord[]): string {
  const [projected, variants] = [projectedTables(runs), variantTables(runs)];
  if (projected !== '' || variants !== '') return [projected, variants].filter((part) => part !== '').join('\n\n');
  return judgedTables(runs);
}
