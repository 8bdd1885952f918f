// Tests that the random model of testing/random-model.node.ts is reproducible, readable, and has a trained model's proportions.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Engine } from '../engine/decoder/engine.ts';
import { SMALL } from '../engine/testing/models.ts';
import { QWEN3_06B } from '../engine/testing/qwen3.ts';
import { createCpuDevice } from '../kernels/cpu/device.ts';
import { loadModelFiles } from './model-files.ts';
import { diskSource } from './sources.node.ts';
import { writeRandomModel } from './testing/random-model.node.ts';

let root = '';
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'random-model-'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

it('is the same for the same seed, and differs for another', async () => {
  const bytesOf = async (name: string, seed: number) => {
    await writeRandomModel(join(root, name), SMALL.qwen2, { seed });
    return readFileSync(join(root, name, 'model.safetensors'));
  };
  const [one, again, other] = [await bytesOf('a', 1), await bytesOf('b', 1), await bytesOf('c', 2)];
  expect(again.equals(one)).toBe(true);
  expect(other.equals(one)).toBe(false);
});

it('loads with its original config, and has logits of a trained model’s size', async () => {
  const config = {
    ...QWEN3_06B,
    hiddenSize: 96,
    layers: 3,
    heads: 4,
    kvHeads: 2,
    headDim: 24,
    ffn: 200,
    vocab: 5000,
    maxPositions: 64,
  };
  const folder = join(root, 'narrow');
  const seen: number[] = [];
  await writeRandomModel(folder, config, { onProgress: (done, total) => void seen.push(done / total) });
  expect(seen.at(-1)).toBe(1);
  const model = await loadModelFiles(diskSource(folder));
  expect(model.config).toEqual(config);
  const { data } = await model.weights.read('model.layers.1.mlp.down_proj.weight');
  const meanSquare = data.reduce((sum, x) => sum + x * x, 0) / data.length;
  expect(Math.sqrt(meanSquare * 200)).toBeCloseTo(1, 1);
  const engine = await Engine.create({
    device: await createCpuDevice(),
    config,
    weights: model.weights,
    adapter: 'none',
  });
  const logits = await engine.logits([1, 7, 4999, 30]);
  expect(logits.every(Number.isFinite)).toBe(true);
  const sd = Math.sqrt(logits.reduce((sum, x) => sum + x * x, 0) / logits.length);
  // The expected value is 0.05 · √96 for a normalised hidden state.
  expect(sd).toBeGreaterThan(0.3);
  expect(sd).toBeLessThan(0.8);
});

it('of a Qwen3.5 has the published form, and is read back unchanged', async () => {
  const folder = join(root, 'hybrid');
  await writeRandomModel(folder, SMALL.qwen35);
  const model = await loadModelFiles(diskSource(folder));
  expect(model.config).toEqual(SMALL.qwen35);
  expect(model.nameInFiles('model.norm.weight')).toBe('model.language_model.norm.weight');
  expect((await model.weights.read('model.layers.0.linear_attn.norm.weight')).data.every((x) => x > 0)).toBe(true);
  const engine = await Engine.create({
    device: await createCpuDevice(),
    config: model.config,
    weights: model.weights,
    adapter: 'none',
  });
  expect((await engine.logits([1, 7, 30])).every(Number.isFinite)).toBe(true);
  engine.free();
});
