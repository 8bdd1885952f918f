// Compares the ONNX export with the engine on the same weights, run by onnxruntime's WebAssembly provider: prefill, steps with the cache, a
// batch with padding, and weights in a separate file.
import { fileURLToPath } from 'node:url';
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import * as ort from 'onnxruntime-web';
import { beforeAll, describe, expect, it } from 'vitest';
import { configToJson } from '../../engine/config.ts';
import { parseConfig } from '../../engine/config-reading.ts';
import { Engine } from '../../engine/decoder/engine.ts';
import { randomIds, randomWeights, SMALL } from '../../engine/testing/models.ts';
import type { ModelConfig, Weights } from '../../engine/types.ts';
import { readAll } from '../../engine/weights/reader.ts';
import { createCpuDevice } from '../../kernels/cpu/device.ts';
import { joinParts } from '../../lib/streams.ts';
import { loadModelFiles } from '../model-files.ts';
import { diskSource } from '../sources.node.ts';
import { decoderOnnx } from './decoder.ts';

const TOLERANCE = 1e-3;
const TINY_CODER = fileURLToPath(new URL('../../../public/models/tiny-coder', import.meta.url));

beforeAll(() => {
  ort.env.wasm.numThreads = 1;
  ort.env.logLevel = 'error';
});

type Feeds = Record<string, ort.Tensor>;

/** Calls the model like a user of the file: rows [B, S] at `positions`, `mask` [B, T], with the cache of an earlier call. */
async function call(
  session: ort.InferenceSession,
  config: ModelConfig,
  rows: readonly (readonly number[])[],
  mask: readonly (readonly number[])[],
  positions: readonly (readonly number[])[],
  past: Feeds | null,
): Promise<{ logits: Float32Array; past: Feeds }> {
  const longs = (of: readonly (readonly number[])[]) =>
    new ort.Tensor('int64', BigInt64Array.from(of.flat(), BigInt), [of.length, of[0].length]);
  const empty: Feeds = {};
  for (let layer = 0; layer < config.layers; layer++) {
    for (const kind of ['key', 'value']) {
      const dims = [rows.length, config.kvHeads, 0, config.headDim];
      empty[`past_key_values.${layer}.${kind}`] = new ort.Tensor('float32', new Float32Array(), dims);
    }
  }
  const inputs = { input_ids: longs(rows), attention_mask: longs(mask), position_ids: longs(positions) };
  const { logits, ...present } = await session.run({ ...inputs, ...(past ?? empty) });
  expect(logits.dims).toEqual([rows.length, rows[0].length, config.vocab]);
  const next: Feeds = {};
  for (const [name, tensor] of Object.entries(present)) {
    expect(tensor.dims).toEqual([rows.length, config.kvHeads, mask[0].length, config.headDim]);
    next[name.replace('present', 'past_key_values')] = tensor;
  }
  expect(Object.keys(next)).toHaveLength(2 * config.layers);
  return { logits: logits.data as Float32Array, past: next };
}

async function engineLogits(config: ModelConfig, weights: Weights, ids: readonly number[]): Promise<Float32Array> {
  const device = await createCpuDevice();
  const engine = await Engine.create({ device, config, weights, adapter: 'none' });
  const logits = await engine.logits(ids);
  engine.free();
  device.destroy();
  return logits;
}

function largestDifference(a: Float32Array, b: Float32Array): number {
  expect(a.length).toBe(b.length);
  let most = 0;
  for (let i = 0; i < a.length; i++) {
    const difference = Math.abs(a[i] - b[i]);
    if (!(difference <= most)) most = difference;
  }
  return most;
}

const open = (model: Uint8Array, options: ort.InferenceSession.SessionOptions = {}) =>
  ort.InferenceSession.create(model, { executionProviders: ['wasm'], ...options });
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);
const ones = (count: number) => Array.from({ length: count }, () => 1);

/** Largest difference of any logit over prefill, single tokens, then three at once. */
async function worst(config: ModelConfig, weights: Weights, ids: readonly number[], session: ort.InferenceSession) {
  const expected = await engineLogits(config, weights, ids);
  let past: Feeds | null = null;
  let most = 0;
  const n = ids.length;
  const parts: [number, number][] = [
    [0, n - 7],
    [n - 7, n - 6],
    [n - 6, n - 5],
    [n - 5, n - 4],
    [n - 4, n - 3],
    [n - 3, n],
  ];
  for (const [from, to] of parts) {
    const got = await call(session, config, [ids.slice(from, to)], [ones(to)], [range(from, to)], past);
    past = got.past;
    const difference = largestDifference(got.logits, expected.subarray(from * config.vocab, to * config.vocab));
    most = Math.max(most, Number.isNaN(difference) ? Number.POSITIVE_INFINITY : difference);
  }
  return most;
}

