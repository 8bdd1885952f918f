// The tables of `synthesise`, from its rows alone: the share of right answers by group size, split and kind, each with its number of
// problems and its interval.

import { ESTIMATORS } from '../../environments/cat/types.ts';
import type { InferenceRow } from '../../experiments/cat/infer.ts';
import {
  agreement,
  correctness,
  disagreement,
  pairedDifference,
  rescues,
  shareOfRows,
  unanimous,
} from '../../experiments/cat/summary.ts';
import type { Column } from '../../experiments/judge/table.ts';
import { two } from '../../lib/numbers.ts';
import { textTable } from '../table.ts';

interface Part {
  name: string;
  rows: readonly InferenceRow[];
}

export function inferenceTables(rows: readonly InferenceRow[]): string {
  const sizes = [...new Set(rows.flatMap(({ references }) => Object.keys(references)))]
    .map(Number)
    .sort((a, b) => a - b);
  const estimators = ESTIMATORS.filter((id) =>
    rows.some(({ references }) => references[String(sizes[0])]?.[id] || references[String(sizes.at(-1))]?.[id]),
  );
  const isKnown = rows.some(({ truth }) => truth !== undefined);
  const seeds = new Set(rows.map(({ seed }) => seed)).size;
  const problems = new Set(rows.map(({ id }) => id)).size;
  const sentences = [
    `${problems} problems, ${seeds} sampling seed${seeds === 1 ? '' : 's'}. Figures are means over problems [95 % bootstrap over problems].`,
  ];
  if (!isKnown) return [...sentences, '', withoutTruth(rows, sizes, estimators)].join('\n');
  for (const part of partsOf(rows)) {
    const n = new Set(part.rows.flatMap(({ id, truth }) => (truth === undefined ? [] : [id]))).size;
    sentences.push('', `${part.name}, n = ${n}: right`, partTable(part.rows, sizes, ['single', ...estimators, 'pass']));
  }
  if (rows.some(({ references }) => references[String(sizes.at(-1))]?.majority))
    for (const part of splitsOf(rows))
      sentences.push('', `${part.name}: − majority, paired`, majorityTable(part.rows, sizes, estimators));
  for (const part of splitsOf(rows))
    sentences.push('', `${part.name}: synthesis against majority`, against(part.rows, sizes));
  sentences.push('', 'Tokens a problem', tokens(rows, sizes, estimators));
  return sentences.join('\n');
}

const splitsOf = (rows: readonly InferenceRow[]): Part[] =>
  [...new Set(rows.map(({ split }) => split))].map((split) => ({
    name: split,
    rows: rows.filter((row) => row.split === split),
  }));

/** Each split, then its kinds, with held facts apart. */
function partsOf(rows: readonly InferenceRow[]): Part[] {
  return splitsOf(rows).flatMap((split) => {
    const kinds = [...new Set(split.rows.map(({ kind }) => kind))].sort();
    const own = kinds.map((kind) => ({
      name: `${split.name}, ${kind}`,
      rows: split.rows.filter((row) => row.kind === kind && !row.held),
    }));
    const held = { name: `${split.name}, held fact`, rows: split.rows.filter((row) => row.held) };
    return kinds.length === 1 ? [split] : [split, ...own, held].filter((part) => part.rows.length > 0);
  });
}

/** A row for each group size. */
const tableBySize = (
  sizes: readonly number[],
  columns: readonly Column<number>[],
  show: (value: number) => string = two,
): string => textTable(sizes, [['G', String], ...columns], show, (column) => column === 0);

const partTable = (rows: readonly InferenceRow[], sizes: readonly number[], names: readonly string[]): string =>
  tableBySize(
    sizes,
    names.map((name) => [name, (size) => shareOfRows(rows, (row) => correctness(row, size, name))]),
  );

/** Difference of every estimator from the majority on the same groups. */
function majorityTable(rows: readonly InferenceRow[], sizes: readonly number[], names: readonly string[]): string {
  const others = names.filter((name) => name !== 'majority');
  return tableBySize(
    sizes,
    others.map((name) => [name, (size) => pairedDifference(rows, [name, size], ['majority', size])]),
  );
}

function against(rows: readonly InferenceRow[], sizes: readonly number[]): string {
  const same = (size: number) => unanimous(rows, size);
  const there = (name: string) => (size: number) => shareOfRows(same(size), (row) => correctness(row, size, name));
  return tableBySize(sizes, [
    ['synthesis − majority', (size) => pairedDifference(rows, ['synthesis', size], ['majority', size])],
    ['differ', (size) => disagreement(rows, size).share],
    ['synthesis right', (size) => disagreement(rows, size).right],
    ['majority right', (size) => disagreement(rows, size).majorityRight],
    ['all wrong', (size) => rescues(rows, size).share],
    ['rescued', (size) => rescues(rows, size).rescued],
    [
      'all agree',
      (size) => {
        const agreed = new Set(same(size));
        return shareOfRows(rows, (row) => Number(agreed.has(row)));
      },
    ],
    ['right there', there('synthesis')],
    ['majority there', there('majority')],
  ]);
}

function withoutTruth(rows: readonly InferenceRow[], sizes: readonly number[], names: readonly string[]): string {
  const answered = (size: number) =>
    shareOfRows(rows, ({ answers }) => answers.slice(0, size).filter((answer) => answer !== null).length / size);
  return [
    'No answers are known: nothing is right or wrong. Share of problems whose reference is the majority’s answer, and of attempts with an answer.',
    tableBySize(sizes, [
      ...names.map((name): Column<number> => [name, (size) => agreement(rows, size, name)]),
      ['answered', answered],
    ]),
  ].join('\n');
}

/** Mean tokens per problem: of the attempts, and read + written for each reference. */
function tokens(rows: readonly InferenceRow[], sizes: readonly number[], names: readonly string[]): string {
  const mean =
    (of: (row: InferenceRow, size: number) => number | null) =>
    (size: number): number | null =>
      shareOfRows(rows, (row) => of(row, size)).mean;
  return tableBySize(
    sizes,
    [
      ['attempts', mean((row, size) => row.tokens.slice(0, size).reduce((a, b) => a + b, 0))],
      ...names.map(
        (name): Column<number> => [
          name,
          mean(({ references }, size) => {
            const reference = references[String(size)]?.[name];
            return reference ? reference[2] + reference[3] : null;
          }),
        ],
      ),
    ],
    (tokens) => tokens.toFixed(0),
  );
}
