// The embedded model of the agents as it is committed; the first round of its rates is measured again.
import { expect, it } from 'vitest';
import { tokenizerFileTexts } from '../../environments/agents/model.ts';
import { DATA_SEED } from '../../environments/agents/task.ts';
import type { DrawnRates } from '../../experiments/environments/pretraining.ts';
import { pretrainingOf } from '../../experiments/environments/registry.ts';
import { openCommitted } from '../testing/committed-model.node.ts';

it('has the rates that its manifest records, within what the environment needs', async () => {
  const { rates, bytes, policy, codec, isWhereRecorded } = await openCommitted<DrawnRates & { first: DrawnRates }>(
    'tiny-agent',
    tokenizerFileTexts(),
  );
  expect(bytes).toBeLessThan(2e6);
  const { figures, splits, first } = rates;
  expect(splits.words.figures.solve).toBeGreaterThanOrEqual(0.2);
  expect(splits.words.figures.solve).toBeLessThanOrEqual(0.5);
  // Who never tells the user fails whatever was done.
  expect(figures.ended).toBeGreaterThan(0.8);

  const openGrader = () => Promise.reject(new Error('no program is judged here'));
  const input = { policy, codec, dataSeed: DATA_SEED, rounds: 1, openGrader };
  const again = (await (await pretrainingOf('agents')).measure(input)).rates as DrawnRates & { first: DrawnRates };
  const all = again.first;
  policy.free();
  expect(Math.abs(all.figures.solve! - first.figures.solve!)).toBeLessThan(0.05);
  if (isWhereRecorded) expect(all).toEqual(first);
}, 60_000);
