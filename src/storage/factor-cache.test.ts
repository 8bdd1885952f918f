// Kept singular vectors: found by their weights, the same bytes as computed, never taken when damaged.
import { describe, expect, it } from 'vitest';
import { knobLayout } from '../engine/config.ts';
import { Engine } from '../engine/engine.ts';
import { randomIds, randomWeights, SMALL } from '../engine/testing/models.ts';
import type { Weights } from '../engine/types.ts';
import { createCpuDevice } from '../kernels/cpu/device.ts';
import { FormatError, StoppedError } from '../lib/errors.ts';
import { type BlobStore, factorModel, readFactors, writeFactors } from './factor-cache.ts';
import { bytesSource } from './safetensors.ts';

const config = SMALL.qwen3;
const weights = randomWeights(config, 3);
const names = knobLayout(config).modules.map(({ name }) => name);

function memoryStore() {
  const kept = new Map<string, Uint8Array>();
  const store: BlobStore = {
    read: async (name) => (kept.has(name) ? bytesSource(kept.get(name)!) : null),
    write: async (name, bytes) => void kept.set(name, bytes),
  };
  return { kept, store };
}

describe('kept singular vectors', () => {
  it('are found again, wherever the model lies, and make the same engine byte for byte', async () => {
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
      engine.setKnobs(Float32Array.from({ length: engine.knobs.total }, (_, i) => 0.1 * Math.sin(i)));
      const batch = await engine.score(sequences, 1);
      const gradient = await batch.backward([new Float32Array(6).fill(1)]);
      batch.free();
      engine.free();
      return [batch.logprobs, gradient];
    };
    expect(await gradientOf(again.factors)).toEqual(await gradientOf('svd'));
    expect(device.memory().allocated).toBe(0);
  });

  it('are computed anew for a weight that changed, and for that alone', async () => {
    const device = await createCpuDevice();
    const { store } = memoryStore();
    await factorModel({ device, config, weights, store });
    const changed = new Map(weights);
    const name = `${names[4]}.weight`;
    const { shape, data } = weights.get(name)!;
    changed.set(name, { shape, data: data.map((x, i) => (i === 7 ? x + 0.5 : x)) });
    expect((await factorModel({ device, config, weights: changed as Weights, store })).computed).toEqual([names[4]]);
  });

  it('are not taken when they are damaged, of another shape or of another algorithm', async () => {
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

  it('stay when the work is stopped, and it goes on from them', async () => {
    const device = await createCpuDevice();
    const { kept, store } = memoryStore();
    const stop = new AbortController();
    const work = factorModel({
      ...{ device, config, weights, store, signal: stop.signal },
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
});
