// What rows say of questions, as every command prints it: the verdict, each estimate unit by unit, what else is said, the tables.
import { eachLine } from '../../experiments/judge/estimates.ts';
import { answer, type Question } from '../../experiments/judge/question.ts';
import type { Judged } from '../../experiments/judge/types.ts';
import { renderTable } from '../table.ts';

function linesOf(
  { id, unit, show }: Pick<Question, 'id' | 'unit' | 'show'>,
  { word, figures, beside, limits = [], n }: Judged,
): string[] {
  return [
    `${id}: ${word} (n = ${n} ${unit})`,
    ...figures.map((figure) => `  ${figure.name}: ${eachLine(figure, show)}${figure.word ? `, ${figure.word}` : ''}`),
    ...[...limits, ...beside].map((sentence) => `  ${sentence}`),
  ];
}

/** Without tables, of the questions that the rows answer. What was asked again by the same rule, of other seeds, is left out where the first
 *  is answered: on these rows the two are one. */
export function answersText<Data>(questions: readonly Question<Data>[], data: Data): string[] {
  const known = new Set<string>();
  return questions.flatMap((question) => {
    if (known.has(question.id.replace(/-again$/, ''))) return [];
    const said = answer(question, data);
    if (said) known.add(question.id);
    return said ? linesOf(question, said) : [];
  });
}

/** Empty where the rows hold nothing of it. */
export function answerText<Data>(question: Question<Data>, data: Data): string[] {
  const said = answer(question, data);
  if (!said) return [];
  return [
    ...linesOf(question, said),
    ...said.tables.flatMap(({ title, head, rows }) => ['', title, renderTable(head, rows)]),
  ];
}
