// Tests packed weights and split vocabulary tables on both devices. A packed model must compute bit for bit what an f32 model of the
// rounded weights computes, and a split table what a whole one does. The rounding error of the logits is bounded.

import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCpuDevice } from '../../kernels/cpu/device.ts';
import { svd } from '../../kernels/svd.ts';
import { floatToHalf, halfToFloat } from '../../lib/half.ts';
import { keyFor, STREAMS } from '../../rng/index.ts';
import { adapterLayout } from '../adapter-layout.ts';
import type { FactorReader, Factors } from '../adapters/svd.ts';
import { Engine, type EngineOptions } from '../decoder/engine.ts';
import { STORAGES } from '../storage-layouts.ts';
import { KINDS, openDevices, type TestDevices } from '../testing/devices.ts';
import { randomIds, randomWeights, relativeError, SMALL } from '../testing/models.ts';
import type { ModelConfig, Sequence, WeightReader, WeightStorage, Weights } from '../types.ts';
import { isVocab } from '../weight-names.ts';
import { SLICE } from './filling.ts';
import { packQ4g32, packQ8, packQ8g32 } from './pack-matrix.ts';
import { factorStorage } from './packed.ts';
import { vocabLayout } from './vocab-table.ts';

/** A model whose vocabulary exceeds a part and a chunk of the table, and whose widths leave packed words partly filled. */
const TIED: ModelConfig = { ...SMALL.qwen3, vocab: 403, hiddenSize: 21 };
const UNTIED: ModelConfig = { ...SMALL.llama, vocab: 350 };
/** Binding limit (bytes) that splits the table into parts, packed parts into chunks, and logits into several chunks. */
const TIGHT = 16_000;

let devices: TestDevices;
beforeAll(async () => {
  devices = await openDevices(TIGHT);
});
afterAll(() => devices.destroy());

/** The matrix after it has been stored and read again. */
function rounded(data: Float32Array, storage: WeightStorage): Float32Array {
  if (storage === 'f32') return data;
  if (storage === 'f16') return halfToFloat(floatToHalf(data));
  if (storage === 'q8') {
    const { words, scales } = packQ8(data);
    const bytes = new Int8Array(words.buffer);
    return data.map((_, i) => scales[Math.floor(i / 64)] * bytes[i]);
  }
  const { words, scales } = storage === 'q4g32' ? packQ4g32(data, 'data') : packQ8g32(data, 'data');
  const bytes = storage === 'q4g32' ? nibbles(words) : new Int8Array(words.buffer);
  const halves = halfToFloat(new Uint16Array(scales.buffer));
  return data.map((_, i) => halves[Math.floor(i / 32)] * bytes[i]);
}
/** The low four bits of a byte come first; 8 to 15 stand for −8 to −1. */
function nibbles(words: Uint32Array): number[] {
  const signed = (four: number) => (four < 8 ? four : four - 16);
  return [...new Uint8Array(words.buffer)].flatMap((byte) => [signed(byte % 16), signed(byte >> 4)]);
}
function roundedWeights(weights: Weights, storage: WeightStorage): Weights {
  return new Map(
    [...weights].map(([name, { shape, data }]) => [
      name,
      { shape, data: shape.length < 2 ? data : rounded(data, storage === 'q8t16' && isVocab(name) ? 'f16' : storage) },
    ]),
  );
}
async function factorsOf(config: ModelConfig, weights: Weights): Promise<Map<string, Factors>> {
  const cpu = await createCpuDevice();
  const factors = new Map<string, Factors>();
  for (const { name, dOut, dIn } of adapterLayout(config).modules)
    factors.set(name, await svd(cpu, weights.get(`${name}.weight`)!.data, dOut, dIn));
  return factors;
}
function roundedFactors(factors: ReadonlyMap<string, Factors>, storage: WeightStorage): Map<string, Factors> {
  const as = factorStorage(storage);
  return new Map(
    [...factors].map(([name, { U, S, Vh }]) => [
      name,
      { U: rounded(Float32Array.from(U), as), S, Vh: rounded(Float32Array.from(Vh), as) },
    ]),
  );
}

