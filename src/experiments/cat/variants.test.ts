// What variants of CaT's training say of C9–C11, against figures computed by hand.
import { expect, it } from 'vitest';
import { type VariantRun, variantOf, variantVerdicts } from './variants.ts';

const run = (seed: number, solve: number, spec: object = {}): VariantRun =>
  ({
    spec: { arm: 'cat', reference: 'synthesis', seed, groupSize: 8, klBeta: 0, ...spec },
    rows: [],
    evals: [{ kind: 'final', model: 'total', all: { n: 4, figures: { solve } }, splits: {} }],
  }) as unknown as VariantRun;
const each = (solves: readonly number[], spec: object = {}) => solves.map((solve, i) => run(i + 1, solve, spec));
const verdicts = (runs: readonly VariantRun[]) =>
  variantVerdicts(runs).map(({ question, verdict, figures }) => [
    question,
    verdict,
    figures.map(({ name, values }) => [name, values.map((x) => x.toFixed(2)).join(' ')]),
  ]);

it('tells variants apart, and is silent without the plain runs', () => {
  expect([run(1, 0), run(1, 0, { groupSize: 2 }), run(1, 0, { klBeta: 0.1 })].map(variantOf)).toEqual([
    ...['G 8', 'G 2', 'KL 0.1'],
  ]);
  expect(variantOf(run(1, 0, { arm: 'cat_sft', objective: 'nll' }))).toBe('finetuned');
  expect(variantOf(run(1, 0, { arm: 'ttrl', reference: 'majority' }))).toBeNull();
  expect(variantVerdicts(each([0.5, 0.6], { groupSize: 2 }))).toEqual([]);
});

it('pairs by seed and judges by the interval', () => {
  const plain = each([0.7, 0.71]);
  const sizes = [...plain, ...each([0.6, 0.6], { groupSize: 2 }), ...each([0.65, 0.65], { groupSize: 4 })];
  expect(verdicts([...sizes, run(2, 0.7, { groupSize: 16 })])).toEqual([
    [
      'C9',
      'holds',
      [
        ['solve, G 8 − G 2', '0.10 0.11'],
        ['solve, G 4 − G 2', '0.05 0.05'],
        ['solve, G 8 − G 4', '0.05 0.06'],
        ['solve, G 16 − G 8', '-0.01'],
      ],
    ],
  ]);
  expect(verdicts([...plain, ...each([0.9, 0.9], { groupSize: 2 })])[0].slice(0, 2)).toEqual(['C9', 'fails']);
  // The strongest pull is the one that is judged.
  const pulled = [...each([0.7, 0.7], { klBeta: 0.01 }), ...each([0.6, 0.6], { klBeta: 0.1 })];
  expect(verdicts([...plain, ...pulled])).toEqual([
    [
      'C10',
      'holds',
      [
        ['solve, KL 0.1 − G 8', '-0.10 -0.11'],
        ['solve, KL 0.01 − G 8', '0.00 -0.01'],
      ],
    ],
  ]);
  const tuned = (solves: readonly number[]) => verdicts([...plain, ...each(solves, { arm: 'cat_sft' })])[0].slice(0, 2);
  expect([tuned([0.6, 0.61]), tuned([0.8, 0.81]), tuned([0.6, 0.9])]).toEqual([
    ...[
      ['C11', 'holds'],
      ['C11', 'fails'],
      ['C11', 'open'],
    ],
  ]);
});
