// Tests models with linear layers (Qwen3.5): activations inside each layer against float64 fixtures (../shared/oracle beside the
// repository; skipped if missing), and identical bits packed or alone and on any number of threads.
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { NONE } from '../../kernels/contract/delta.ts';
import { createCpuDevice } from '../../kernels/cpu/device.ts';
import { nodeThreads } from '../../kernels/cpu/threads/threads.node.ts';
import { put, readFloats } from '../../kernels/device.ts';
import { bytesSource, SafetensorsFile } from '../../storage/safetensors.ts';
import { Arena } from '../arena.ts';
import { parseConfig } from '../config-reading.ts';
import { Engine } from '../decoder/engine.ts';
import { deltaSizes, layerType } from '../layer-types.ts';
import { randomWeights, relativeError, SMALL } from '../testing/models.ts';
import type { AdapterSettings, ModelConfig, Sequence, Tensor } from '../types.ts';
import { DeviceWeights } from '../weights/weights.ts';
import { deltaPasses } from './delta-passes.ts';
import { layerForward, takeLayer } from './layer.ts';
import { pack } from './packing.ts';
import { runsOf } from './runs.ts';

const ROOT = resolve('..', 'shared', 'oracle');
if (!existsSync(ROOT)) console.warn(`Linear layers are not compared with the fixtures: there is no ${ROOT}.`);

describe.skipIf(!existsSync(ROOT)).each(['qwen35-tied', 'qwen35-untied'])('inside the layers of %s', (name) => {
  it('mixer, layer, rule, state and convolution rows', async () => {
    const open = async (file: string) => {
      const source = bytesSource(readFileSync(resolve(ROOT, name, file)));
      return SafetensorsFile.open(source, file);
    };
    const config = parseConfig(JSON.parse(readFileSync(resolve(ROOT, name, 'config.json'), 'utf8')));
    const ids: number[] = JSON.parse(readFileSync(resolve(ROOT, name, 'inputs.json'), 'utf8')).forward_ids[0];
    const [model, expected] = [await open('model.safetensors'), await open('expected.safetensors')];
    const weights = new Map<string, Tensor>();
    for (const [key, { shape }] of model.tensors) weights.set(key, { shape, data: await model.readF32(key) });
    const device = await createCpuDevice();
    const arena = new Arena(device);
    const ctx = {
      device,
      config,
      arena,
      weights: DeviceWeights.of(device, config, weights),
      delta: await deltaPasses(config),
    };
    const rows = ids.length;
    const own = Uint32Array.from({ length: rows * 4 }, (_, i) => (i % 4 === 3 ? (i >> 2) + 1 : 0));
    const { state, convState } = deltaSizes(config);
    const held = { states: arena.take('states', state), past: arena.take('past', convState) };
    const runs = {
      table: put(device, Uint32Array.of(0, rows, NONE, 0, 0), 'runs'),
      calls: [{ count: 1, runOff: 0 }],
      statesOf: () => held,
    };
    const meta = {
      rows,
      shift: 0,
      grow: 0,
      runs,
      pos: put(device, Uint32Array.from(ids.keys()), 'pos'),
      ranges: put(device, own, 'ranges'),
    };
    let x = arena.take('x', rows * config.hiddenSize);
    ctx.weights.embedding.gather(put(device, Uint32Array.from(ids), 'ids'), x, rows);
    for (let layer = 0; layer < config.layers; layer++) {
      const out = arena.take(`x${layer}`, rows * config.hiddenSize);
      const acts = takeLayer(ctx, layer, `layer${layer}`, rows, x);
      layerForward(ctx, layer, acts, meta, (_, k, v) => ({ k, v }), out);
      const check = async (what: string, got: ArrayLike<number>) =>
        expect(relativeError(got, await expected.readF32(`trace.${what}/${layer}`)), what).toBeLessThan(2e-5);
      const width = config.hiddenSize;
      await check('mixed', await readFloats(device, acts.xMid, 0, rows * width));
      await check('hidden', await readFloats(device, out, 0, rows * width));
      if (layerType(config, layer) === 'linear_attention') {
        await check('delta.state', await readFloats(device, held.states, 0, state));
        const past = await readFloats(device, held.past, 0, convState);
        const { channels, convWidth } = deltaSizes(config);
        // The fixture stores channels first.
        const turned = past.map((_, i) => past[(i % (convWidth - 1)) * channels + Math.floor(i / (convWidth - 1))]);
        await check('delta.conv_state', turned);
      }
      x = out;
    }
  });
});

it('a packed batch has one run per prompt and per sequence, prompts first', () => {
  const sequences: Sequence[] = [
    { prompt: [1, 2, 3], completion: [4, 5], segment: 0 },
    { prompt: [9], completion: [4, 5, 6], segment: 0 },
    { prompt: [1, 2, 3], completion: [7], segment: 0 },
  ];
  const { table, calls, slots } = runsOf(pack(sequences, 1, 64));
  expect([...table]).toEqual([
    ...[0, 2, NONE, 0, 2], // the shared prompt, without its last token
    ...[5, 8, NONE, 3, 0], // a prompt of one token leaves no state to start from
    ...[2, 4, 0, 1, 0],
    ...[4, 5, 0, 2, 0],
  ]);
  expect(calls).toEqual([
    { count: 2, runOff: 0 },
    { count: 2, runOff: 2 },
  ]);
  expect(slots).toBe(4);
});