const sequencesOf = (config: ModelConfig): Sequence[] => [
  { prompt: randomIds(config, 1, 6), completion: randomIds(config, 2, 9), segment: 0 },
  { prompt: randomIds(config, 1, 6), completion: randomIds(config, 3, 13), segment: 1 },
  { prompt: randomIds(config, 4, 3), completion: randomIds(config, 5, 7), segment: 1 },
];

/** Computes logits, rollouts, scores and gradients, with non-zero adapter parameters if there is an adapter. */
async function everything(options: EngineOptions) {
  const { device, config } = options;
  const before = device.memory().allocated;
  const engine = await Engine.create(options);
  const isBare = options.adapter === 'none';
  if (!isBare) engine.setAdapterParams(engine.initialAdapterParams.map((x, i) => x + 0.1 * Math.sin(i)));
  const prompts = [randomIds(config, 8, 5), randomIds(config, 9, 11)];
  const sequences = [0, 1, 1, 0].map((prompt, i) => ({ prompt, key: keyFor(5, STREAMS.rollout, i) }));
  const request = { prompts, sequences, maxNew: 14, temperature: 1, endTokens: [] };
  const generated = await engine.generate(request);
  const scored = await engine.score(sequencesOf(config), 2);
  const coef = sequencesOf(config).map(({ completion }, i) => Float32Array.from(completion, (_, t) => Math.sin(i + t)));
  const gradients = isBare ? [] : await scored.backward(coef);
  scored.free();
  // The model's own tokens are scored as in training; sampling and scoring share scratch buffers.
  const scoredSequences = sequences.map(({ prompt }, i) => ({
    prompt: prompts[prompt],
    completion: generated[i].tokens,
    segment: 0,
  }));
  const own = await engine.score(scoredSequences, 1);
  own.free();
  const again = await engine.generate(request);
  const logits = await engine.logits(randomIds(config, 6, 12));
  engine.free();
  expect(device.memory().allocated).toBe(before);
  expect(again).toEqual(generated);
  return { generated, logprobs: scored.logprobs, gradients, logits, own: own.logprobs };
}

