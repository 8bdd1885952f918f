// The embedded model of the questions with tools as it is committed; the first round of its rates is measured again.
import { expect, it } from 'vitest';
import { DATA_SEED } from '../../environments/lookup/data.ts';
import { tokenizerFileTexts } from '../../environments/lookup/model.ts';
import type { DrawnRates } from '../../experiments/environments/pretraining.ts';
import { pretrainingOf } from '../../experiments/environments/registry.ts';
import { openCommitted } from '../testing/committed-model.node.ts';

it('has the rates that its manifest records, within what the environment needs', async () => {
  const { rates, bytes, policy, codec, isWhereRecorded } = await openCommitted<DrawnRates & { first: DrawnRates }>(
    'tiny-lookup',
    tokenizerFileTexts(),
  );
  expect(bytes).toBeLessThan(2e6);
  const { figures, splits, first } = rates;
  expect(figures.solve).toBeGreaterThanOrEqual(0.35);
  expect(figures.solve).toBeLessThanOrEqual(0.5);
  expect(figures.format).toBeGreaterThanOrEqual(0.9);
  for (const split of ['shapes', 'params']) expect(splits[split].figures.solve).toBeGreaterThanOrEqual(0.2);
  // Whoever never asks has one turn.
  expect(figures.turns).toBeGreaterThan(1.5);

  const openGrader = () => Promise.reject(new Error('no program is judged here'));
  const input = { policy, codec, dataSeed: DATA_SEED, rounds: 1, openGrader };
  const again = (await (await pretrainingOf('lookup')).measure(input)).rates as DrawnRates & { first: DrawnRates };
  const all = again.first;
  policy.free();
  expect(Math.abs(all.figures.solve! - first.figures.solve!)).toBeLessThan(0.05);
  if (isWhereRecorded) expect(all).toEqual(first);
}, 60_000);
