// Tests the engine against float64 reference fixtures (../shared/oracle beside the repository; skipped if missing).
// `npm run lab -- parity` checks every tensor of the fixtures, including the algorithms; this test covers the engine's part.
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createCpuDevice } from '../kernels/cpu/device.ts';
import { bytesSource, SafetensorsFile } from '../storage/safetensors.ts';
import { adapterLayout } from './adapter-layout.ts';
import type { Factors } from './adapters/svd.ts';
import { parseConfig } from './config-reading.ts';
import { Engine } from './decoder/engine.ts';
import { relativeError } from './testing/models.ts';
import type { Tensor } from './types.ts';

const ROOT = resolve('..', 'shared', 'oracle');
const FIXTURES = ['qwen3-tied', 'qwen3-untied', 'qwen2-bias', 'qwen35-tied', 'qwen35-untied'];

describe.skipIf(!existsSync(ROOT)).each(FIXTURES)('oracle %s', (name) => {
  const text = (file: string) => JSON.parse(readFileSync(resolve(ROOT, name, file), 'utf8'));
  const tensors = async (file: string) => {
    const bytes = readFileSync(resolve(ROOT, name, file));
    const opened = await SafetensorsFile.open(bytesSource(bytes), file);
    const all = new Map<string, Tensor>();
    for (const [key, { shape, dtype, start, end }] of opened.tensors) {
      const integers = () => Float32Array.from(new Int32Array(new Uint8Array(bytes.subarray(start, end)).buffer));
      all.set(key, { shape, data: dtype === 'I32' ? integers() : await opened.readF32(key) });
    }
    return all;
  };

  it.each([
    ['fixture', 'folded'],
    ['own', 'folded'],
    ['fixture', 'unfolded'],
  ] as const)('logits, greedy ids and pair gradients with the %s singular vectors, %s', async (basis, form) => {
    const config = parseConfig(text('config.json'));
    const inputs = text('inputs.json');
    const [weights, expected] = [await tensors('model.safetensors'), await tensors('expected.safetensors')];
    const factors = new Map<string, Factors>();
    for (const { name: module } of adapterLayout(config).modules) {
      const part = (which: string) => expected.get(`svd.${which}/${module}`)!.data;
      factors.set(module, { U: part('U'), S: part('S'), Vh: part('Vh') });
    }
    const device = await createCpuDevice();
    const adapter = basis === 'own' ? 'svd' : factors;
    const engine = await Engine.create({ device, config, weights, adapter, form });

    const { vocab } = config;
    const logits = expected.get('forward.logits')!;
    for (const [b, ids] of (inputs.forward_ids as number[][]).entries()) {
      const size = ids.length * vocab;
      expect(relativeError(await engine.logits(ids), logits.data.subarray(b * size, (b + 1) * size))).toBeLessThan(
        1e-5,
      );
    }
    const [greedy] = await engine.generate({
      prompts: [inputs.greedy_prompt],
      sequences: [{ prompt: 0, key: [0, 0] }],
      maxNew: inputs.greedy_new_tokens,
      temperature: 0,
      endTokens: [],
    });
    expect(greedy.tokens).toEqual(Array.from(expected.get('greedy.ids')!.data));

    const pairs = inputs.pairs as { prompt: number[]; hack: number[]; clean: number[] }[];
    const sequences = pairs.flatMap(({ prompt, hack, clean }, i) => [
      { prompt, completion: hack, segment: 2 * i },
      { prompt, completion: clean, segment: 2 * i + 1 },
    ]);
    const scored = await engine.score(sequences, sequences.length);
    const gradients = await scored.backward(
      sequences.map(({ completion }) => new Float32Array(completion.length).fill(-1 / completion.length)),
    );
    scored.free();
    for (const { name: module, offset, r } of engine.adapterLayout.modules) {
      const D = new Float32Array(pairs.length * r);
      pairs.forEach((_, i) => {
        for (let j = 0; j < r; j++) D[i * r + j] = gradients[2 * i][offset + j] - gradients[2 * i + 1][offset + j];
      });
      const reference = expected.get(`pairs.D/${module}`)!.data;
      if (basis === 'fixture') expect(relativeError(D, reference), module).toBeLessThan(1e-4);
      else {
        // ∂L/∂δS does not depend on the sign of singular vectors; vectors of nearly equal singular values may mix.
        expect(relativeError(D, reference), module).toBeLessThan(2e-3);
      }
    }
    engine.free();
  });
});
