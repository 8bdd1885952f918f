// Tests Qwen's vocabulary from a folder on disk to a GRPO step: a narrow Qwen3 of 151,936 words on both devices, a narrow Qwen3.5 of 248,320 in
// its published wrapper, and two layers of Qwen3-0.6B's full width on the CPU. The memory plan holds, rollouts and training agree, and no buffer
// ever holds a batch's logits. `npm run bench -- qwen` measures it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Engine } from '../../../engine/decoder/engine.ts';
import { memoryNeed } from '../../../engine/memory/memory.ts';
import { LOGITS_BUDGET } from '../../../engine/passes/batch.ts';
import { openDevices, type TestDevices } from '../../../engine/testing/devices.ts';
import { QWEN3_06B, QWEN35_08B, withLayers } from '../../../engine/testing/qwen3.ts';
import { standIns } from '../../../engine/testing/stand-ins.ts';
import type { ModelConfig, WeightReader } from '../../../engine/types.ts';
import { createCpuDevice } from '../../../kernels/cpu/device.ts';
import type { Device } from '../../../kernels/device.ts';
import { loadModelFiles } from '../../../storage/model-files.ts';
import { diskSource } from '../../../storage/sources.node.ts';
import { writeRandomModel } from '../../../storage/testing/random-model.node.ts';
import { grpoStep } from '../../testing/grpo-step.ts';

const NARROW: ModelConfig = {
  ...QWEN3_06B,
  hiddenSize: 32,
  layers: 1,
  heads: 2,
  kvHeads: 1,
  headDim: 16,
  ffn: 48,
  maxPositions: 256,
};
/** Four layers are one period of its mixers: three linear layers, then full attention. */
const NARROW_HYBRID: ModelConfig = {
  ...withLayers(QWEN35_08B, 4),
  hiddenSize: 32,
  heads: 2,
  kvHeads: 1,
  headDim: 16,
  rotaryDim: 4,
  ffn: 48,
  delta: { keyHeads: 2, valueHeads: 2, keyDim: 16, valueDim: 16, convWidth: 4 },
  maxPositions: 256,
};
const PROMPT = Array.from({ length: 12 }, (_, i) => (i * 12_347) % NARROW.vocab);
/** Smaller than the table in f16 (9.7 MB), so that the table is split. */
const TIGHT = 2 ** 23;

let devices: TestDevices;
let root = '';
const folderOf = ({ architecture }: ModelConfig) => join(root, architecture);
beforeAll(async () => {
  devices = await openDevices(TIGHT);
  root = mkdtempSync(join(tmpdir(), 'narrow-qwen-'));
  for (const shape of [NARROW, NARROW_HYBRID]) await writeRandomModel(folderOf(shape), shape);
});
afterAll(() => {
  devices.destroy();
  rmSync(root, { recursive: true, force: true });
});

/** Measures the most elements read at once, the largest buffer besides the table's own, and the peak of all buffers together. */
function measurePeaks(device: Device, weights: WeightReader) {
  const before = device.memory().allocated;
  const seen = { read: 0, buffer: 0, peak: 0 };
  const reader: WeightReader = {
    shapes: weights.shapes,
    read: async (name) => {
      const tensor = await weights.read(name);
      seen.read = Math.max(seen.read, tensor.data.length);
      return tensor;
    },
  };
  const watched = new Proxy(device, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (key !== 'alloc') return typeof value === 'function' ? value.bind(target) : value;
      return (...args: Parameters<Device['alloc']>) => {
        if (!args[2].startsWith('model.embed_tokens')) seen.buffer = Math.max(seen.buffer, args[0]);
        const buffer = target.alloc(...args);
        seen.peak = Math.max(seen.peak, target.memory().allocated - before);
        return buffer;
      };
    },
  });
  return { device: watched, reader, seen };
}

