// The embedded model of the chain puzzles as it is committed; the first round of its rates is measured again.
import { expect, it } from 'vitest';
import { tokenizerFileTexts } from '../../environments/chain/model.ts';
import { DATA_SEED } from '../../environments/chain/task.ts';
import { type ChainRates, measureChain } from '../../experiments/environments/chain.ts';
import { openCommitted } from '../testing/committed-model.node.ts';

it('has the rates that its manifest records, with room for improvement', async () => {
  const { rates, bytes, policy, codec, isWhereRecorded } = await openCommitted<ChainRates & { first: ChainRates }>(
    'tiny-chain',
    tokenizerFileTexts(),
  );
  expect(bytes).toBeLessThan(2e6);
  const { quality, first } = rates;
  // A step of revision helps, and neither first answers nor last ones are what they could be.
  expect(quality[0]).toBeGreaterThan(0.4);
  expect(quality[1]! - quality[0]!).toBeGreaterThan(0.05);
  expect(quality[16]).toBeLessThan(0.9);

  const { all } = await measureChain({ policy, codec, dataSeed: DATA_SEED }, 1);
  policy.free();
  expect(Math.abs(all.quality[0]! - first.quality[0]!)).toBeLessThan(0.05);
  expect(Math.abs(all.quality[16]! - first.quality[16]!)).toBeLessThan(0.05);
  if (isWhereRecorded) expect(all).toEqual(first);
}, 60_000);
