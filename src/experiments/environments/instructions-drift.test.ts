// Tests that drift is 0 for the untrained model, is the mean loss of log-probability on the base's texts for another, and leaves the policy at
// that model.

import { expect, it } from 'vitest';
import type { Policy, Sequence } from '../../engine/types.ts';
import type { PromptCodec } from '../../text/codec.ts';
import { driftMeter, plainPrompts } from './instructions.ts';

/** Gives token t log p = −1 − (t + 1) · its adapter parameter; the number of tokens follows from the prompt's index. */
function policyOf() {
  let params = new Float32Array([0]);
  let generated = 0;
  const policy = {
    initialAdapterParams: new Float32Array([0]),
    setAdapterParams: (next: Float32Array) => {
      params = new Float32Array(next);
    },
    generate: async ({ prompts }: { prompts: readonly unknown[] }) => {
      expect(params[0]).toBe(0);
      generated++;
      return prompts.map((_, i) => ({ tokens: Array(1 + (i % 3)).fill(5), logprobs: new Float32Array(), ended: true }));
    },
    score: async (texts: readonly Sequence[]) => ({
      logprobs: texts.map(({ completion }) => Float32Array.from(completion, (_, t) => -1 - params[0] * (t + 1))),
      free() {},
    }),
  };
  return { policy: policy as unknown as Policy, now: () => params[0], generated: () => generated };
}
const codec = { encodeChat: (text: string) => [...text].map(() => 0), endTokens: [2] } as unknown as PromptCodec;

it('is 0 for the untrained model, and the mean loss over all tokens for another', async () => {
  const { policy, now, generated } = policyOf();
  const measure = driftMeter('zh', 7);
  const of = (value: number) => measure({ policy, codec, adapterParams: new Float32Array([value]) });
  expect(await of(0)).toEqual({ drift: 0 });
  // Texts of 1, 2 and 3 tokens alternate, 20 in all; their tokens lose 1, 2 and 3 times the parameter.
  const lost = plainPrompts('zh').map((_, i) => [1, 3, 6][i % 3]);
  const tokens = plainPrompts('zh').map((_, i) => 1 + (i % 3));
  const total = (values: number[]) => values.reduce((a, b) => a + b, 0);
  expect((await of(0.5)).drift).toBeCloseTo((0.5 * total(lost)) / total(tokens), 6);
  expect(now()).toBe(0.5);
  // The base's texts are generated once.
  expect(generated()).toBe(1);
});

it('asks a plain question about every held-out topic, in the run’s language', () => {
  expect(plainPrompts('zh')).toHaveLength(20);
  expect(new Set(plainPrompts('en')).size).toBe(20);
  for (const prompt of plainPrompts('zh')) expect(prompt).not.toMatch(/要求|满足/);
});
