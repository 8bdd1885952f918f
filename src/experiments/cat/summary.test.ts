// Compares summaries of rows with values computed by hand.
import { expect, it } from 'vitest';
import type { InferenceRow } from './infer.ts';
import {
  agreement,
  correctness,
  disagreement,
  joinedRows,
  pairedDifference,
  rescues,
  shareOfRows,
  unanimous,
} from './summary.ts';

const row = (
  id: string,
  seed: number,
  truth: string | undefined,
  answers: (string | null)[],
  synthesis: string | null,
  majority: string | null,
): InferenceRow => ({
  seed,
  id,
  split: 's',
  kind: 'plain',
  answers,
  tokens: answers.map(() => 3),
  ...(truth === undefined ? {} : { truth }),
  references: { '2': { synthesis: [synthesis, 2, 10, 4], majority: [majority, 2, 0, 0] } },
});
const rows = [
  row('a', 1, '7', ['7', '7'], '7', '7'),
  row('a', 2, '7', ['5', '6'], '7', '5'),
  row('b', 1, '9', ['8', '9'], '8', '9'),
  row('b', 2, '9', [null, null], null, null),
];

it('counts a problem once, by its mean over seeds', () => {
  const share = shareOfRows(rows, (one) => correctness(one, 2, 'synthesis'));
  // a: (1 + 1) / 2, b: (0 + 0) / 2. Seed 1: 1, 0; seed 2: 1, 0.
  expect(share).toMatchObject({ problems: 2, mean: 0.5, seeds: [0.5, 0.5] });
  expect(share.interval).toEqual({ low: 0, high: 1 });
  expect(shareOfRows(rows, (one) => correctness(one, 2, 'single')).mean).toBe((0.5 + 0.25) / 2);
  expect(shareOfRows(rows, (one) => correctness(one, 2, 'pass')).mean).toBe((0.5 + 0.5) / 2);
  expect(shareOfRows(rows, (one) => correctness(one, 1, 'pass')).mean).toBe(0.25);
  expect(shareOfRows(rows, (one) => correctness(one, 2, 'mutual'))).toMatchObject({
    problems: 0,
    mean: null,
    interval: null,
  });
});

it('pairs differences, and says which is correct where they differ', () => {
  expect(pairedDifference(rows, ['synthesis', 2], ['majority', 2]).mean).toBe((0.5 - 0.5) / 2);
  const { share, right, majorityRight } = disagreement(rows, 2);
  // They differ on a/2 and b/1; two missing answers do not count as a difference.
  expect([share.mean, right.mean, majorityRight.mean]).toEqual([0.5, 0.5, 0.5]);
  expect(rescues(rows, 2)).toMatchObject({ share: { mean: 0.5 }, rescued: { problems: 2, mean: 0.5 } });
  expect(unanimous(rows, 2).map(({ id, seed }) => [id, seed])).toEqual([['a', 1]]);
});

it('joins only rows with the same attempts', () => {
  const more = row('a', 1, '7', ['7'], null, null);
  const own = {
    ...more,
    references: { '1': { one: ['7', 1, 0, 0] as const }, '2': { mutual: ['7', 2, 5, 0] as const } },
  };
  const [first, ...rest] = joinedRows([rows, [own as unknown as InferenceRow]]);
  expect([first.answers, Object.keys(first.references), Object.keys(first.references['2'])]).toEqual([
    ...[
      ['7', '7'],
      ['1', '2'],
      ['synthesis', 'majority', 'mutual'],
    ],
  ]);
  expect(rest).toEqual(rows.slice(1));
  expect(() => joinedRows([rows, [row('a', 1, '7', ['5', '7'], null, null)]])).toThrow(/different groups of attempts/);
});

it('gives the values that are known without the truth', () => {
  const blind = rows.map(({ truth: _, ...rest }) => rest);
  expect(shareOfRows(blind, (one) => correctness(one, 2, 'synthesis')).problems).toBe(0);
  expect(agreement(blind, 2, 'synthesis').mean).toBe(0.5);
});
