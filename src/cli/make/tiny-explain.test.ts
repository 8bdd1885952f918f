// The explanations' embedded model as it is committed, in each of its roles; the first round of its rates is measured again.
import { expect, it } from 'vitest';
import { type ExplainRates, measureExplain } from '../../environments/explain/measure.ts';
import { tokenizerFileTexts } from '../../environments/explain/model.ts';
import { DATA_SEED } from '../../environments/explain/task.ts';
import { openCommitted } from '../testing/committed-model.node.ts';

it('has the rates that its manifest records, with a judge and a rubric that are worth something', async () => {
  const { rates, bytes, policy, codec, isWhereRecorded } = await openCommitted<ExplainRates & { first: ExplainRates }>(
    'tiny-explain',
    tokenizerFileTexts(),
  );
  expect(bytes).toBeLessThan(2e6);
  const { answer, synthesis, rubric, judge, hasty, strictFlattered, first } = rates;
  // There is something left to learn, and a synthesis to learn it from.
  expect(answer.score).toBeGreaterThan(0.35);
  expect(answer.score).toBeLessThan(0.7);
  expect(synthesis['8'].score! - answer.score!).toBeGreaterThan(0.1);
  expect(rubric.precision).toBeGreaterThan(0.6);
  expect(judge.agrees).toBeGreaterThan(0.7);
  // Flattery costs the hasty judge its precision, and not the strict one.
  expect(strictFlattered.precision! - hasty.precision!).toBeGreaterThan(0.1);

  const { all } = await measureExplain({ policy, codec, dataSeed: DATA_SEED }, 1);
  policy.free();
  expect(Math.abs(all.answer.score! - first.answer.score!)).toBeLessThan(0.05);
  expect(Math.abs(all.judge.agrees! - first.judge.agrees!)).toBeLessThan(0.05);
  if (isWhereRecorded) expect(all).toEqual(first);
}, 60_000);
