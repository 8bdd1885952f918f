// Tests the objectives against values worked out by hand, and gradients over several passes against a single pass.

import { StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import { Engine } from '../../engine/decoder/engine.ts';
import type { Document } from '../../engine/objectives/documents.ts';
import { randomIds, randomWeights, relativeError, SMALL } from '../../engine/testing/models.ts';
import type { DistillPair } from '../../engine/types.ts';
import { createCpuDevice } from '../../kernels/cpu/device.ts';
import { distillBackward, nllBackward } from './backward.ts';
import { denominators, distillLoss, NORMALISERS, nllLoss } from './objectives.ts';

it('nll and distill by hand', () => {
  const nll = nllLoss(Float32Array.of(-1, -2, -0.5), 7);
  expect(nll.loss).toBeCloseTo(3.5 / 7, 7);
  expect([...nll.coef]).toEqual(new Array(3).fill(Math.fround(-1 / 7)));
  const distilled = distillLoss(Float32Array.of(0.25, 0, 1), 5);
  expect(distilled.loss).toBeCloseTo(0.25, 7);
  expect([...distilled.coef]).toEqual(new Array(3).fill(Math.fround(1 / 5)));
});

it('`token` weights long documents more, `document` weights all equally', () => {
  expect(denominators([1, 3], 'token')).toEqual([4, 4]);
  expect(denominators([1, 3], 'document')).toEqual([2, 6]);
  // Two documents with token losses 4 and 1.
  const loss = (normaliser: 'token' | 'document') =>
    denominators([1, 3], normaliser).reduce(
      (sum, d, i) => sum + nllLoss(new Float32Array([1, 3][i]).fill([-4, -1][i]), d).loss,
      0,
    );
  expect(loss('token')).toBeCloseTo(7 / 4, 6);
  expect(loss('document')).toBeCloseTo(5 / 2, 6);
  expect(() => denominators([2, 0], 'token')).toThrow(/document 1 has no trained token/);
  expect(() => denominators([], 'token')).toThrow(/without documents/);
});

describe('over passes', () => {
  const config = SMALL.qwen3;
  let model: Engine;
  beforeAll(async () => {
    const device = await createCpuDevice();
    model = await Engine.create({ device, config, weights: randomWeights(config, 7, 1.5) });
    model.setAdapterParams(model.initialAdapterParams.map((_, i) => 0.1 * Math.sin(i)));
  });
  const documents: Document[] = [9, 30, 4, 12, 21].map((length, i) => ({
    ids: randomIds(config, i, length),
    ...(i === 1 ? { mask: Array.from({ length }, (_, t) => t % 3 > 0) } : {}),
    segment: i % 2,
  }));
  const pairs: DistillPair[] = [5, 3, 8].map((length, i) => {
    const completion = randomIds(config, 10 + i, length);
    const mask = i === 1 ? [true, false, true] : undefined;
    return {
      student: { prompt: randomIds(config, 20, 4), completion, mask, segment: i % 2 },
      teacher: { prompt: randomIds(config, 30 + i, 11), completion, mask },
    };
  });

  it.each(NORMALISERS)(
    'nll by %s: several passes give the loss, values and gradients of one pass, which equal a plain score',
    async (normalise) => {
      const whole = await nllBackward(model, documents, { normalise, segments: 2 });
      const parts = await nllBackward(model, documents, { normalise, segments: 2, maxRows: 25 });
      expect(parts.logprobs).toEqual(whole.logprobs);
      expect(parts.entropy).toEqual(whole.entropy);
      expect(parts.tokens).toBe(8 + 20 + 3 + 11 + 20);
      expect(parts.loss).toBeCloseTo(whole.loss, 6);
      expect(whole.gradients).toHaveLength(2);
      for (const s of [0, 1]) expect(relativeError(parts.gradients[s], whole.gradients[s])).toBeLessThan(1e-5);

      const sums = whole.logprobs.map((row) => -row.reduce((sum, x) => sum + x, 0));
      const counts = whole.logprobs.map((row) => row.length);
      const expected =
        normalise === 'token'
          ? sums.reduce((a, b) => a + b) / parts.tokens
          : sums.reduce((a, b, i) => a + b / counts[i] / documents.length, 0);
      expect(whole.loss).toBeCloseTo(expected, 6);

      const [{ ids }] = documents;
      const single = await nllBackward(model, [{ ids }], { normalise });
      const scored = await model.score([{ prompt: ids.slice(0, 1), completion: ids.slice(1), segment: 0 }], 1);
      const [gradient] = await scored.backward([new Float32Array(8).fill(-1 / 8)]);
      scored.free();
      expect(single.logprobs).toEqual(scored.logprobs);
      expect(single.gradients).toEqual([gradient]);
    },
  );

  it.each(NORMALISERS)('distill by %s', async (normalise) => {
    const whole = await distillBackward(model, pairs, { normalise, segments: 2 });
    const parts = await distillBackward(model, pairs, { normalise, segments: 2, maxRows: 16 });
    expect(parts.kl).toEqual(whole.kl);
    expect(parts.teacherLogprobs).toEqual(whole.teacherLogprobs);
    expect(whole.tokens).toBe(5 + 2 + 8);
    expect(parts.loss).toBeCloseTo(whole.loss, 6);
    const sums = whole.kl.map((row) => row.reduce((sum, x) => sum + x, 0));
    const expected =
      normalise === 'token'
        ? sums.reduce((a, b) => a + b) / 15
        : sums.reduce((a, b, i) => a + b / whole.kl[i].length / 3, 0);
    expect(whole.loss).toBeCloseTo(expected, 6);
    for (const s of [0, 1]) expect(relativeError(parts.gradients[s], whole.gradients[s])).toBeLessThan(1e-5);
  });

  it('a failed batch leaves the engine usable', async () => {
    const other = { ...pairs[0], teacher: { ...pairs[0].teacher, completion: [1, 2, 3, 4, 5] } };
    await expect(distillBackward(model, [other], { normalise: 'token' })).rejects.toThrow(
      /pair 0: .*; trained token \d is another/,
    );
    const options = { normalise: 'token', segments: 2 } as const;
    const stopped = { ...options, signal: AbortSignal.abort() };
    await expect(nllBackward(model, documents, stopped)).rejects.toThrow(StoppedError);
    await expect(distillBackward(model, pairs, stopped)).rejects.toThrow(StoppedError);
    expect((await nllBackward(model, documents, options)).tokens).toBe(62);
  });
});