describe.each([
  { kind: 'cpu', shape: NARROW, storages: ['f32', 'f16', 'q8'] },
  { kind: 'webgpu', shape: NARROW, storages: ['f16'] },
  { kind: 'cpu', shape: NARROW_HYBRID, storages: ['f16'] },
] as const)('a vocabulary of $shape.vocab ($shape.architecture) on $kind', ({ kind, shape, storages }) => {
  // SwiftShader multiplies at a tenth of the CPU's speed.
  const [group, maxNew] = kind === 'cpu' ? [8, 24] : [4, 3];
  for (const storage of storages) {
    it(`loads, writes and takes a GRPO step within its plan, in ${storage}`, async ({ skip }) => {
      // Memory that the CPU device packs beside its buffers counts only in its own peak; WebGPU's device is shared with other tests.
      const base = kind === 'cpu' ? await createCpuDevice() : devices.of(kind, true);
      if (!base) return skip(`no WebGPU adapter here: ${devices.why}`);
      const before = base.memory().allocated;
      const { config, weights, parameters } = await loadModelFiles(diskSource(folderOf(shape)));
      expect(config).toEqual(shape);
      const { device, reader, seen } = measurePeaks(base, weights);
      const engine = await Engine.create({ device, config, weights: reader, adapter: 'svd', storage });
      // Tensors are read one by one, so never more at once than the table, which is most of this model.
      expect(seen.read).toBe(config.vocab * config.hiddenSize);
      expect(seen.read).toBeLessThan(parameters);

      const step = await grpoStep(engine, { prompt: PROMPT, group, maxNew, lr: 0.02 });
      expect(step.tokens).toBe(group * maxNew);
      expect(step.gap).toBeLessThan(1e-3);
      expect(step.gradNorm).toBeGreaterThan(0);
      expect(step.objective.after).toBeGreaterThan(step.objective.before);

      // A chunk of logits is at most the budget; all rows together would exceed it.
      expect(seen.buffer).toBeLessThanOrEqual(LOGITS_BUDGET);
      if (kind === 'cpu') expect(step.tokens * config.vocab).toBeGreaterThan(LOGITS_BUDGET);
      const size = { prompts: 1, sequences: group, promptTokens: PROMPT.length };
      const need = memoryNeed(config, {
        rollouts: [{ ...size, maxNew }],
        scores: [{ ...size, completionTokens: maxNew, segments: 1 }],
        kind,
        storage,
        maxBindingBytes: base.limits.maxBindingBytes,
      });
      const peak = kind === 'cpu' ? base.memory().peak : seen.peak;
      expect(peak).toBeLessThanOrEqual(need.total);
      expect(need.total / peak).toBeLessThan(1.15);
      expect(need.largest).toBeLessThanOrEqual(base.limits.maxBindingBytes);
      engine.free();
      expect(base.memory().allocated).toBe(before);
      if (kind === 'cpu') base.destroy();
    });
  }
});

it('two layers of Qwen3-0.6B load, write and take a GRPO step on the CPU within their plan', async () => {
  const config: ModelConfig = { ...QWEN3_06B, layers: 2 };
  const wide = mkdtempSync(join(tmpdir(), 'wide-qwen-'));
  try {
    await writeRandomModel(wide, config, { repeats: true });
    const base = await createCpuDevice();
    const { device, reader, seen } = measurePeaks(base, (await loadModelFiles(diskSource(wide))).weights);
    const engine = await Engine.create({ device, config, weights: reader, adapter: standIns, storage: 'f16' });
    // Slightly more rows than a chunk of logits; many at once, so that the table is read seldom.
    const [group, maxNew] = [16, 7];
    expect(group * maxNew * config.vocab).toBeGreaterThan(LOGITS_BUDGET);
    const step = await grpoStep(engine, { prompt: PROMPT, group, maxNew, lr: 1e-3 });
    expect(step.tokens).toBe(group * maxNew);
    expect(step.gap).toBeLessThan(1e-3);
    expect(step.objective.after).toBeGreaterThan(step.objective.before);
    expect(seen.buffer).toBeLessThanOrEqual(LOGITS_BUDGET);
    const size = { prompts: 1, sequences: group, promptTokens: PROMPT.length };
    const need = memoryNeed(config, {
      rollouts: [{ ...size, maxNew }],
      scores: [{ ...size, completionTokens: maxNew, segments: 1 }],
      kind: 'cpu',
      storage: 'f16',
    });
    expect(base.memory().peak).toBeLessThanOrEqual(need.total);
    expect(need.total).toBeLessThan(0.9e9);
    engine.free();
    base.destroy();
  } finally {
    rmSync(wide, { recursive: true, force: true });
  }
}, 900_000);
