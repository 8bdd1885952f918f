// The tables of `improve`, from its rows alone: quality over K by arm, flows, iterating against sampling again.

import { KS } from '../../environments/exit/types.ts';
import { bestAt, flowsOf, lastAt, majorityAt, solvedAt } from '../../experiments/exit/metrics.ts';
import { basesOf, type ImproveRow, type Model, modelsOf, rowsOfWay, tokensAt } from '../../experiments/exit/rows.ts';
import type { Column } from '../../experiments/judge/table.ts';
import { textTable } from '../table.ts';

/** Tables by base, where rows have several. @param verdicts the sentences after a base's tables; empty: none */
export function improveTables(
  rows: readonly ImproveRow[],
  verdicts: (rows: readonly ImproveRow[]) => readonly string[] = () => [],
): string {
  const bases = [...basesOf(rows)];
  const text = (own: readonly ImproveRow[]) => [tablesOfBase(own), ...verdicts(own)].join('\n');
  if (bases.length < 2) return text(rows);
  return bases.map(([base, own]) => `Base: ${base ?? 'the environment’s own'}\n${text(own)}`).join('\n\n');
}

function tablesOfBase(rows: readonly ImproveRow[]): string {
  const models = modelsOf(rows);
  const arms = [...new Set(models.map(({ arm }) => arm))].map((arm) => {
    return { arm, own: models.filter((model) => model.arm === arm) };
  });
  const steps = Math.max(0, ...rows.map(({ quality }) => quality.length - 1));
  const ks: number[] = [...new Set([...KS.filter((k) => k <= steps), steps])];
  const table = (columns: readonly (readonly [title: string, of: (model: Model) => number | null])[]) =>
    textTable(arms, [
      ['arm', ({ arm }) => arm],
      ['n', ({ own }) => String(own.length)],
      ...columns.map(([title, of]): Column<(typeof arms)[number]> => [title, ({ own }) => own.map(of)]),
    ]);
  const tasks = new Set(rows.map(({ id }) => id)).size;
  const samplings = new Set(rows.filter(({ way }) => way === 'sampled').map(({ sampling }) => sampling)).size;
  const sampled = (of: (rows: ImproveRow[]) => number | null) => (model: Model) => of(rowsOfWay(model, 'sampled'));
  const sentences = [
    `${tasks} tasks, ${samplings} sampling seed${samplings === 1 ? '' : 's'}; n: models of other training seeds, mean ± sd over them.`,
    '',
    'Quality of the last answer after K revisions, temperature 1',
    table(ks.map((k) => [`K ${k}`, sampled((own) => lastAt(own, k))] as const)),
    '',
    'Solved after K, and of all steps together: unsolved answers that a step solves, solved ones that it breaks',
    table([
      ...ks.map((k) => [`K ${k}`, sampled((own) => solvedAt(own, k))] as const),
      ['fix rate', sampled((own) => flowsOf(own).fixRate)],
      ['break rate', sampled((own) => flowsOf(own).breakRate)],
    ]),
    '',
    'Greedily',
    table(ks.map((k) => [`K ${k}`, (model: Model) => lastAt(rowsOfWay(model, 'greedy'), k)] as const)),
    '',
    'Best so far (a verifier chooses), by revisions, and of K + 1 independent answers; their majority; tokens',
    table([
      ...ks
        .slice(1)
        .flatMap((k) => [
          [`best, K ${k}`, sampled((own) => bestAt(own, k))] as const,
          [`independent ${k + 1}`, (model: Model) => bestAt(rowsOfWay(model, 'independent'), k)] as const,
        ]),
      [`majority ${steps + 1}`, (model) => majorityAt(rowsOfWay(model, 'independent'), steps)],
      [`tokens, K ${steps}`, sampled((own) => tokensAt(own, steps))],
    ]),
  ];
  return sentences.join('\n');
}
