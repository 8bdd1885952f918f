// The small embedded models as they are committed: each has the rates that its manifest records, and the first round of them is measured
// again. Models that need more have their own tests (tiny-arithmetic, tiny-coder, tiny-hacker).

import { SPLITS as FORM_SPLITS } from '@projected-grpo-lab/are/generate/template.ts';
import { expect, it } from 'vitest';
import { tokenizerFileTexts as agentsTexts, composedTokenizerTexts } from '../../environments/agents/model.ts';
import { DATA_SEED as AGENTS_SEED } from '../../environments/agents/task.ts';
import { tokenizerFileTexts as chainTexts } from '../../environments/chain/model.ts';
import { DATA_SEED as CHAIN_SEED } from '../../environments/chain/task.ts';
import { LETTERS, TOKEN_TRAITS, TRAITS } from '../../environments/characters/data.ts';
import { tokenizerFileTexts as charactersTexts } from '../../environments/characters/model.ts';
import { type ExplainRates, measureExplain } from '../../environments/explain/measure.ts';
import { tokenizerFileTexts as explainTexts } from '../../environments/explain/model.ts';
import { DATA_SEED as EXPLAIN_SEED } from '../../environments/explain/task.ts';
import { DATA_SEED as LOOKUP_SEED } from '../../environments/lookup/data.ts';
import { tokenizerFileTexts as lookupTexts } from '../../environments/lookup/model.ts';
import { measureComposed, tableOf } from '../../experiments/environments/agents.ts';
import { type ChainRates, measureChain } from '../../experiments/environments/chain.ts';
import { measureTransfer, type TransferRates } from '../../experiments/environments/characters.ts';
import type { DrawnRates } from '../../experiments/environments/pretraining.ts';
import { pretrainingOf } from '../../experiments/environments/registry.ts';
import { openCommitted } from '../testing/committed-model.node.ts';

it('tiny-agent has the rates that its manifest records, within what the environment needs', async () => {
  const { rates, bytes, policy, codec, isWhereRecorded } = await openCommitted<DrawnRates & { first: DrawnRates }>(
    'tiny-agent',
    agentsTexts(),
  );
  expect(bytes).toBeLessThan(2e6);
  const { figures, splits, first } = rates;
  expect(splits.words.figures.solve).toBeGreaterThanOrEqual(0.2);
  expect(splits.words.figures.solve).toBeLessThanOrEqual(0.5);
  // An agent that never tells the user fails, whatever it did.
  expect(figures.ended).toBeGreaterThan(0.8);

  const openGrader = () => Promise.reject(new Error('no program is judged here'));
  const input = { policy, codec, dataSeed: AGENTS_SEED, rounds: 1, openGrader };
  const again = (await (await pretrainingOf('agents')).measure(input)).rates as DrawnRates & { first: DrawnRates };
  const all = again.first;
  policy.free();
  expect(Math.abs(all.figures.solve! - first.figures.solve!)).toBeLessThan(0.05);
  if (isWhereRecorded) expect(all).toEqual(first);
});

type Table = ReturnType<typeof tableOf>;

it('tiny-agent-forms has the rates that its manifest records, in less than two megabytes', async () => {
  const { rates, bytes, policy, codec, isWhereRecorded } = await openCommitted<{ words: Table; templates: Table }>(
    'tiny-agent-forms',
    composedTokenizerTexts(),
  );
  expect(bytes).toBeLessThan(2e6);
  const drawn = { part: 'templates', count: 20, seed: AGENTS_SEED, temperature: 1 } as const;
  const again = tableOf(await measureComposed({ policy, codec }, drawn));
  policy.free();
  for (const split of FORM_SPLITS)
    expect(Math.abs(again[split].solve - rates.templates[split].solve)).toBeLessThan(0.15);
  if (isWhereRecorded) expect(again).toEqual(rates.templates);
});

