// Tests splitting and packing of documents against hand-made layouts, and that neither other documents nor masked tokens affect a score.
import { beforeAll, describe, expect, it } from 'vitest';
import { type CpuDevice, createCpuDevice } from '../../kernels/cpu/device.ts';
import { Engine } from '../decoder/engine.ts';
import { pack } from '../passes/packing.ts';
import { randomIds, randomWeights, relativeError, SMALL } from '../testing/models.ts';
import type { Sequence } from '../types.ts';
import { passesOf, sequenceOf, trainedTokens, windowsOf } from './documents.ts';

describe('splitting', () => {
  it('the prompt is everything before the first trained token; the first token is never trained', () => {
    expect(sequenceOf({ ids: [5, 6, 7] })).toEqual({ prompt: [5], completion: [6, 7], segment: 0 });
    const mask = [true, false, true, false, true];
    expect(sequenceOf({ ids: [1, 2, 3, 4, 5], mask, segment: 2 })).toEqual({
      prompt: [1, 2],
      completion: [3, 4, 5],
      mask: [true, false, true],
      segment: 2,
    });
    expect(trainedTokens({ ids: [1, 2, 3, 4, 5], mask })).toBe(2);
    for (const document of [{ ids: [1] }, { ids: [1, 2], mask: [true, false] }, { ids: [1, 2], mask: [true] }])
      expect(() => sequenceOf(document)).toThrow(/nothing to be trained on/);
  });

  it.each([
    [4, 1],
    [5, 2],
    [7, 6],
    [16, 3],
  ])('windows of %i tokens with %i of context train every token once, after its own context', (length, overlap) => {
    const ids = Array.from({ length: 23 }, (_, i) => 100 + i);
    const mask = ids.map((_, t) => t % 5 !== 3);
    const windows = windowsOf({ ids, mask, segment: 1 }, length, overlap);
    const trained: number[] = [];
    for (const { ids: own, mask: which, segment } of windows) {
      expect(segment).toBe(1);
      expect(own.length).toBeLessThanOrEqual(length);
      expect(own).toEqual(ids.slice(own[0] - 100, own[0] - 100 + own.length));
      own.forEach((id, t) => {
        if (!which![t]) return;
        trained.push(id);
        expect(t).toBeGreaterThanOrEqual(own[0] === 100 ? 1 : overlap);
      });
    }
    expect(trained).toEqual(ids.filter((_, t) => t > 0 && mask[t]));
    expect(windowsOf({ ids }, 23, 1)).toEqual([{ ids }]);
    expect(() => windowsOf({ ids }, 3, 3)).toThrow(/3 tokens with 3 of context/);
  });

  it('passes take as many sequences as fit, in order, and at least one', () => {
    const of = (...lengths: number[]) => lengths.map((n) => ({ prompt: [1, 2], completion: new Array<number>(n) }));
    expect(passesOf(of(3, 3, 9, 1, 1), 8)).toEqual([
      { from: 0, to: 2 },
      { from: 2, to: 3 },
      { from: 3, to: 5 },
    ]);
    expect(passesOf(of(3, 3, 9, 1, 1))).toEqual([{ from: 0, to: 5 }]);
    expect(passesOf([])).toEqual([]);
  });
});

it('packs masked tokens as context, without targets, and without rows after the last trained token', () => {
  const masked: Sequence = {
    prompt: [1, 2],
    completion: [3, 4, 5, 6, 7],
    mask: [true, false, false, true, false],
    segment: 0,
  };
  const packed = pack([masked, { prompt: [8], completion: [9, 9], segment: 0 }], 1, 64);
  expect([...packed.ids]).toEqual([1, 2, 3, 4, 5, 8, 9]);
  expect([...packed.pos]).toEqual([0, 1, 2, 3, 4, 0, 1]);
  expect([...packed.targetRows]).toEqual([1, 4, 5, 6]);
  expect([...packed.targetIds]).toEqual([3, 6, 9, 9]);
  expect([packed.targetStart, packed.targetCount]).toEqual([
    [0, 2],
    [2, 2],
  ]);
  // Rows of the two sequences do not attend to each other.
  for (let row = 0; row < 7; row++) {
    const [a0, a1, b0, b1] = packed.ranges.subarray(row * 4, row * 4 + 4);
    const seen = [...Array(7).keys()].filter((k) => (k >= a0 && k < a1) || (k >= b0 && k < b1));
    expect(seen).toEqual(row < 5 ? [0, 1, 2, 3, 4].slice(0, row + 1) : [5, 6].slice(0, row - 4));
  }
  expect([...packed.qEnd]).toEqual([5, 5, 5, 5, 5, 7, 7]);
  const under = (mask: boolean[]) => () => pack([{ ...masked, mask }], 1, 64);
  expect(under([true])).toThrow(/sequence 0 has a mask of 1 entries for 5 tokens/);
  expect(under(new Array<boolean>(5).fill(false))).toThrow(/none of the 5 completion tokens of sequence 0/);
});

