// Tests one backward pass for all samples of a step against a pass per sample: on small random models, and on the reference fixtures
// (../shared/oracle beside the repository; skipped if it is missing).
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../../engine/config-reading.ts';
import { Engine } from '../../../engine/decoder/engine.ts';
import { randomIds, randomWeights, relativeError, SMALL } from '../../../engine/testing/models.ts';
import type { AdapterSettings, ModelConfig, Sequence, Weights } from '../../../engine/types.ts';
import { createCpuDevice } from '../../../kernels/cpu/device.ts';
import { CounterRng, STREAMS } from '../../../rng/index.ts';
import { bytesSource, SafetensorsFile } from '../../../storage/safetensors.ts';
import { meanGradient, sampleGradients } from './samples.ts';

async function compare(config: ModelConfig, weights: Weights, adapter: AdapterSettings) {
  const engine = await Engine.create({ device: await createCpuDevice(), config, weights, adapter });
  const rng = CounterRng.of(5, STREAMS.test);
  engine.setAdapterParams(engine.initialAdapterParams.map((x) => x + 0.02 * rng.normal()));
  // Two prompts, as in a pool of two problems, with completions of several lengths.
  const samples = [3, 7, 5, 1].map((length, i) => ({
    promptIds: randomIds(config, i % 2, 6),
    completionIds: randomIds(config, 20 + i, length),
  }));
  const passes: number[] = [];
  const counting = new Proxy(engine, {
    get(target, name) {
      if (name === 'score')
        return (sequences: readonly Sequence[], segments: number) => {
          passes.push(segments);
          return target.score(sequences, segments);
        };
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const together = await sampleGradients(counting, samples);
  expect(passes).toEqual([samples.length]);
  for (const [i, { promptIds, completionIds }] of samples.entries()) {
    const batch = await engine.score([{ prompt: promptIds, completion: completionIds, segment: 0 }], 1);
    const [logprobs] = batch.logprobs;
    const nll = -logprobs.reduce((a, b) => a + b, 0) / logprobs.length;
    const [alone] = await batch.backward([new Float32Array(logprobs.length).fill(-1 / logprobs.length)]);
    batch.free();
    expect(Math.hypot(...alone)).toBeGreaterThan(0);
    expect(relativeError(together.gradients[i], alone)).toBeLessThan(1e-5);
    expect(together.nll[i]).toBeCloseTo(nll, 5);
  }
  engine.free();
}

describe('per-sample gradients of one pass are those of separate passes', () => {
  it.each(['qwen3', 'qwen2', 'llama'] as const)('on a small %s, with either adapter', async (name) => {
    for (const adapter of ['svd', 'lora'] as const)
      await compare(SMALL[name], randomWeights(SMALL[name], 1), { adapter, loraRank: 4 });
  });

  const root = resolve('..', 'shared', 'oracle');
  it.skipIf(!existsSync(root)).each(['qwen3-tied', 'qwen3-untied', 'qwen2-bias'])('on the fixture %s', async (name) => {
    const file = resolve(root, name, 'model.safetensors');
    const opened = await SafetensorsFile.open(bytesSource(readFileSync(file)), file);
    const weights: Weights = new Map(
      await Promise.all(
        [...opened.tensors].map(async ([key, { shape }]) => [key, { shape, data: await opened.readF32(key) }] as const),
      ),
    );
    const config = parseConfig(JSON.parse(readFileSync(resolve(root, name, 'config.json'), 'utf8')));
    await compare(config, weights, { adapter: 'svd', loraRank: 0 });
  });

  it('and their mean is summed in double precision', () => {
    expect(Array.from(meanGradient([Float32Array.of(1, 2), Float32Array.of(3, -4)]))).toEqual([2, -1]);
  });
});