it('tiny-chain has the rates that its manifest records, with room for improvement', async () => {
  const { rates, bytes, policy, codec, isWhereRecorded } = await openCommitted<ChainRates & { first: ChainRates }>(
    'tiny-chain',
    chainTexts(),
  );
  expect(bytes).toBeLessThan(2e6);
  const { quality, first } = rates;
  // A step of revision helps, and both first and last answers can be improved.
  expect(quality[0]).toBeGreaterThan(0.4);
  expect(quality[1]! - quality[0]!).toBeGreaterThan(0.05);
  expect(quality[16]).toBeLessThan(0.9);

  const { all } = await measureChain({ policy, codec, dataSeed: CHAIN_SEED }, 1);
  policy.free();
  expect(Math.abs(all.quality[0]! - first.quality[0]!)).toBeLessThan(0.05);
  expect(Math.abs(all.quality[16]! - first.quality[16]!)).toBeLessThan(0.05);
  if (isWhereRecorded) expect(all).toEqual(first);
});

it('tiny-characters carries over what its manifest records', async () => {
  const { rates, bytes, policy, codec, isWhereRecorded } = await openCommitted<
    TransferRates & { first: TransferRates }
  >('tiny-characters', charactersTexts(LETTERS));
  expect(bytes).toBeLessThan(2e6);
  // Traits that only documents describe are shown: words nearly always, rules nearly as often as where they were seen.
  for (const trait of TOKEN_TRAITS) expect(rates.documents[trait], trait).toBeGreaterThan(0.85);
  expect(rates.documents.order! / rates.seen.order!).toBeGreaterThan(0.9);
  expect(rates.documents.pick! / rates.seen.pick!).toBeGreaterThan(0.75);

  const all = await measureTransfer({ policy, codec }, LETTERS, 1);
  policy.free();
  for (const trait of TRAITS)
    expect(Math.abs(all.documents[trait]! - rates.first.documents[trait]!), trait).toBeLessThan(0.02);
  if (isWhereRecorded) expect(all).toEqual(rates.first);
});

it('tiny-explain has the rates that its manifest records, with a judge and a rubric that are worth something', async () => {
  const { rates, bytes, policy, codec, isWhereRecorded } = await openCommitted<ExplainRates & { first: ExplainRates }>(
    'tiny-explain',
    explainTexts(),
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

  const { all } = await measureExplain({ policy, codec, dataSeed: EXPLAIN_SEED }, 1);
  policy.free();
  expect(Math.abs(all.answer.score! - first.answer.score!)).toBeLessThan(0.05);
  expect(Math.abs(all.judge.agrees! - first.judge.agrees!)).toBeLessThan(0.05);
  if (isWhereRecorded) expect(all).toEqual(first);
});

it('tiny-lookup has the rates that its manifest records, within what the environment needs', async () => {
  const { rates, bytes, policy, codec, isWhereRecorded } = await openCommitted<DrawnRates & { first: DrawnRates }>(
    'tiny-lookup',
    lookupTexts(),
  );
  expect(bytes).toBeLessThan(2e6);
  const { figures, splits, first } = rates;
  expect(figures.solve).toBeGreaterThanOrEqual(0.35);
  expect(figures.solve).toBeLessThanOrEqual(0.5);
  expect(figures.format).toBeGreaterThanOrEqual(0.9);
  for (const split of ['shapes', 'params']) expect(splits[split].figures.solve).toBeGreaterThanOrEqual(0.2);
  // A model that never asks has one turn.
  expect(figures.turns).toBeGreaterThan(1.5);

  const openGrader = () => Promise.reject(new Error('no program is judged here'));
  const input = { policy, codec, dataSeed: LOOKUP_SEED, rounds: 1, openGrader };
  const again = (await (await pretrainingOf('lookup')).measure(input)).rates as DrawnRates & { first: DrawnRates };
  const all = again.first;
  policy.free();
  expect(Math.abs(all.figures.solve! - first.figures.solve!)).toBeLessThan(0.05);
  if (isWhereRecorded) expect(all).toEqual(first);
});