describe.each(['qwen3', 'qwen2', 'llama'] as const)('%s', (name) => {
  const config = SMALL[name];
  let device: CpuDevice;
  beforeAll(async () => {
    device = await createCpuDevice();
  });
  const open = async () => {
    const model = await Engine.create({ device, config, weights: randomWeights(config, 7, 1.5) });
    model.setAdapterParams(model.initialAdapterParams.map((_, i) => 0.1 * Math.sin(i)));
    return model;
  };
  const longest = randomIds(config, 1, config.maxPositions);
  const others = [2, 3, 4].map((seed) => randomIds(config, seed, 5 * seed));

  it('a document alone has the log-probabilities of its logits, up to the last position', async () => {
    const model = await open();
    const scored = await model.score([sequenceOf({ ids: longest })], 1);
    scored.free();
    const logits = await model.logits(longest);
    expect(scored.logprobs[0]).toHaveLength(config.maxPositions - 1);
    scored.logprobs[0].forEach((logprob, t) => {
      const row = logits.subarray(t * config.vocab, (t + 1) * config.vocab);
      const lse = Math.log(row.reduce((sum, l) => sum + Math.exp(l), 0));
      expect(logprob).toBeCloseTo(row[longest[t + 1]] - lse, 4);
    });
    model.free();
  });

  it('in a batch it has the same bits, and the same gradient in its own segment', async () => {
    const model = await open();
    const alone = sequenceOf({ ids: longest });
    const measured = async (batch: Sequence[], at: number, segments: number) => {
      const scored = await model.score(batch, segments);
      const coef = scored.logprobs.map((row, i) => row.map((_, t) => (i === at ? Math.sin(t) : Math.cos(t))));
      const gradients = await scored.backward(coef);
      scored.free();
      return { logprobs: scored.logprobs[at], gradient: gradients[batch[at].segment] };
    };
    const single = await measured([alone], 0, 1);
    const around = others.slice(0, 2).map((ids) => sequenceOf({ ids }));
    const among = await measured(
      [...around, { ...alone, segment: 1 }, sequenceOf({ ids: others[2] })],
      around.length,
      2,
    );
    expect(among.logprobs).toEqual(single.logprobs);
    expect(relativeError(among.gradient, single.gradient)).toBeLessThan(1e-5);
    model.free();
  });

  it('masked tokens are context only, as with coefficients of 0', async () => {
    const model = await open();
    const ids = longest.slice(0, 30);
    const mask = ids.map((_, t) => t % 7 < 4 && t < 26);
    const results = async (sequence: Sequence, coef: (t: number) => number) => {
      const scored = await model.score([sequence], 1);
      const [gradient] = await scored.backward([scored.logprobs[0].map((_, t) => coef(t))]);
      scored.free();
      return { ...scored, gradient };
    };
    const trained = ids.flatMap((_, t) => (t > 0 && mask[t] ? [t] : []));
    const masked = await results(sequenceOf({ ids, mask }), (t) => Math.sin(trained[t]));
    const whole = await results(sequenceOf({ ids }), (t) => (mask[t + 1] ? Math.sin(t + 1) : 0));
    expect([...masked.logprobs[0]]).toEqual(trained.map((t) => whole.logprobs[0][t - 1]));
    expect([...masked.entropy[0]]).toEqual(trained.map((t) => whole.entropy[0][t - 1]));
    expect(relativeError(masked.gradient, whole.gradient)).toBeLessThan(1e-5);
    model.free();
  });
});
