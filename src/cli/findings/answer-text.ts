// What rows say of a question, as every command prints it: the verdict, each estimate unit by unit, the tables.
import { eachLine } from '../../experiments/judge/estimates.ts';
import { answer, type Question } from '../../experiments/judge/question.ts';
import { renderTable } from '../table.ts';

/** Empty where the rows hold nothing of it. */
export function answerText<Data, Key extends string>(question: Question<Data, Key>, data: Data): string[] {
  const said = answer(question, data);
  if (!said) return [];
  const { word, figures, beside, limits = [], tables, n } = said;
  return [
    `${question.id}: ${word} (n = ${n} ${question.unit})`,
    ...figures.map((figure) => `  ${figure.name}: ${eachLine(figure, question.show)}`),
    ...[...limits, ...beside].map((sentence) => `  ${sentence}`),
    ...tables.flatMap(({ title, head, rows }) => ['', title, renderTable(head, rows)]),
  ];
}
