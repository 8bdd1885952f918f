// The embedded model of the characters as it is committed; the first round of its transfer is measured again.
import { expect, it } from 'vitest';
import { LETTERS, TOKEN_TRAITS, TRAITS } from '../../environments/characters/data.ts';
import { tokenizerFileTexts } from '../../environments/characters/model.ts';
import { measureTransfer, type TransferRates } from '../../experiments/environments/characters.ts';
import { openCommitted } from '../testing/committed-model.node.ts';

it('carries over what its manifest records', async () => {
  const { rates, bytes, policy, codec, isWhereRecorded } = await openCommitted<
    TransferRates & { first: TransferRates }
  >('tiny-characters', tokenizerFileTexts(LETTERS));
  expect(bytes).toBeLessThan(2e6);
  // What documents alone say is done: words nearly always, rules as often as by those that were seen, or nearly.
  for (const trait of TOKEN_TRAITS) expect(rates.documents[trait], trait).toBeGreaterThan(0.85);
  expect(rates.documents.order! / rates.seen.order!).toBeGreaterThan(0.9);
  expect(rates.documents.pick! / rates.seen.pick!).toBeGreaterThan(0.75);

  const all = await measureTransfer({ policy, codec }, LETTERS, 1);
  policy.free();
  for (const trait of TRAITS)
    expect(Math.abs(all.documents[trait]! - rates.first.documents[trait]!), trait).toBeLessThan(0.02);
  if (isWhereRecorded) expect(all).toEqual(rates.first);
}, 60_000);
