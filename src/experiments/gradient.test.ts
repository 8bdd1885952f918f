// From advantages to coefficients, loss and the figures of a row, on a batch whose numbers are given.
import { describe, expect, it } from 'vitest';
import type { Policy, ScoredBatch, Sequence } from '../engine/types.ts';
import type { Group, Source } from '../environments/types.ts';
import { backwardStep, scoreStep } from './gradient.ts';
import type { RunSpec } from './spec.ts';

const spec = { clipEps: 0.2, klBeta: 0, groupSize: 2, maxNew: 10, promptsPerStep: 2 } as RunSpec;
const DENOMINATOR = 2 * 10 * 2;

const rollout = (source: Source, tokens: number) => ({
  task: 0,
  source,
  turns: [
    {
      prompt: 'p',
      completion: 'c',
      promptIds: [1, 2],
      completionIds: Array.from({ length: tokens }, (_, t) => t),
      ended: true,
    },
  ],
});
const groups: Group<number>[] = [
  { task: 0, rollouts: [rollout('student', 2), rollout('teacher', 3)] },
  { task: 0, rollouts: [rollout('student', 1), rollout('student', 1)] },
];
const advantages = {
  values: [
    [-0.5, 0.5],
    [0, 0],
  ],
  skipped: [false, true],
};

/** Scores every token of sequence i with log-probability `logp(i)` and entropy i + 1; keeps what backward was given. */
function fakePolicy(logp: (knobs: Float32Array, i: number) => number) {
  const asked: { sequences: readonly Sequence[]; segments: number }[] = [];
  const coefs: (readonly Float32Array[])[] = [];
  let knobs = new Float32Array(1);
  let open = 0;
  const policy = {
    setKnobs: (next: Float32Array) => {
      knobs = next.slice() as Float32Array<ArrayBuffer>;
    },
    score: async (sequences: readonly Sequence[], segments: number): Promise<ScoredBatch> => {
      asked.push({ sequences, segments });
      open++;
      const rows = (value: (i: number) => number) =>
        sequences.map(({ completion }, i) => new Float32Array(completion.length).fill(value(i)));
      return {
        logprobs: rows((i) => logp(knobs, i)),
        entropy: rows((i) => i + 1),
        backward: async (coef) => {
          coefs.push(coef);
          return [Float32Array.of(1), Float32Array.of(2)];
        },
        free: () => {
          open--;
        },
      };
    },
  } as unknown as Policy;
  return { policy, asked, coefs, open: () => open };
}

describe('a step’s gradient', () => {
  it('scores the groups that are not skipped, student and teacher apart, with −A over the constant denominator', async () => {
    const { policy, asked, coefs } = fakePolicy(() => -1);
    const scored = await scoreStep(policy, Float32Array.of(0), groups, advantages, spec);
    expect(asked).toHaveLength(1);
    expect(asked[0].segments).toBe(2);
    expect(asked[0].sequences.map(({ segment, completion }) => [segment, completion.length])).toEqual([
      [0, 2],
      [1, 3],
    ]);
    const step = await backwardStep(scored!, spec);
    expect(coefs[0].map((row) => Array.from(row))).toEqual([
      [0.5, 0.5].map((x) => Math.fround(x / DENOMINATOR)),
      [-0.5, -0.5, -0.5].map((x) => Math.fround(x / DENOMINATOR)),
    ]);
    expect(step.loss).toBeCloseTo((2 * 0.5 - 3 * 0.5) / DENOMINATOR, 12);
    expect([step.student[0], step.teacher[0]]).toEqual([1, 2]);
    // Entropy is the student's alone.
    expect([step.entropy, step.kl]).toEqual([1, null]);
  });

  it('takes the KL term against the untrained model, and goes on at the present knobs', async () => {
    // Sequence 0 is more likely by ln 2 at knobs 7 than at knobs 0; sequence 1 is as it was.
    const { policy, asked, coefs, open } = fakePolicy((knobs, i) => (i === 0 && knobs[0] === 7 ? Math.log(2) - 1 : -1));
    policy.setKnobs(Float32Array.of(7));
    const scored = await scoreStep(policy, Float32Array.of(7), groups, advantages, { ...spec, klBeta: 0.1 });
    expect(asked).toHaveLength(2);
    expect(open()).toBe(1);
    const step = await backwardStep(scored!, { ...spec, klBeta: 0.1 });
    const k3 = 0.5 + Math.log(2) - 1; // e^d − d − 1 at d = −ln 2
    expect(step.kl).toBeCloseTo((2 * k3) / 5, 6);
    expect(coefs[0][0][0] * DENOMINATOR).toBeCloseTo(0.5 + 0.1 * (1 - 0.5), 6);
    expect(coefs[0][1][0] * DENOMINATOR).toBeCloseTo(-0.5, 6);
  });

  it('is none when every group is skipped', async () => {
    const { policy, asked } = fakePolicy(() => -1);
    const none = { values: advantages.values, skipped: [true, true] };
    expect(await scoreStep(policy, Float32Array.of(0), groups, none, spec)).toBeNull();
    expect(asked).toEqual([]);
  });
});
