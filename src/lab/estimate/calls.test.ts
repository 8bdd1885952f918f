import { expect, it } from 'vitest';
import { shapeNamed } from '../../engine/shapes.ts';
import type { WeightStorage } from '../../engine/storage-layouts.ts';
import { callsPerToken } from './calls.ts';

it('counts the calls of a decoding step, which are proportional to the layers', async () => {
  const config = shapeNamed('qwen3-0.6b');
  const [one, two] = [await callsPerToken({ ...config, layers: 1 }), await callsPerToken({ ...config, layers: 2 })];
  const all = await callsPerToken(config);
  expect(all).toBe(one + 27 * (two - one));
  // On a GPU 536 calls were measured for a token of Qwen3-0.6B (bench/gpu/h200.md), before kernels were combined.
  expect(all).toBe(28 * 7 + 4);
});

it('counts the same for every storage with its own kernels', async () => {
  const config = { ...shapeNamed('qwen3-0.6b'), layers: 1 };
  for (const [adapter, form, calls] of [
    ['lora', 'folded', 7 + 4],
    ['lora', 'unfolded', 17 + 4],
    ['svd', 'unfolded', 24 + 4],
  ] as const)
    for (const storage of ['f32', 'f16', 'q8t16', 'q8g32', 'q4g32'] as const)
      expect(await callsPerToken(config, adapter, form, storage), `${adapter} ${form} ${storage}`).toBe(calls);
  const unpacked: WeightStorage = 'q8';
  expect(await callsPerToken(config, 'lora', 'unfolded', unpacked)).toBeGreaterThan(17 + 4);
});

it('counts what an adapter beside the weights adds', async () => {
  const config = { ...shapeNamed('qwen3-0.6b'), layers: 1 };
  // Two for q, k and v together, two each for o and down; three for gate and up, including norm and activation. An SVD's scales are seven
  // more.
  expect(await callsPerToken(config, 'lora', 'unfolded')).toBe(17 + 4);
  expect(await callsPerToken(config, 'svd', 'unfolded')).toBe(24 + 4);
});
