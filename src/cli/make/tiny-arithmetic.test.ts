// The word problems' embedded model as it is committed; the first round of its rates is measured again.
import { expect, it } from 'vitest';
import { DATA_SEED } from '../../environments/arithmetic/data.ts';
import { type ArithmeticRates, measureArithmetic, tokenizerFileTexts } from '../../environments/arithmetic/model.ts';
import { type InferenceRow, infer } from '../../experiments/cat/infer.ts';
import { correctness, shareOfRows } from '../../experiments/cat/summary.ts';
import { engineHandle } from '../cat/synthesise.ts';
import { environmentProblems } from '../cat/synthesise-problems.ts';
import { openCommitted } from '../testing/committed-model.node.ts';

it('has the rates that its manifest records, within what the environment needs', async () => {
  const { rates, bytes, policy, codec, isWhereRecorded } = await openCommitted<
    ArithmeticRates & { first: ArithmeticRates }
  >('tiny-arithmetic', tokenizerFileTexts());
  expect(bytes).toBeLessThan(2e6);
  const { solve, format, kinds, splits, first } = rates;
  expect(solve).toBeGreaterThanOrEqual(0.35);
  // The base must leave something to learn.
  expect(solve).toBeLessThanOrEqual(0.6);
  expect(format).toBeGreaterThanOrEqual(0.97);
  expect(splits.templates.solve).toBeGreaterThanOrEqual(0.25);
  // A majority is right where errors are slips, and wrong where they are one misconception.
  expect(kinds.plain.majority).toBeGreaterThan(kinds.plain.solve);
  for (const kind of ['fact', 'reading']) {
    expect(kinds[kind].majority).toBeLessThan(0.45);
    expect(kinds[kind].misconception).toBeGreaterThan(kinds[kind].solve);
  }

  const { all } = await measureArithmetic({ policy, codec, dataSeed: DATA_SEED }, 1);
  policy.free();
  expect(Math.abs(all.solve - first.solve)).toBeLessThan(0.05);
  if (isWhereRecorded) expect(all).toEqual(first);
}, 60_000);

it('makes more of several attempts than a vote does, without the question', async () => {
  const { policy, codec } = await openCommitted('tiny-arithmetic');
  const settings = { firstSeed: 1, seeds: 1, groups: [4], estimators: ['majority', 'synthesis'] as const, maxNew: 64 };
  const rows: InferenceRow[] = [];
  for await (const part of infer(engineHandle(policy, codec), environmentProblems(48), { ...settings, temperature: 1 }))
    rows.push(...part);
  policy.free();
  const share = (estimator: string) => shareOfRows(rows, (row) => correctness(row, 4, estimator)).mean!;
  // docs/lab-book/cat.md has the figures; 96 problems leave an interval of about ± .1.
  expect(share('synthesis')).toBeGreaterThan(share('majority') + 0.1);
}, 60_000);
