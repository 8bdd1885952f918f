// What rows say, against figures computed by hand.
import { describe, expect, it } from 'vitest';
import type { InferenceRow } from './infer.ts';
import {
  agreement,
  difference,
  disagreement,
  joinedRows,
  rescues,
  rightness,
  shareOfRows,
  unanimous,
} from './summary.ts';
import { verdictsOf } from './verdicts.ts';

const row = (
  id: string,
  seed: number,
  truth: string | undefined,
  answers: (string | null)[],
  synthesis: string | null,
  majority: string | null,
): InferenceRow => ({
  ...{ seed, id, split: 's', kind: 'plain', answers, tokens: answers.map(() => 3) },
  ...(truth === undefined ? {} : { truth }),
  references: { '2': { synthesis: [synthesis, 2, 10, 4], majority: [majority, 2, 0, 0] } },
});
const rows = [
  row('a', 1, '7', ['7', '7'], '7', '7'),
  row('a', 2, '7', ['5', '6'], '7', '5'),
  row('b', 1, '9', ['8', '9'], '8', '9'),
  row('b', 2, '9', [null, null], null, null),
];

it('counts a problem once, as the mean of its seeds', () => {
  const share = shareOfRows(rows, (one) => rightness(one, 2, 'synthesis'));
  // a: (1 + 1) / 2, b: (0 + 0) / 2. Seed 1: 1, 0; seed 2: 1, 0.
  expect(share).toMatchObject({ problems: 2, mean: 0.5, seeds: [0.5, 0.5] });
  expect(share.interval).toEqual({ low: 0, high: 1 });
  expect(shareOfRows(rows, (one) => rightness(one, 2, 'single')).mean).toBe((0.5 + 0.25) / 2);
  expect(shareOfRows(rows, (one) => rightness(one, 2, 'pass')).mean).toBe((0.5 + 0.5) / 2);
  expect(shareOfRows(rows, (one) => rightness(one, 1, 'pass')).mean).toBe(0.25);
  expect(shareOfRows(rows, (one) => rightness(one, 2, 'mutual'))).toMatchObject({
    problems: 0,
    mean: null,
    interval: null,
  });
});

it('pairs differences, and says who is right where they differ', () => {
  expect(difference(rows, ['synthesis', 2], ['majority', 2]).mean).toBe((0.5 - 0.5) / 2);
  const { share, right, majorityRight } = disagreement(rows, 2);
  // They differ on a/2 and b/1; no answer on both sides is no difference.
  expect([share.mean, right.mean, majorityRight.mean]).toEqual([0.5, 0.5, 0.5]);
  expect(rescues(rows, 2)).toMatchObject({ share: { mean: 0.5 }, rescued: { problems: 2, mean: 0.5 } });
  expect(unanimous(rows, 2).map(({ id, seed }) => [id, seed])).toEqual([['a', 1]]);
});

it('joins rows of the same attempts, and of no others', () => {
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

it('says without the truth what can be said', () => {
  const blind = rows.map(({ truth: _, ...rest }) => rest);
  expect(shareOfRows(blind, (one) => rightness(one, 2, 'synthesis')).problems).toBe(0);
  expect(agreement(blind, 2, 'synthesis').mean).toBe(0.5);
});

describe('verdicts', () => {
  /** Of 40 problems a split: right at G = 1, at G = 8 blind, with the question, and by majority and the other choices. */
  const made = (right: { one: number; blind: number; shown: number; majority: number }) =>
    ['templates', 'params'].flatMap((split) =>
      Array.from({ length: 40 }, (_, i): InferenceRow => {
        const of = (share: number): [string, number, number, number] => [i < 40 * share ? '1' : '0', 8, 0, 0];
        const [synthesis, majority] = [of(right.blind), of(right.majority)];
        return {
          ...{ seed: 1, id: `${split} ${i}`, split, kind: 'plain', truth: '1' },
          ...{ answers: Array.from({ length: 8 }, (_, j) => (j % 2 ? '0' : '2')), tokens: [] },
          references: {
            '1': { synthesis: of(right.one), majority },
            '8': { synthesis, majority, min_perplexity: majority, synthesis_question: of(right.shown) },
          },
        };
      }),
    );
  const said = (right: Parameters<typeof made>[0]) =>
    verdictsOf(made(right)).map(({ question, verdict }) => `${question} ${verdict}`);

  it('follow the rules that were written before', () => {
    expect(said({ one: 0.7, blind: 0.9, shown: 0.9, majority: 0.5 })).toEqual([
      'C1 holds',
      'C3 holds',
      'C4 holds',
      'C5 holds',
    ]);
    expect(said({ one: 0.5, blind: 0.5, shown: 0.9, majority: 0.5 })).toEqual([
      'C1 fails',
      'C3 fails',
      'C4 fails',
      'C5 fails',
    ]);
    expect(said({ one: 0.7, blind: 0.65, shown: 0.6, majority: 0.5 })[1]).toBe('C3 open');
    // Fifteen points more, of 40 problems: above nothing for certain, below twenty points.
    expect(said({ one: 0.7, blind: 0.65, shown: 0.65, majority: 0.5 })[0]).toBe('C1 in part');
    expect(verdictsOf(made({ one: 1, blind: 1, shown: 1, majority: 1 }).slice(0, 40))).toEqual([]);
    // Of rows that were asked for it alone.
    const between = (mutual: number, chosen: number) => {
      const right = { one: mutual, blind: 0.5, shown: chosen, majority: 0.5 };
      const all = made(right).map((row) => {
        const { majority, min_perplexity: _, synthesis_question: self_bon } = row.references['8'];
        return { ...row, references: { '8': { majority, self_bon, mutual: row.references['1'].synthesis } } };
      });
      return verdictsOf(all).map(({ question, verdict }) => `${question} ${verdict}`);
    };
    expect([between(0.7, 0.9), between(0.7, 0.7), between(0.5, 0.9)].flat()).toEqual([
      ...['C12 holds', 'C12 in part', 'C12 fails'],
    ]);
  });
});
