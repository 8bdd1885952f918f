// Measures again the documented errors of storing weights, a rollout's keys and values, and the rows of its steps in fewer bits, on trained
// weights (../shared/models beside the repository, skipped if it is missing, and the embedded model). The texts are each model's own answers,
// sampled with fixed keys.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Engine } from '../engine/decoder/engine.ts';
import { type KvCache, STORAGES } from '../engine/storage-layouts.ts';
import {
  INTEGER_ERRORS,
  KV_CACHE_ERRORS,
  type LogitError,
  MEASURED_MODELS,
  STORAGE_ERRORS,
} from '../engine/weights/storage-error.ts';
import type { KernelParams } from '../kernels/contract.ts';
import { type CpuDevice, createCpuDevice } from '../kernels/cpu/device.ts';
import { type Device, readFloats } from '../kernels/device.ts';
import { keyFor, STREAMS } from '../rng/index.ts';
import { loadCodec } from '../text/codec.ts';
import { loadModelFiles } from './model-files.ts';
import { diskSource } from './sources.node.ts';

const CHAT = ['What is the capital of France?', 'Write a poem.', 'How do computers work?', 'Tell me about the sea.'];
const SETS = {
  'minimind2-small': CHAT.map((text) => `<|im_start|>user\n${text}<|im_end|>\n<|im_start|>assistant\n`),
  stories260K: ['Once upon a time', 'Lily and', 'One day, a dog', 'The sun was'],
  'tiny-coder': ['def f(x):\n', 'def add(a, b):\n', 'def g(s):\n    return', 'def h(n):\n    if'],
} as const;
/** Number of answers per prompt. */
const SAMPLES = 2;
const NEW = 80;
const folderOf = (name: string) =>
  resolve(...(name === 'tiny-coder' ? ['public', 'models', name] : ['..', 'shared', 'models', name]));

/** `pairs`: logits [positions, vocab] of the same tokens, exact and packed. */
function logitError(pairs: readonly (readonly [Float32Array, Float32Array])[], vocab: number): LogitError {
  let [positions, changed, difference, size, kl] = [0, 0, 0, 0, 0];
  for (const [exact, packed] of pairs)
    for (let at = 0; at < exact.length; at += vocab) {
      const [p, q] = [exact.subarray(at, at + vocab), packed.subarray(at, at + vocab)];
      const [likeliest, other] = [largest(p), largest(q)];
      if (likeliest !== other) changed++;
      const [zp, zq] = [logSum(p, p[likeliest]), logSum(q, q[other])];
      for (let v = 0; v < vocab; v++) {
        difference += (p[v] - q[v]) ** 2;
        size += p[v] ** 2;
        kl += Math.exp(p[v] - zp) * (p[v] - zp - (q[v] - zq));
      }
      positions++;
    }
  return { positions, relative: Math.sqrt(difference / size), changed, kl: kl / positions };
}

function largest(x: Float32Array): number {
  let at = 0;
  for (let i = 1; i < x.length; i++) if (x[i] > x[at]) at = i;
  return at;
}

function logSum(x: Float32Array, most: number): number {
  let sum = 0;
  for (const value of x) sum += Math.exp(value - most);
  return most + Math.log(sum);
}

/** Logits of every position of a text, [tokens, vocab], as in a rollout: the text's tokens replace the sampled ones. */
async function rolledLogits(engine: Engine, forced: Forced, text: readonly number[], kvCache: KvCache) {
  const logits: Float32Array[] = [];
  forced.begin(text, logits);
  await engine.generate({
    prompts: [text.slice(0, 1)],
    sequences: [{ prompt: 0, key: [1, 2] }],
    maxNew: text.length,
    temperature: 1,
    endTokens: [],
    kvCache,
  });
  return Float32Array.from(logits.flatMap((row) => [...row]));
}