describe.each(KINDS)('on %s', (kind) => {
  for (const storage of STORAGES.filter((one) => one !== 'f32')) {
    for (const [what, config, adapter] of [
      ['a tied model with factors', TIED, 'svd'],
      ['an untied model with a LoRA', UNTIED, 'lora'],
      ['a model that only talks', TIED, 'none'],
    ] as const) {
      it(`${storage}: ${what} computes what f32 computes with the rounded weights`, async ({ skip }) => {
        const device = devices.of(kind);
        if (!device) return skip(`no WebGPU adapter here: ${devices.why}`);
        const weights = randomWeights(config, 7, 1.2);
        const factors = adapter === 'svd' ? await factorsOf(config, weights) : null;
        const adapterOf = (found: ReadonlyMap<string, Factors> | null) =>
          found ?? (adapter === 'none' ? 'none' : { adapter: 'lora' as const, loraRank: 3 });
        const packed = await everything({ device, config, weights, storage, adapter: adapterOf(factors) });
        const plain = await everything({
          device,
          config,
          weights: roundedWeights(weights, storage),
          adapter: adapterOf(factors && roundedFactors(factors, storage)),
        });
        expect(packed.logits).toEqual(plain.logits);
        expect(packed.generated).toEqual(plain.generated);
        expect(packed.logprobs).toEqual(plain.logprobs);
        // The CPU may compute a small Linear's gradient by way of dW, which sums in another order.
        packed.gradients.forEach((row, s) => {
          expect(relativeError(row, plain.gradients[s])).toBeLessThan(1e-5);
        });
        // Rollouts and training see the same weights.
        packed.own.forEach((row, i) => {
          row.forEach((logp, t) => {
            expect(Math.abs(logp - packed.generated[i].logprobs[t])).toBeLessThan(1e-3);
          });
        });
      });
    }
  }

  it('rounding moves the logits by no more than it should', async ({ skip }) => {
    const device = devices.of(kind);
    if (!device) return skip(`no WebGPU adapter here: ${devices.why}`);
    const weights = randomWeights(TIED, 7, 1.2);
    const logits = async (storage: WeightStorage) =>
      (await everything({ device, config: TIED, weights, storage, adapter: 'none' })).logits;
    const exact = await logits('f32');
    // A half is off by up to 2^-11 of its value, at least 1.4e-4 r.m.s.; a byte by up to 1/254 of its block's largest, which is about 2.5
    // times the block's r.m.s. value: 6e-3. A logit is a sum over a dozen such matrices in a row, whose errors add as squares.
    expect(relativeError(await logits('f16'), exact)).toBeLessThan(1.4e-4 * 5);
    expect(relativeError(await logits('q8'), exact)).toBeLessThan(6e-3 * 5);
    expect(relativeError(await logits('q8'), exact)).toBeGreaterThan(1e-4);
    // 4 bits have 8 steps in place of 127.
    expect(relativeError(await logits('q4g32'), exact)).toBeLessThan((127 / 8) * 6e-3 * 5);
  });

  it('a split table gives the same logits as a whole one', async ({ skip }) => {
    const [whole, tight] = [devices.of(kind), devices.of(kind, true)];
    if (!whole || !tight) return skip(`no WebGPU adapter here: ${devices.why}`);
    const all: readonly WeightStorage[] = STORAGES;
    for (const config of [TIED, UNTIED]) {
      // A software adapter is several times slower than the CPU here, so it tests fewer storages.
      const storages = kind === 'webgpu' && config === UNTIED ? (['f32'] as const) : all;
      const weights = randomWeights(config, 3, 1.2);
      const adapter = await factorsOf(config, weights);
      for (const storage of storages) {
        const { parts, isWhole, chunkRows } = vocabLayout(config.vocab, config.hiddenSize, storage, TIGHT);
        expect(isWhole).toBe(false);
        expect(Math.max(parts.length, config.vocab / chunkRows)).toBeGreaterThan(1);
        if (storage === 'f32') expect(parts.length).toBeGreaterThan(1);
        const [a, b] = [
          await everything({ device: whole, config, weights, storage, adapter }),
          await everything({ device: tight, config, weights, storage, adapter }),
        ];
        expect(b.logits).toEqual(a.logits);
        expect(b.generated).toEqual(a.generated);
        expect(b.logprobs).toEqual(a.logprobs);
        // Sums over the vocabulary are computed part by part, so they may differ in rounding.
        b.gradients.forEach((row, s) => {
          expect(relativeError(row, a.gradients[s])).toBeLessThan(1e-5);
        });
      }
    }
  });

  it('refuses a weight beyond f16 by name, and frees everything', async ({ skip }) => {
    const device = devices.of(kind);
    if (!device) return skip(`no WebGPU adapter here: ${devices.why}`);
    const weights = new Map(randomWeights(TIED, 7));
    const name = 'model.layers.1.mlp.up_proj.weight';
    const { shape, data } = weights.get(name)!;
    weights.set(name, { shape, data: data.map((x, i) => (i === 3 ? -7e4 : x)) });
    const before = device.memory().allocated;
    const options = { device, config: TIED, weights, adapter: 'none' } as const;
    await expect(Engine.create({ ...options, storage: 'f16' })).rejects.toThrow(FormatError);
    await expect(Engine.create({ ...options, storage: 'f16' })).rejects.toThrow(/element 3 of .*up_proj.* is -70000/);
    expect(device.memory().allocated).toBe(before);
    (await Engine.create({ ...options, storage: 'q8' })).free();
    expect(device.memory().allocated).toBe(before);
  });
});

