// Tests that predictions at every token of a text agree with the logits, and that sequences may leave a batch early.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCpuDevice } from '../../kernels/cpu/device.ts';
import { randomWeights, SMALL } from '../testing/models.ts';
import type { Generated } from '../types.ts';
import { Engine } from './engine.ts';

const config = SMALL.qwen3;
let engine: Engine;
beforeAll(async () => {
  const device = await createCpuDevice();
  engine = await Engine.create({ device, config, weights: randomWeights(config, 3), adapter: 'none' });
});
afterAll(() => {
  engine.free();
  engine.device.destroy();
});

/** Log-softmax in double precision. */
function logSoftmax(logits: ArrayLike<number>): number[] {
  const all = Array.from(logits);
  const most = Math.max(...all);
  const sum = Math.log(all.reduce((total, x) => total + Math.exp(x - most), 0)) + most;
  return all.map((x) => x - sum);
}

describe('ranked tokens', () => {
  const texts = [[5, 9, 3, 17, 2], [4], [5, 1]];

  it('agree with the logits of each text alone, most likely first', async () => {
    const all = await engine.ranked(texts, 4);
    expect(all.map(({ length }) => length)).toEqual([4, 0, 1]);
    for (const [t, ids] of texts.entries()) {
      const logits = await engine.logits(ids);
      for (const [i, { id, logprob, top }] of all[t].entries()) {
        const row = logSoftmax(logits.subarray(i * config.vocab, (i + 1) * config.vocab));
        expect(id).toBe(ids[i + 1]);
        expect(logprob).toBeCloseTo(row[id], 5);
        const order = row.map((_, token) => token).sort((a, b) => row[b] - row[a] || a - b);
        expect(top.map((one) => one.id)).toEqual(order.slice(0, 4));
        for (const one of top) expect(one.logprob).toBeCloseTo(row[one.id], 5);
      }
      expect(await engine.ranked([ids], 4)).toEqual([all[t]]);
    }
  });

  it('give a token the same log-probability in the text and in the top list', async () => {
    const [[first]] = await engine.ranked([texts[0]], config.vocab);
    expect(first.top).toHaveLength(config.vocab);
    expect(first.top.find(({ id }) => id === first.id)?.logprob).toBe(first.logprob);
  });
});

describe('sequences that end early', () => {
  const request = {
    prompts: [
      [5, 9, 3],
      [7, 2],
    ],
    maxNew: 12,
    temperature: 1,
    endTokens: [],
  };
  const sequences = [0, 1, 0, 1].map((prompt, i) => ({ prompt, key: [1, i] as const }));
  const tokens = (all: readonly Generated[]) => all.map((one) => one.tokens);

  it('by their own token limit: each is a prefix of its full sequence', async () => {
    const whole = tokens(await engine.generate({ ...request, sequences }));
    const budgets = [3, 12, 1, 7];
    const cut = await engine.generate({
      ...request,
      sequences: sequences.map((one, i) => ({ ...one, maxNew: budgets[i] })),
    });
    expect(tokens(cut)).toEqual(whole.map((ids, i) => ids.slice(0, budgets[i])));
    expect(cut.every(({ ended }) => !ended)).toBe(true);
    await expect(engine.generate({ ...request, sequences: [{ ...sequences[0], maxNew: 13 }] })).rejects.toThrow(
      '13 tokens',
    );
  });

  it('because they are no longer needed: the others are unchanged', async () => {
    const whole = tokens(await engine.generate({ ...request, sequences }));
    const left = await engine.generate({
      ...request,
      sequences,
      isOver: (sequence, soFar) => sequence === 1 && soFar.tokens.length >= 4,
    });
    expect(tokens(left)).toEqual(whole.map((ids, i) => (i === 1 ? ids.slice(0, 4) : ids)));
  });
});