const stretched = parseConfig({
  ...configToJson(SMALL.llama),
  rope_scaling: { rope_type: 'yarn', factor: 4, original_max_position_embeddings: 16 },
});

describe('an exported decoder', () => {
  it.each([
    ['qwen3', SMALL.qwen3],
    ['qwen3 untied', { ...SMALL.qwen3, tied: false }],
    ['qwen2', SMALL.qwen2],
    ['llama', SMALL.llama],
    ['llama with yarn', stretched],
  ] as [string, ModelConfig][])('%s says what the engine says, with and without its cache', async (_, config) => {
    const weights = randomWeights(config, 7);
    const session = await open(joinParts(decoderOnnx(config, weights).model));
    expect(await worst(config, weights, randomIds(config, 8, 23), session)).toBeLessThan(TOLERANCE / 10);
    await session.release();
  });

  it('of the embedded model agrees with the engine', async () => {
    const { config, weights: reader } = await loadModelFiles(diskSource(TINY_CODER));
    const weights = await readAll(reader);
    const session = await open(joinParts(decoderOnnx(config, weights).model));
    expect(session.inputNames).toEqual([
      ...['input_ids', 'attention_mask', 'position_ids'],
      ...range(0, 4).flatMap((n) => [`past_key_values.${n}.key`, `past_key_values.${n}.value`]),
    ]);
    expect(session.outputNames).toEqual([
      'logits',
      ...range(0, 4).flatMap((n) => [`present.${n}.key`, `present.${n}.value`]),
    ]);
    const difference = await worst(config, weights, randomIds(config, 3, 120), session);
    expect(difference).toBeLessThan(TOLERANCE);
    await session.release();
  });

  it('ignores padding in a batch of unequal prompts', async () => {
    const config = SMALL.qwen3;
    const weights = randomWeights(config, 9);
    const [long, short] = [randomIds(config, 1, 9), randomIds(config, 2, 6)];
    const session = await open(joinParts(decoderOnnx(config, weights).model));
    // The rows are left-padded, as generation needs them; then each gets one more token.
    const pad = 3;
    const rows = [long.slice(0, 8), [...new Array(pad).fill(0), ...short.slice(0, 5)]];
    const mask = (length: number) => [ones(length), [...new Array(pad).fill(0), ...ones(length - pad)]];
    const first = await call(session, config, rows, mask(8), [range(0, 8), [0, 0, 0, ...range(0, 5)]], null);
    const second = await call(session, config, [[long[8]], [short[5]]], mask(9), [[8], [5]], first.past);
    const { vocab } = config;
    const [a, b] = [await engineLogits(config, weights, long), await engineLogits(config, weights, short)];
    expect(first.logits.every(Number.isFinite)).toBe(true);
    expect(largestDifference(first.logits.subarray(0, 8 * vocab), a.subarray(0, 8 * vocab))).toBeLessThan(1e-4);
    expect(largestDifference(first.logits.subarray((8 + pad) * vocab), b.subarray(0, 5 * vocab))).toBeLessThan(1e-4);
    expect(largestDifference(second.logits.subarray(0, vocab), a.subarray(8 * vocab))).toBeLessThan(1e-4);
    expect(largestDifference(second.logits.subarray(vocab), b.subarray(5 * vocab))).toBeLessThan(1e-4);
    await session.release();
  });

  it('may have its weights in a separate file', async () => {
    const config = SMALL.qwen2;
    const weights = randomWeights(config, 5);
    const { model, external } = decoderOnnx(config, weights, { externalFile: 'model.onnx_data' });
    const data = joinParts(external);
    const externalData = [{ path: 'model.onnx_data', data }];
    expect(joinParts(model).length).toBeLessThan(joinParts(decoderOnnx(config, weights).model).length);
    const session = await open(joinParts(model), { externalData });
    expect(await worst(config, weights, randomIds(config, 6, 20), session)).toBeLessThan(TOLERANCE / 10);
    await session.release();
  });

  it('is refused if a weight is missing', () => {
    const weights = new Map(randomWeights(SMALL.llama, 1));
    weights.delete('model.layers.1.mlp.up_proj.weight');
    expect(() => decoderOnnx(SMALL.llama, weights)).toThrow(FormatError);
    expect(() => decoderOnnx(SMALL.llama, weights)).toThrow(/model\.layers\.1\.mlp\.up_proj\.weight/);
  });
});
