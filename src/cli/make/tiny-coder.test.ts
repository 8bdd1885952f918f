// The embedded model as it is committed; its three rates are measured again with the real grader.
import { expect, it } from 'vitest';
import { createNodeGrader } from '../../environments/code/grading/node-grader.node.ts';
import { type BaseRates, measureRounds } from '../../experiments/loop/base-rates.ts';
import { openCommitted } from '../testing/committed-model.node.ts';

it('has the rates that its manifest records, within what the experiment needs', async () => {
  const { files, rates: recorded, policy, codec, isWhereRecorded } = await openCommitted<BaseRates>('tiny-coder');
  expect(files.parameters).toBe(853_376);

  const grader = await createNodeGrader();
  const rates = await measureRounds({ policy, codec, grader }, recorded.n / 320);
  await grader.close();
  policy.free();
  expect(rates.format).toBeGreaterThanOrEqual(0.98);
  expect(rates.solve).toBeGreaterThanOrEqual(0.35);
  expect(rates.solve).toBeLessThanOrEqual(0.45);
  expect(rates.hack).toBeLessThanOrEqual(0.04);
  if (isWhereRecorded) expect(rates).toEqual(recorded);
}, 300_000);
