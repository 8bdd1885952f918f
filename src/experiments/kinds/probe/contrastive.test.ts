// Tests both checks of the GRPO-contrastive basis on a small real engine: pairs of equal length give the mean-NLL basis, pairs of unequal
// length another one.
import { expect, it } from 'vitest';
import { Engine } from '../../../engine/decoder/engine.ts';
import { randomIds, randomWeights, SMALL } from '../../../engine/testing/models.ts';
import { createCpuDevice } from '../../../kernels/cpu/device.ts';
import { contrastiveBasis } from './contrastive.ts';
import { COINCIDE_BELOW, DIFFER_ABOVE } from './rules.ts';

const config = SMALL.qwen3;
const settings = { k: 3, tauAxis: 0, basisKind: 'svd', solveOrth: 0 } as const;
const pairs = (lengths: readonly (readonly [number, number])[]) =>
  lengths.map(([hack, clean], i) => ({
    prompt: randomIds(config, i, 4),
    hack: randomIds(config, 100 + i, hack),
    clean: randomIds(config, 200 + i, clean),
  }));

it('coincides with the mean-NLL basis on equal lengths, and not on unequal ones', async () => {
  const engine = await Engine.create({ device: await createCpuDevice(), config, weights: randomWeights(config, 1) });
  const unequal = pairs([4, 9, 5, 12, 6, 7].map((length, i) => [length, 16 - 2 * i] as const));
  const { check, grpo } = await contrastiveBasis(engine, unequal, settings);
  expect(check.equalLength.tokens).toBe(4);
  expect(check.equalLength.maxAngle as number).toBeLessThan(COINCIDE_BELOW);
  expect(check.asTheyAre.differing).toBeGreaterThan(0);
  expect(check.asTheyAre.meanAngle as number).toBeGreaterThan(DIFFER_ABOVE);
  expect(check.asTheyAre.modules).toHaveLength(engine.adapterLayout.modules.length);
  expect([...grpo.keys()]).toEqual(engine.adapterLayout.modules.map(({ name }) => name));

  const equal = await contrastiveBasis(engine, pairs(Array.from({ length: 6 }, () => [5, 5] as const)), settings);
  expect(equal.check.asTheyAre.differing).toBe(0);
  expect(equal.check.asTheyAre.meanAngle as number).toBeLessThan(COINCIDE_BELOW);
  engine.free();
});