/** SMALL.qwen35 with widths that fill SIMD vectors, so that the delta rule's SIMD kernels are used. */
const LANES: ModelConfig = {
  ...SMALL.qwen35,
  delta: { keyHeads: 2, valueHeads: 4, keyDim: 8, valueDim: 20, convWidth: 4 },
};

const ADAPTERS: readonly AdapterSettings[] = [
  { adapter: 'svd', loraRank: 1 },
  { adapter: 'lora', loraRank: 3 },
  { adapter: 'blocks', loraRank: 2 },
];
const SEQUENCES: readonly Sequence[] = [
  { prompt: [3, 1, 4, 1, 5], completion: [9, 2, 6, 5, 3, 5, 8], segment: 0 },
  { prompt: [3, 1, 4, 1, 5], completion: [8, 9, 7], segment: 0 },
  { prompt: [2], completion: [7, 1, 8, 2, 8, 1, 8, 2, 8, 4, 5, 9, 0, 4, 5, 2, 3, 5, 3, 6], segment: 1 },
];

describe.each([
  ['vectors', LANES],
  ['odd sizes', SMALL.qwen35],
])('a hybrid with %s', (_, config) => {
  const weights = randomWeights(config, 7);
  const scoreOn = async (sequences: readonly Sequence[], adapter: AdapterSettings, threads = 1) => {
    const host = threads > 1 ? { ...nodeThreads(threads)!, worth: 1 } : undefined;
    const device = await createCpuDevice({ threads: host });
    const engine = await Engine.create({ device, config, weights, adapter });
    engine.setAdapterParams(engine.initialAdapterParams.map((x, i) => x + 0.05 * Math.sin(i)));
    const scored = await engine.score(sequences, 2);
    const gradients = await scored.backward(
      sequences.map(({ completion }) => new Float32Array(completion.length).fill(-1)),
    );
    const found = { logprobs: scored.logprobs, gradients };
    scored.free();
    engine.free();
    device.destroy();
    return found;
  };

  it.each(ADAPTERS)('$adapter: same bits packed, alone, and on three threads', async (adapter) => {
    const packed = await scoreOn(SEQUENCES, adapter);
    expect(packed.gradients[0].some((x) => x !== 0)).toBe(true);
    for (const [i, sequence] of SEQUENCES.entries())
      expect((await scoreOn([sequence], adapter)).logprobs[0]).toEqual(packed.logprobs[i]);
    expect(await scoreOn(SEQUENCES, adapter, 3)).toEqual(packed);
  });
});

it.each([...ADAPTERS, { adapter: 'full', loraRank: 1 } as const])(
  '$adapter: the gradient equals finite differences in double precision',
  async (adapter) => {
    const weights = randomWeights(SMALL.qwen35, 7);
    const device = await createCpuDevice({ precision: 'f64' });
    // The gated norm divides by a head's size, which can be tiny; a larger ε keeps finite differences smooth.
    const engine = await Engine.create({ device, config: { ...SMALL.qwen35, rmsEps: 0.05 }, weights, adapter });
    const params = engine.initialAdapterParams.map((x, i) => x + 0.05 * Math.sin(i));
    const sequences = SEQUENCES.map((sequence) => ({ ...sequence, segment: 0 }));
    const loss = async (at: Float32Array) => {
      engine.setAdapterParams(at);
      const scored = await engine.score(sequences, 1);
      const sum = scored.logprobs.reduce((total, row, i) => total - (1 + i) * row.reduce((a, b) => a + b, 0), 0);
      const [gradient] = await scored.backward(
        sequences.map(({ completion }, i) => new Float32Array(completion.length).fill(-(1 + i))),
      );
      scored.free();
      return { sum, gradient };
    };
    const { gradient } = await loss(params);
    const scale = gradient.reduce((top, x) => Math.max(top, Math.abs(x)), 0);
    let looked = 0;
    for (const { name, offset, r } of engine.adapterLayout.modules) {
      // The step is along the module's own gradient, where the slope is largest; log-probabilities are rounded to f32.
      const own = gradient.subarray(offset, offset + r);
      const length = Math.hypot(...own);
      if (length < 1e-2 * scale) continue;
      looked++;
      const moved = async (step: number) => {
        const to = params.slice();
        for (let i = 0; i < r; i++) to[offset + i] += (step * own[i]) / length;
        return (await loss(to)).sum;
      };
      const h = 1e-3;
      const slope = ((await moved(h)) - (await moved(-h))) / (2 * h);
      expect(Math.abs(slope / length - 1), name).toBeLessThan(5e-3);
    }
    expect(looked).toBeGreaterThan(18); // of 23 Linears; `full` has more modules
    engine.free();
  },
);