/** Wraps the device so that it samples the tokens given to `begin`. */
function forcing(device: CpuDevice) {
  let [text, logits, at]: [readonly number[], Float32Array[], number] = [[], [], 0];
  const run: Device['run'] = (kernel, buffers, params) => {
    device.run(kernel, buffers, params);
    if (kernel !== 'sample' || text.length === 0) return;
    const { vocab } = params as KernelParams<'sample'>;
    // The CPU device reads before `readFloats` returns.
    const row = at++;
    void readFloats(device, buffers[0], 0, vocab).then((own) => {
      logits[row] = own as Float32Array;
    });
    // The token sampled after the last one is never used.
    device.upload(buffers[6], Uint32Array.of(text[row + 1] ?? 0));
    device.upload(buffers[4], Uint32Array.of(text[row + 1] ?? 0), row);
  };
  const proxy = new Proxy<Device>(device, {
    get(target, key) {
      if (key === 'run') return run;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const begin = (words: readonly number[], into: Float32Array[]) => {
    [text, logits, at] = [words, into, 0];
  };
  return { device: proxy, begin };
}
type Forced = ReturnType<typeof forcing>;

/** The device as one that multiplies integers in a step of decoding. */
const withIntegers = (device: Device): Device =>
  new Proxy<Device>(device, {
    get(target, key) {
      if (key === 'multipliesIntegers') return true;
      // A step of few calls is one that may round; its other kernels stay those of the CPU.
      if (key === 'fuses') return (kernel: string) => kernel === 'cache_heads';
      return Reflect.get(target, key, target);
    },
  });

async function measure(
  name: (typeof MEASURED_MODELS)[number],
): Promise<{ errors: Record<string, LogitError>; rolled: LogitError; cache: LogitError; integers: LogitError }> {
  const files = await loadModelFiles(diskSource(folderOf(name)));
  const { config, weights } = files;
  const codec = await loadCodec(files.tokenizerJson as object, files.tokenizerConfig as object);
  const forced = forcing(await createCpuDevice());
  const { device } = forced;
  const open = (storage: (typeof STORAGES)[number]) =>
    Engine.create({ device, config, weights, adapter: 'none', storage });
  const exact = await open('f32');
  const prompts = SETS[name].map((text) => codec.encode(text));
  const sequences = prompts.flatMap((_, prompt) =>
    Array.from({ length: SAMPLES }, (_, i) => ({ prompt, key: keyFor(7, STREAMS.evaluation, prompt, i) })),
  );
  const said = await exact.generate({ prompts, sequences, maxNew: NEW, temperature: 1, endTokens: [2] });
  const texts = said.map(({ tokens }, i) => [...prompts[sequences[i].prompt], ...tokens]);
  const wanted: Float32Array[] = [];
  for (const text of texts) wanted.push(await exact.logits(text));
  forced.begin([], []);
  const rolledBy = async (engine: Engine, kvCache: KvCache, most = texts.length) => {
    const pairs: [Float32Array, Float32Array][] = [];
    for (const [i, text] of texts.slice(0, most).entries())
      pairs.push([wanted[i], await rolledLogits(engine, forced, text, kvCache)]);
    forced.begin([], []);
    return logitError(pairs, config.vocab);
  };
  const [rolled, cache] = [await rolledBy(exact, 'f32'), await rolledBy(exact, 'f16')];
  exact.free();
  const rounding = await Engine.create({
    device: withIntegers(device),
    config,
    weights,
    adapter: 'none',
    storage: 'q8g32',
  });
  // The reference kernel is slow.
  const integers = await rolledBy(rounding, 'f32', name === 'minimind2-small' ? 2 : undefined);
  rounding.free();
  const errors: Record<string, LogitError> = {};
  for (const storage of STORAGES) {
    if (storage === 'f32') continue;
    const packed = await open(storage);
    const pairs: [Float32Array, Float32Array][] = [];
    for (const [i, text] of texts.entries()) pairs.push([wanted[i], await packed.logits(text)]);
    errors[storage] = logitError(pairs, config.vocab);
    packed.free();
  }
  return { errors, rolled, cache, integers };
}

describe.each(MEASURED_MODELS)('the errors of fewer bits for %s', (name) => {
  it('are the documented ones', { timeout: 900_000 }, async ({ skip }) => {
    if (!existsSync(folderOf(name))) return skip('../shared/models is missing');
    const { errors: found, rolled, cache, integers } = await measure(name);
    // In f32 a rollout has the logits of one pass over the whole text.
    expect([rolled.changed, rolled.relative < 1e-5]).toEqual([0, true]);
    const measured = STORAGES.flatMap((storage) =>
      storage === 'f32' ? [] : [[STORAGE_ERRORS[storage][name], found[storage]] as const],
    );
    for (const [stated, { positions, changed, relative, kl }] of [
      ...measured,
      [KV_CACHE_ERRORS[name], cache] as const,
      [INTEGER_ERRORS[name], integers] as const,
    ]) {
      expect(stated.positions).toBe(positions);
      // Exponentials on another machine may differ in their last digit, and the documented numbers are rounded.
      expect(Math.abs(stated.changed - changed)).toBeLessThanOrEqual(1);
      expect(Math.abs(stated.relative - relative)).toBeLessThanOrEqual(0.01 * relative + 1e-8);
      expect(Math.abs(stated.kl - kl)).toBeLessThanOrEqual(0.01 * Math.abs(kl) + 1e-8);
    }
    // Groups of 32 with f16 scales take as much memory as groups of 64 with f32 scales, and are more exact; f16 tables are more exact still.
    expect(found.q8g32.kl).toBeLessThan(found.q8.kl);
    expect(found.q8t16.kl).toBeLessThan(found.q8g32.kl);
    expect(found.q8g32.relative).toBeLessThan(found.q8.relative);
    expect(found.q8t16.relative).toBeLessThan(found.q8g32.relative);
  });
});

describe('logitError', () => {
  it('is zero for equal logits, and has the hand-computed values for different ones', () => {
    const exact = Float32Array.of(0, Math.log(3), 5, 0);
    const packed = Float32Array.of(Math.log(3), 0, 5, 0);
    expect(logitError([[exact, exact]], 2)).toEqual({ positions: 2, relative: 0, changed: 0, kl: 0 });
    const { changed, kl, relative } = logitError([[exact, packed]], 2);
    expect(changed).toBe(1);
    // The probabilities are 3/4 and 1/4; the other position has no difference.
    expect(kl).toBeCloseTo(((0.75 - 0.25) * Math.log(3)) / 2, 6);
    expect(relative).toBeCloseTo(Math.sqrt((2 * Math.log(3) ** 2) / (Math.log(3) ** 2 + 25)), 6);
  });
});