describe('factors in another storage', () => {
  it('are read one Linear at a time, and give the same model', async () => {
    const weights = randomWeights(TIED, 7);
    const factors = await factorsOf(TIED, weights);
    const asked: string[] = [];
    const reader: FactorReader = {
      read: async ({ name }) => {
        asked.push(name);
        return factors.get(name)!;
      },
    };
    const device = await createCpuDevice();
    const [here, there] = [
      await everything({ device, config: TIED, weights, adapter: factors }),
      await everything({ device, config: TIED, weights, adapter: reader }),
    ];
    expect(there).toEqual(here);
    expect(asked).toEqual([...factors.keys()]);
    const broken: FactorReader = {
      read: async ({ name }) =>
        name.includes('.1.') ? { ...factors.get(name)!, U: new Float32Array(3) } : factors.get(name)!,
    };
    await expect(Engine.create({ device, config: TIED, weights, adapter: broken })).rejects.toThrow(
      /singular vectors of .*layers\.1.*3 and/,
    );
    expect(device.memory().allocated).toBe(0);
  });
});

describe('slices', () => {
  /** A model of more than two slices of embedding, and a Linear that ends within a slice. */
  const WIDE: ModelConfig = { ...SMALL.qwen3, vocab: 2 ** 17 + 5, hiddenSize: 20 };

  it('give the same bits as the whole, and the host reads no more at a time', async () => {
    const weights = randomWeights(WIDE, 7);
    const device = await createCpuDevice();
    const ids = randomIds(WIDE, 6, 2);
    const asked: number[] = [];
    const reader = {
      shapes: new Map([...weights].map(([name, { shape }]) => [name, shape])),
      read: async () => expect.unreachable('a whole tensor was asked for'),
      readPart: async (name: string, from: number, into: Float32Array) => {
        asked.push(into.length);
        into.set(weights.get(name)!.data.subarray(from, from + into.length));
      },
    };
    for (const storage of STORAGES) {
      const logits = async (given: Weights | WeightReader) => {
        const engine = await Engine.create({ device, config: WIDE, weights: given, adapter: 'none', storage });
        const found = await engine.logits(ids);
        engine.free();
        return found;
      };
      const [sliced, whole] = [await logits(reader), await logits(roundedWeights(weights, storage))];
      // An element-wise comparison would take a minute.
      expect(Buffer.compare(Buffer.from(sliced.buffer), Buffer.from(whole.buffer))).toBe(0);
      expect(sliced.length).toBe(ids.length * WIDE.vocab);
    }
    expect(Math.max(...asked)).toBe(SLICE);
    // If reading fails halfway, the device's buffers are freed.
    const before = device.memory().allocated;
    const broken = {
      ...reader,
      readPart: async (_: string, from: number) => {
        if (from > 0) throw new FormatError('the file ended', 'Get it again.');
      },
    };
    for (const storage of STORAGES)
      await expect(Engine.create({ device, config: WIDE, weights: broken, adapter: 'none', storage })).rejects.toThrow(
        /the file ended/,
      );
    expect(device.memory().allocated).toBe(before);
  });
});

