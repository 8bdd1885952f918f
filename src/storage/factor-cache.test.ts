// Tests stored singular vectors: found by their weights, equal to computed ones, never used when damaged.

import { FormatError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { describe, expect, it } from 'vitest';
import { adapterLayout } from '../engine/adapter-layout.ts';
import { Engine } from '../engine/decoder/engine.ts';
import { randomIds, randomWeights, SMALL } from '../engine/testing/models.ts';
import type { Weights } from '../engine/types.ts';
import { createCpuDevice } from '../kernels/cpu/device.ts';
import {
  type BlobStore,
  type FactorWork,
  factorFileName,
  factorModel,
  keepFactors,
  readFactors,
  secondsLeft,
  writeFactors,
} from './factor-cache.ts';
import { bytesSource } from './safetensors.ts';

const config = SMALL.qwen3;
const weights = randomWeights(config, 3);
const names = adapterLayout(config).modules.map(({ name }) => name);

function memoryStore() {
  const kept = new Map<string, Uint8Array>();
  const store: BlobStore = {
    read: async (name) => (kept.has(name) ? bytesSource(kept.get(name)!) : null),
    write: async (name, bytes) => void kept.set(name, bytes),
  };
  return { kept, store };
}

describe('stored singular vectors', () => {
  it('are found for any path of the model, and give an engine with the same bytes', async () => {
    const device = await createCpuDevice();
    const { kept, store } = memoryStore();
    const shares: number[] = [];
    const first = await factorModel({ device, config, weights, store, onProgress: (share) => shares.push(share) });
    expect(first.computed).toEqual(names);
    expect(shares[0]).toBe(0);
    expect(shares.at(-1)).toBe(1);
    expect(shares).toEqual([...shares].sort((a, b) => a - b));
    expect([...kept.keys()].every((name) => /^[0-9a-f]{64}\.\d+x\d+\.cpu-f32\.safetensors$/.test(name))).toBe(true);

    const again = await factorModel({ device, config, weights: randomWeights(config, 3), store });
    expect([again.found, again.computed]).toEqual([names, []]);
    expect(again.factors).toEqual(first.factors);

    const sequences = [{ prompt: randomIds(config, 1, 5), completion: randomIds(config, 2, 6), segment: 0 }];
    const gradientOf = async (adapter: 'svd' | typeof again.factors) => {
      const engine = await Engine.create({ device, config, weights, adapter });
      engine.setAdapterParams(Float32Array.from({ length: engine.adapterLayout.total }, (_, i) => 0.1 * Math.sin(i)));
      const batch = await engine.score(sequences, 1);
      const gradient = await batch.backward([new Float32Array(6).fill(1)]);
      batch.free();
      engine.free();
      return [batch.logprobs, gradient];
    };
    expect(await gradientOf(again.factors)).toEqual(await gradientOf('svd'));
    expect(device.memory().allocated).toBe(0);
  });

  it('are recomputed only for a changed weight', async () => {
    const device = await createCpuDevice();
    const { store } = memoryStore();
    await factorModel({ device, config, weights, store });
    const changed = new Map(weights);
    const name = `${names[4]}.weight`;
    const { shape, data } = weights.get(name)!;
    changed.set(name, { shape, data: data.map((x, i) => (i === 7 ? x + 0.5 : x)) });
    expect((await factorModel({ device, config, weights: changed as Weights, store })).computed).toEqual([names[4]]);
  });

  it('are not used if they are damaged, or have another shape or algorithm', async () => {
    const device = await createCpuDevice();
    const { kept, store } = memoryStore();
    const { factors } = await factorModel({ device, config, weights, store });
    const files = [...kept.keys()];
    const whole = new Map(kept);
    kept.set(files[0], kept.get(files[0])!.slice(0, -4));
    kept.set(files[1], kept.get(files[2])!);
    kept.set(files[3], new TextEncoder().encode('not a file of this kind'));
    const repaired = await factorModel({ device, config, weights, store });
    expect(repaired.computed).toEqual([names[0], names[1], names[3]]);
    expect(repaired.factors).toEqual(factors);
    expect(kept).toEqual(whole);

    const one = { U: Float32Array.of(1), S: Float32Array.of(1), Vh: Float32Array.of(Number.NaN) };
    const matrix = { sha256: 'abc', dOut: 1, dIn: 1 };
    const nan = writeFactors(one, matrix);
    const reading = (bytes: Uint8Array, of = matrix) => readFactors(bytesSource(bytes), 'x', of);
    await expect(reading(nan)).rejects.toThrow(/x: Vh is not finite/);
    await expect(reading(nan, { ...matrix, dOut: 2 })).rejects.toThrow(/x: U is \[1,1\]/);
    await expect(reading(nan, { ...matrix, sha256: 'abd' })).rejects.toThrow(FormatError);
    const text = new TextDecoder('latin1').decode(nan).replace('jacobi-2', 'jacobi-0');
    const other = Uint8Array.from(text, (c) => c.charCodeAt(0));
    await expect(reading(other)).rejects.toThrow(/made by "jacobi-0"/);
  });

  it('stay when the work is stopped, which resumes from them', async () => {
    const device = await createCpuDevice();
    const { kept, store } = memoryStore();
    const stop = new AbortController();
    const work = factorModel({
      device,
      config,
      weights,
      store,
      signal: stop.signal,
      breathe: async () => {
        if (kept.size === 3) stop.abort();
      },
    });
    await expect(work).rejects.toThrow(StoppedError);
    expect(kept.size).toBe(3);
    expect(device.memory().allocated).toBe(0);
    const rest = await factorModel({ device, config, weights, store });
    expect([rest.found.length, rest.computed.length]).toEqual([3, names.length - 3]);
  });

  it('can stay in the store, to be read one Linear at a time', async () => {
    const device = await createCpuDevice();
    const { kept, store } = memoryStore();
    const { factors } = await factorModel({ device, config, weights, store });
    const [first] = kept.keys();
    kept.delete(first);
    const lazy = await keepFactors({ device, config, weights, store });
    expect([lazy.found.length, lazy.computed]).toEqual([names.length - 1, [names[0]]]);
    const { modules } = adapterLayout(config);
    for (const module of modules) expect(await lazy.reader.read(module)).toEqual(factors.get(module.name));
    // If a file is damaged later, its factors are recomputed when it is read.
    kept.set(first, kept.get(first)!.slice(0, -4));
    expect(await lazy.reader.read(modules[0])).toEqual(factors.get(names[0]));
    expect([...lazy.found, ...lazy.computed].sort()).toEqual([...names].sort());
    const engine = await Engine.create({ device, config, weights, adapter: lazy.reader });
    engine.free();
    expect(device.memory().allocated).toBe(0);
  });

  it('of one method are not used for another', async () => {
    const device = await createCpuDevice();
    const { kept, store } = memoryStore();
    const pairs = await factorModel({ device, config, weights, store });
    const blocks = await factorModel({ device, config, weights, store, method: 'blocks' });
    expect(blocks.computed).toEqual(names);
    expect(kept.size).toBe(2 * names.length);
    expect(blocks.factors).not.toEqual(pairs.factors);
    const [byPairs, byBlocks] = [[...kept.keys()][0], [...kept.keys()][names.length]];
    expect(byBlocks).toBe(byPairs.replace('.safetensors', '.blocks.safetensors'));
    kept.set(byBlocks, kept.get(byPairs)!);
    expect((await factorModel({ device, config, weights, store, method: 'blocks' })).computed).toEqual([names[0]]);
  });

  it('of one driver are not used for another on WebGPU; on the CPU the device’s name has no influence', () => {
    const matrix = { sha256: 'ab', dOut: 4, dIn: 2 };
    const pairs = (numerics: 'cpu' | 'webgpu') => factorFileName({ numerics, precision: 'f32', name: 'A' }, matrix);
    expect([pairs('cpu'), pairs('webgpu')]).toEqual([
      'ab.4x2.cpu-f32.safetensors',
      'ab.4x2.webgpu-f32.a.polished.safetensors',
    ]);
    const file = (numerics: 'cpu' | 'webgpu', name: string) =>
      factorFileName({ numerics, precision: 'f32', name }, matrix, 'blocks');
    expect(file('webgpu', 'NVIDIA H100 (Vulkan 550.54)')).toBe(
      'ab.4x2.webgpu-f32.nvidia-h100-vulkan-550-54-.blocks.safetensors',
    );
    expect(file('webgpu', 'NVIDIA H100 (Vulkan 551.02)')).not.toBe(file('webgpu', 'NVIDIA H100 (Vulkan 550.54)'));
    expect(file('cpu', 'CPU (WASM SIMD)')).toBe('ab.4x2.cpu-f32.blocks.safetensors');
  });

  it('count as work only if they are computed, also within a matrix', async () => {
    const device = await createCpuDevice();
    const { kept, store } = memoryStore();
    const seen: { share: number; module: string; done: number; left: number }[] = [];
    const onProgress = (share: number, module: string, { done, left }: FactorWork) =>
      void seen.push({ share, module, done, left });
    await factorModel({ device, config, weights, store, onProgress });
    expect(seen.filter(({ module }) => module === names[0]).length, 'one at its start, one a sweep').toBeGreaterThan(3);
    const whole = seen[0].left;
    for (const { share, done, left } of seen) {
      expect(share).toBeCloseTo(done / whole, 9);
      expect(done + left).toBeCloseTo(whole, 3);
    }
    kept.delete([...kept.keys()].at(-1)!);
    seen.length = 0;
    await factorModel({ device, config, weights, store, onProgress });
    const last = seen.filter(({ module }) => module === names.at(-1));
    expect([last[0].done, last[0].share > 0.8]).toEqual([0, true]);
    expect(seen.at(-1)).toEqual({ share: 1, module: 'done', done: last[0].left, left: 0 });
  });

  it('give the remaining time from the computed part', () => {
    expect(secondsLeft({ done: 0, left: 9 }, 4)).toBeNull();
    expect(secondsLeft({ done: 3, left: 9 }, 4)).toBe(12);
    expect(secondsLeft({ done: 3, left: 0 }, 4)).toBe(0);
  });
});
