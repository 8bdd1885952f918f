// The embedded models of one-line Python as they are committed; their three rates are measured again with the real grader.
import { expect, it } from 'vitest';
import { createNodeGrader } from '../../environments/code/grading/node-grader.node.ts';
import { DATA_SEED } from '../../environments/code/problem.ts';
import { tokenizerFileTexts } from '../../environments/code/tokenizer.ts';
import { CODE_MODELS, COMPOSED, codeDynamics, HYBRID, MISCONCEIVED } from '../../environments/code/types.ts';
import { type BaseRates, measureRounds } from '../../experiments/loop/base-rates.ts';
import { openCommitted } from '../testing/committed-model.node.ts';

it.each([
  { environment: codeDynamics.id, parameters: 853_376, from: 0.35, to: 0.45 },
  { environment: COMPOSED, parameters: 853_376, from: 0.2, to: 0.5 },
  { environment: MISCONCEIVED, parameters: 853_376, from: 0.2, to: 0.5 },
  { environment: HYBRID, parameters: 531_736, from: 0.3, to: 0.5 },
] as const)(
  'the model of $environment has the rates that its manifest records, within what the experiment needs',
  async (model) => {
    const { environment, parameters, from, to } = model;
    const { model: name, families, mistakes } = CODE_MODELS[environment];
    const texts = tokenizerFileTexts(DATA_SEED, families, mistakes);
    const { files, rates: recorded, policy, codec, isWhereRecorded } = await openCommitted<BaseRates>(name, texts);
    expect(files.parameters).toBe(parameters);

    const grader = await createNodeGrader();
    const rates = await measureRounds({ policy, codec, grader, families }, recorded.n / 320);
    await grader.close();
    policy.free();
    expect(rates.format).toBeGreaterThanOrEqual(0.98);
    expect(rates.solve).toBeGreaterThanOrEqual(from);
    expect(rates.solve).toBeLessThanOrEqual(to);
    expect(rates.hack).toBeLessThanOrEqual(0.04);
    if (isWhereRecorded) expect(rates).toEqual(recorded);
  },
  300_000,
);