describe('packing', () => {
  it('q8g32 keeps every block within half a step, with f16 scales that are never too small', () => {
    const data = Float32Array.from({ length: 100 }, (_, i) => Math.sin(i * i) * [5, 0.01, 1e-7, 1e-44][i >> 5]);
    const { words, scales } = packQ8g32(data, 'data');
    expect([words.length, scales.length]).toEqual([25, 2]);
    const steps = halfToFloat(new Uint16Array(scales.buffer));
    const back = rounded(data, 'q8g32');
    for (const [i, x] of data.entries()) {
      const step = steps[i >> 5];
      const most = data.slice(32 * (i >> 5), 32 * (i >> 5) + 32).reduce((m, y) => Math.max(m, Math.abs(y)), 0);
      // Expected scale: the next f16 above largest / 127, at least 2^-24; a largest element whose quotient underflows gives 0.
      expect(step).toBeGreaterThanOrEqual(Math.fround(most / 127));
      expect(step).toBeLessThanOrEqual(Math.max((most / 127) * (1 + 2 ** -10), most / 127 + 2 ** -24));
      expect(Math.abs(back[i] - x)).toBeLessThanOrEqual(Math.max(0.5001 * step, 1e-44));
    }
    expect(() => packQ8g32(Float32Array.of(1, -9e6), 'w')).toThrow(/w has a weight of -9000000/);
  });

  it('q4g32 maps a block’s largest element to −8 steps, rounds ties to even, and keeps zeros', () => {
    const first = [-8, 8, 0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 0.49, 3.51, 7.4, 0];
    const data = new Float32Array(75);
    data.set(first);
    data.set([0.4, -0.4, 0.15, -0.33], 64);
    const { words, scales } = packQ4g32(data, 'data');
    expect([words.length, scales.length]).toEqual([10, 2]);
    // The largest 4-bit integer is 7, so +8 steps are stored as 7.
    expect(nibbles(words).slice(0, first.length)).toEqual([-8, 7, 0, 2, 2, 0, -2, -2, 0, 4, 7, 0]);
    const steps = halfToFloat(new Uint16Array(scales.buffer));
    expect([...steps.slice(0, 2), steps[3]]).toEqual([1, 0, 0]);
    // A positive largest element gives a negative scale; 0.05 is not an f16, so the next one away from 0 is taken.
    expect(steps[2]).toBeLessThanOrEqual(-0.05);
    expect(steps[2]).toBeGreaterThan(-0.05 * (1 + 2 ** -10));
    expect(nibbles(words).slice(64, 69)).toEqual([-8, 7, -3, 7, 0]);
    expect([...rounded(data, 'q4g32').slice(32, 64)]).toEqual(new Array(32).fill(0));
    expect(() => packQ4g32(Float32Array.of(1, -6e5), 'w')).toThrow(/w has a weight of -600000, beyond what 8 steps/);
  });

  it('q4g32 keeps every block within half a step, except elements nearly as large as the largest but of opposite sign', () => {
    const data = Float32Array.from({ length: 100 }, (_, i) => Math.sin(i * i) * [5, 0.01, 1e-7, 1e-44][i >> 5]);
    const steps = halfToFloat(new Uint16Array(packQ4g32(data, 'data').scales.buffer));
    const back = rounded(data, 'q4g32');
    for (const [i, x] of data.entries()) {
      const step = steps[i >> 5];
      const most = x / step > 7.5 ? 1.001 : 0.5001;
      expect(Math.abs(back[i] - x)).toBeLessThanOrEqual(Math.max(most * Math.abs(step), 1e-44));
    }
  });

  it('q8 keeps a block’s largest element, is within half a step of the rest, and handles zeros and subnormals', () => {
    const data = Float32Array.from({ length: 150 }, (_, i) => Math.sin(i * i) * (i < 64 ? 5 : 0.01));
    data.fill(0, 128);
    data[130] = 1e-44;
    const { words, scales } = packQ8(data);
    expect(words.length).toBe(38);
    expect(scales.length).toBe(3);
    const back = rounded(data, 'q8');
    for (const [i, x] of data.entries()) {
      const step = scales[Math.floor(i / 64)];
      expect(Math.abs(back[i] - x)).toBeLessThanOrEqual(Math.max(0.501 * step, 1e-44));
    }
    const largest = data.slice(0, 64).map(Math.abs);
    const at = largest.indexOf(Math.max(...largest));
    expect(back[at]).toBeCloseTo(data[at], 5);
  });
});
