// A question's answer as all commands print it: verdict, each estimate unit by unit, remarks, tables.

import { renderTable } from '../../src/cli/table.ts';
import { eachLine } from '../../src/experiments/judge/estimate.ts';
import { datesOf } from './age.ts';
import { ageOfRows } from './ages.ts';
import { answerOf, type Question } from './question.ts';
import type { Judgement } from './types.ts';

function linesOf<Data>(
  question: Question<Data>,
  { word, figures, beside, limits = [], n }: Judgement,
  data: Data,
): string[] {
  const { id, unit, show } = question;
  const age = ageOfRows(question, [datesOf(rowsIn(data))]);
  return [
    `${id}: ${word} (n = ${n} ${unit})`,
    ...figures.map((figure) => `  ${figure.name}: ${eachLine(figure, show)}${figure.word ? `, ${figure.word}` : ''}`),
    ...[...limits, ...beside, age?.said ?? []].flat().map((sentence) => `  ${sentence}`),
  ];
}

/** The data are rows, or an object that contains them by name. */
const rowsIn = (data: unknown): unknown[] =>
  Array.isArray(data) ? data : Object.values(data ?? {}).flatMap((part) => (Array.isArray(part) ? part : []));

/**
 * Returns answers without tables, for the questions that the rows answer. A repetition (`-again`) is left out if the original is answered, since
 * the two are equal on these rows.
 */
export function answersText<Data>(questions: readonly Question<Data>[], data: Data): string[] {
  const known = new Set<string>();
  return questions.flatMap((question) => {
    if (known.has(question.id.replace(/-again$/, ''))) return [];
    const judgement = answerOf(question, data);
    if (judgement) known.add(question.id);
    return judgement ? linesOf(question, judgement, data) : [];
  });
}

/** Returns a question's answer with its tables; empty if the rows do not answer it. */
export function answerText<Data>(question: Question<Data>, data: Data): string[] {
  const judgement = answerOf(question, data);
  if (!judgement) return [];
  return [
    ...linesOf(question, judgement, data),
    ...judgement.tables.flatMap(({ title, head, rows }) => ['', title, renderTable(head, rows)]),
  ];
}
