// Tests a run's LoRA that continues an adapter: it starts as the model with the adapter folded in, and its additional rank can be trained;
// parts that do not fit into it are folded, and the reason is reported.
import { expect, it } from 'vitest';
import { Engine } from '../../engine/decoder/engine.ts';
import { randomIds, randomWeights, relativeError, SMALL } from '../../engine/testing/models.ts';
import { readerOf } from '../../engine/weights/reader.ts';
import { createCpuDevice } from '../../kernels/cpu/device.ts';
import { CounterRng, keyFor, STREAMS } from '../../rng/index.ts';
import type { ModelFiles } from '../model-files.ts';
import type { LoraUpdate, PeftAdapter } from './adapter.ts';
import { continuedFiles } from './continue.ts';
import { adaptedFiles } from './fold.ts';

const config = SMALL.qwen3;
const weights = randomWeights(config, 7, 1.5);
const files = { config, weights: readerOf(weights), sha256: 'a'.repeat(64), notes: [] } as unknown as ModelFiles;

/** An adapter of only some Linears, with two ranks and a scale. */
function adapterOn(names: readonly string[]): PeftAdapter {
  const rng = new CounterRng(keyFor(5, STREAMS.data));
  const draw = (count: number) => Float32Array.from({ length: count }, () => 0.2 * rng.normal());
  const updates = new Map(
    names.map((module, i): [string, LoraUpdate] => {
      const [dOut, dIn] = weights.get(`${module}.weight`)!.shape;
      const r = 1 + (i % 2);
      const held = { a: draw(r * dIn), b: draw(dOut * r) };
      return [module, { module, r, scale: 1.5, dOut, dIn, factors: async () => held }];
    }),
  );
  const facts = { folder: 'x', r: 2, modules: names.length, scale: 1.5, sha256: 'b'.repeat(64), base: null };
  return { facts, updates, aside: [], key: 'k' };
}
/** An untied head may be adapted, but a run's LoRA does not train it. */
const adapterOnHead = (): PeftAdapter => {
  const { updates, ...rest } = adapterOn(['model.layers.0.self_attn.q_proj']);
  const [update] = updates.values();
  return { ...rest, updates: new Map([['lm_head', { ...update, module: 'lm_head' }]]) };
};
const adapter = adapterOn(['model.layers.0.self_attn.q_proj', 'model.layers.1.mlp.down_proj']);

it('starts as the folded model, with a trainable rank on every Linear', async () => {
  const device = await createCpuDevice();
  const continued = await continuedFiles(files, adapter, { adapter: 'lora', loraRank: 3 });
  if (!('files' in continued)) throw new Error(continued.why);
  const { initial, sha256, baseSha256, weights: bare } = continued.files;
  const folded = await adaptedFiles(files, adapter);
  expect(new Set([sha256, baseSha256, folded.sha256]).size).toBe(3);
  const [run, plain] = [
    await Engine.create({ device, config, weights: bare, adapter: { adapter: 'lora', loraRank: 3, initial } }),
    await Engine.create({ device, config, weights: folded.weights, adapter: 'none' }),
  ];
  const ids = randomIds(config, 5, 17);
  const expected = await plain.logits(ids);
  expect(relativeError(await run.logits(ids), expected)).toBeLessThan(1e-5);
  expect(run.initialAdapterParams).toEqual(initial);
  // The bare base has other logits, so the agreement is meaningful; B has a gradient also where the adapter has no update.
  run.setAdapterParams(new Float32Array(initial.length));
  expect(relativeError(await run.logits(ids), expected)).toBeGreaterThan(1e-2);
  run.setAdapterParams(initial);
  const batch = [{ prompt: ids.slice(0, 5), completion: ids.slice(5), segment: 0 }];
  const scored = await run.score(batch, 1);
  const [gradient] = await scored.backward([Float32Array.from(ids.slice(5), () => 1)]);
  for (const { offset, r } of run.adapterLayout.modules)
    expect(gradient.subarray(offset, offset + r).some((x) => x !== 0)).toBe(true);
  scored.free();
  run.free();
  plain.free();
});

it.each<[string, PeftAdapter, 'lora' | 'svd', number, RegExp]>([
  ['a rank that the run has not', adapter, 'lora', 1, /rank 2 is more than the run’s 1/],
  ['another adapter', adapter, 'svd', 3, /trains svd and no LoRA/],
  ['a head', adapterOnHead(), 'lora', 3, /lm_head has no LoRA in a run/],
])('is folded for %s', async (_, given, kind, loraRank, why) => {
  expect(await continuedFiles(files, given, { adapter: kind, loraRank })).toEqual({ why: expect.stringMatching(why) });
});
