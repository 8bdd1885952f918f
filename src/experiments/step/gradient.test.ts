// Tests advantages, coefficients, loss and a row's metrics on a batch with given numbers.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { describe, expect, it } from 'vitest';
import type { Policy, ScoredBatch, Sequence } from '../../engine/types.ts';
import type { Group, Source } from '../../environments/types.ts';
import type { RunSpec } from '../config/run-spec.ts';
import { COMMON } from '../config/settings.ts';
import { advantagesOf, backwardStep, ratiosMove, scoreStep } from './gradient.ts';

const spec = { ...COMMON, groupSize: 2, maxNew: 10, promptsPerStep: 2 } as RunSpec;
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
  counted: [
    [true, true],
    [true, true],
  ],
};

/** Scores token t of sequence i with log-probability `logp(adapter parameters, i, t)` and entropy i + 1; records the coefficients of backward. */
function fakePolicy(logp: (adapterParams: Float32Array, i: number, t: number) => number) {
  const asked: { sequences: readonly Sequence[]; segments: number }[] = [];
  const coefs: (readonly Float32Array[])[] = [];
  const entropyCoefs: (readonly Float32Array[] | undefined)[] = [];
  let adapterParams = new Float32Array(1);
  let open = 0;
  const policy = {
    initialAdapterParams: new Float32Array(1),
    setAdapterParams: (next: Float32Array) => {
      adapterParams = next.slice() as Float32Array<ArrayBuffer>;
    },
    score: async (sequences: readonly Sequence[], segments: number): Promise<ScoredBatch> => {
      asked.push({ sequences, segments });
      open++;
      const rows = (value: (i: number, t: number) => number) =>
        sequences.map(({ completion }, i) => Float32Array.from(completion, (_, t) => value(i, t)));
      return {
        logprobs: rows((i, t) => logp(adapterParams, i, t)),
        entropy: rows((i) => i + 1),
        backward: async (coef, entropyCoef) => {
          coefs.push(coef);
          entropyCoefs.push(entropyCoef);
          return [Float32Array.of(1), Float32Array.of(2)];
        },
        free: () => {
          open--;
        },
      };
    },
  } as unknown as Policy;
  return { policy, asked, coefs, entropyCoefs, open: () => open };
}

describe('a step’s gradient', () => {
  it('scores the groups that are not skipped, student and teacher separately, with −A over the constant denominator', async () => {
    const { policy, asked, coefs } = fakePolicy(() => -1);
    const scored = await scoreStep({ policy, spec }, Float32Array.of(0), groups, advantages);
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
    // Only the student's tokens count for the entropy.
    expect([step.entropy, step.kl]).toEqual([1, null]);
  });

  it('with keys and values in f16 weighs a rollout by its ratio to the sampling policy, and a teacher row by 1', async () => {
    const written = (tokens: number, logprob: number) => {
      const { turns, ...rest } = rollout('student', tokens);
      return { ...rest, turns: turns.map((turn) => ({ ...turn, logprobs: new Float32Array(tokens).fill(logprob) })) };
    };
    const own: Group<number>[] = [
      { task: 0, rollouts: [written(2, Math.log(0.4)), rollout('teacher', 3)] },
      { task: 0, rollouts: [written(1, 0), written(1, 0)] },
    ];
    const halved = { ...spec, kvCache: 'f16' } as RunSpec;
    expect([ratiosMove(spec), ratiosMove(halved)]).toEqual([false, true]);
    const coefsOf = async (of: RunSpec) => {
      const { policy, coefs } = fakePolicy(() => Math.log(0.44));
      const scored = await scoreStep({ policy, spec: of }, Float32Array.of(0), own, advantages);
      const { ratios } = await backwardStep(scored!, of);
      return { coefs: coefs[0].map(([x]) => x * DENOMINATOR), ratios };
    };
    const [plain, rounded] = [await coefsOf(spec), await coefsOf(halved)];
    expect(plain.coefs.map((x) => Number(x.toFixed(6)))).toEqual([0.5, -0.5]);
    // −ρA, with ρ = 0.44 / 0.4.
    expect(rounded.coefs.map((x) => Number(x.toFixed(6)))).toEqual([0.55, -0.5]);
    expect(rounded.ratios.ratioMean).toBeCloseTo((2 * 1.1 + 3) / 5, 6);
    // A device that rounds the steps samples apart as well, unless the pass is one on policy.
    expect(ratiosMove(spec, { roundsSteps: true })).toBe(true);
    for (const [isOnPolicy, first] of [
      [false, 0.55],
      [true, 0.5],
    ] as const) {
      const { policy: fake, coefs } = fakePolicy(() => Math.log(0.44));
      const policy = { ...fake, roundsSteps: true };
      const scored = await scoreStep({ policy, spec, isOnPolicy }, Float32Array.of(0), own, advantages);
      await backwardStep(scored!, spec);
      expect(coefs[0][0][0] * DENOMINATOR).toBeCloseTo(first, 6);
    }
    // Without log-probabilities from sampling there is no ratio.
    const { policy } = fakePolicy(() => -1);
    await expect(scoreStep({ policy, spec: halved }, Float32Array.of(0), groups, advantages)).rejects.toThrow(
      'a rollout has no log-probabilities for 2 tokens',
    );
  });

  it('takes the KL term against the untrained model, then restores the current adapter parameters', async () => {
    // Sequence 0 is more likely by ln 2 at adapter parameters 7 than at 0; sequence 1 is equally likely.
    const { policy, asked, coefs, open } = fakePolicy((adapterParams, i) =>
      i === 0 && adapterParams[0] === 7 ? Math.log(2) - 1 : -1,
    );
    policy.setAdapterParams(Float32Array.of(7));
    const scored = await scoreStep({ policy, spec: { ...spec, klBeta: 0.1 } }, Float32Array.of(7), groups, advantages);
    expect(asked).toHaveLength(2);
    expect(open()).toBe(1);
    const step = await backwardStep(scored!, { ...spec, klBeta: 0.1 });
    const k3 = 0.5 + Math.log(2) - 1; // e^d − d − 1 at d = −ln 2
    expect(step.kl).toBeCloseTo((2 * k3) / 5, 6);
    expect(coefs[0][0][0] * DENOMINATOR).toBeCloseTo(0.5 + 0.1 * (1 - 0.5), 6);
    expect(coefs[0][1][0] * DENOMINATOR).toBeCloseTo(-0.5, 6);
  });

  it('gives each scored token the entropy bonus over the loss’s denominator, and none if its weight is 0', async () => {
    const { policy, coefs, entropyCoefs } = fakePolicy(() => -1);
    const losses: number[] = [];
    for (const entropyCoef of [0, 0.1]) {
      const changed = { ...spec, entropyCoef };
      const scored = await scoreStep({ policy, spec: changed }, Float32Array.of(0), groups, advantages);
      losses.push((await backwardStep(scored!, changed)).loss);
    }
    expect(coefs[1]).toEqual(coefs[0]);
    expect(entropyCoefs[0]).toBeUndefined();
    expect(entropyCoefs[1]!.map((row) => [...row])).toEqual(
      [2, 3].map((n) => Array(n).fill(Math.fround(-0.1 / DENOMINATOR))),
    );
    // Entropy is 1 at the first rollout's two tokens and 2 at the second's three.
    expect(losses[1]).toBeCloseTo(losses[0] - (0.1 * (2 * 1 + 3 * 2)) / DENOMINATOR, 12);
  });

  it('is null when every group is skipped', async () => {
    const { policy, asked } = fakePolicy(() => -1);
    const none = { ...advantages, skipped: [true, true] };
    expect(await scoreStep({ policy, spec }, Float32Array.of(0), groups, none)).toBeNull();
    expect(asked).toEqual([]);
  });
});

describe('the loss’s denominator', () => {
  const coefs = async (changes: Partial<RunSpec>, counted = advantages.counted) => {
    const { policy, coefs } = fakePolicy(() => -1);
    const changed = { ...spec, ...changes };
    const scored = await scoreStep({ policy, spec: changed }, Float32Array.of(0), groups, { ...advantages, counted });
    await backwardStep(scored!, changed);
    return coefs[0].map((row) => row[0]);
  };
  const of = (...slopes: [over: number, by: number][]) => slopes.map(([over, by]) => Math.fround(over / by));

  it('counts the completions of a flat group, although they are not scored', async () => {
    // Four completions of 2, 3, 1 and 1 tokens; the last two make the flat group.
    expect(await coefs({ lossType: 'grpo' })).toEqual(of([0.5, 4 * 2], [-0.5, 4 * 3]));
    expect(await coefs({ lossType: 'bnpo' })).toEqual(of([0.5, 7], [-0.5, 7]));
    expect(await coefs({ lossType: 'dapo' })).toEqual(await coefs({ lossType: 'bnpo' }));
    expect(await coefs({ lossType: 'dr_grpo' })).toEqual(of([0.5, DENOMINATOR], [-0.5, DENOMINATOR]));
  });

  it('does not count screened-out completions, except in the constant denominator', async () => {
    const counted = [
      [true, true],
      [true, false],
    ];
    expect(await coefs({ lossType: 'grpo' }, counted)).toEqual(of([0.5, 3 * 2], [-0.5, 3 * 3]));
    expect(await coefs({ lossType: 'bnpo' }, counted)).toEqual(of([0.5, 6], [-0.5, 6]));
    expect(await coefs({ lossType: 'dr_grpo' }, counted)).toEqual(of([0.5, DENOMINATOR], [-0.5, DENOMINATOR]));
  });
});

describe('advantages of counted rewards', () => {
  it('leave out dropped rollouts from the group’s mean and the step’s sd', () => {
    const rewards = [
      [1, null, 0],
      [null, 1.25],
      [0, 4],
    ];
    const { values, skipped, counted } = advantagesOf(rewards, spec);
    expect(values).toEqual([
      [0.5, 0, -0.5],
      [0, 0],
      [-2, 2],
    ]);
    expect(skipped).toEqual([false, true, false]);
    expect(counted[0]).toEqual([true, false, true]);
    const batch = advantagesOf(rewards, { ...spec, scaleRewards: 'batch' });
    // Rewards 1 0 1.25 0 4: mean 1.25, squared deviations 1/16 + 25/16 + 0 + 25/16 + 121/16.
    const sd = Math.sqrt(172 / 16 / 4) + 1e-4;
    expect(batch.values[2][1]).toBeCloseTo(2 / sd, 12);
  });
});

describe('inner epochs', () => {
  // After the first optimizer step (adapter parameters 7), sequence 0 has ratios 1.5 and 1, sequence 1 has 0.9 throughout.
  const moving = () =>
    fakePolicy((adapterParams, i, t) =>
      adapterParams[0] !== 7 ? -1 : -1 + Math.log(i === 1 ? 0.9 : t === 0 ? 1.5 : 1),
    );
  const rising = { ...advantages, values: advantages.values.map((group) => group.map((a) => -a)) };

  async function second(changes: Partial<RunSpec>) {
    const fake = moving();
    const acting = { policy: fake.policy, spec: { ...spec, innerEpochs: 2, ...changes } };
    const first = await scoreStep(acting, Float32Array.of(0), groups, rising);
    const before = await backwardStep(first!, acting.spec);
    first!.batch.free();
    const again = await scoreStep(acting, Float32Array.of(7), groups, rising, first!.anchors);
    const after = await backwardStep(again!, acting.spec);
    again!.batch.free();
    return { ...fake, before, after };
  }

  it('take their ratios against the first forward, so that the clip acts', async () => {
    const { before, after, coefs, asked, open } = await second({});
    expect(asked).toHaveLength(2);
    expect(open()).toBe(0);
    expect(before.ratios).toEqual({ clipFraction: 0, ratioMean: 1 });
    expect([...coefs[0][0]]).toEqual(Array(2).fill(Math.fround(-0.5 / DENOMINATOR)));
    expect(coefs[1][0][0]).toBe(0); // ratio 1.5 exceeds 1.2 with A > 0, so it is clipped
    expect(coefs[1][0][1] * DENOMINATOR).toBeCloseTo(-0.5, 6);
    for (const slope of coefs[1][1]) expect(slope * DENOMINATOR).toBeCloseTo(0.5 * 0.9, 6);
    expect(after.loss * DENOMINATOR).toBeCloseTo(-0.5 * (1.2 + 1) + 0.5 * 3 * 0.9, 5);
    expect(after.ratios.clipFraction).toBeCloseTo(1 / 5, 12);
    expect(after.ratios.ratioMean).toBeCloseTo((1.5 + 1 + 3 * 0.9) / 5, 6);
  });

  it('a higher upper clip leaves the first token unclipped', async () => {
    const { after, coefs } = await second({ clipEpsHigh: 0.6 });
    expect(coefs[1][0][0] * DENOMINATOR).toBeCloseTo(-0.75, 6);
    expect(after.ratios.clipFraction).toBe(0);
  });

  it('a ratio per sequence replaces 1.5 and 1 by √1.5', async () => {
    const { after, coefs } = await second({ lossType: 'grpo', importanceSampling: 'sequence', clipEps: 0.25 });
    for (const slope of coefs[1][0]) expect(slope).toBeCloseTo((-0.5 * Math.sqrt(1.5)) / (4 * 2), 6);
    expect(after.ratios.ratioMean).toBeCloseTo((2 * Math.sqrt(1.5) + 3 * 0.9) / 5, 6);
    const held = await second({ lossType: 'grpo', importanceSampling: 'sequence', clipEps: 0.2 });
    expect([...held.coefs[1][0]]).toEqual([0, 0]);
  });

  it('keep the first epoch’s KL reference, and are pulled back towards it', async () => {
    const { before, after, coefs, asked } = await second({ klBeta: 0.1 });
    expect(asked).toHaveLength(3); // the reference, the first epoch, the second
    expect(before.kl).toBeCloseTo(0, 12);
    const k3 = (ratio: number) => 1 / ratio + Math.log(ratio) - 1;
    expect(after.kl).toBeCloseTo((k3(1.5) + 3 * k3(0.9)) / 5, 6);
    expect(coefs[1][0][0] * DENOMINATOR).toBeCloseTo(0.1 * (1 - 1 / 1.5), 6);
  });
});

describe('the teacher’s stored ratio', () => {
  const teacherWrote = (logprobs?: number[]): Group<number>[] => [
    {
      ...groups[0],
      rollouts: groups[0].rollouts.map((rollout) => ({
        ...rollout,
        turns: rollout.turns.map((turn) => ({
          ...turn,
          ...(rollout.source === 'teacher' && logprobs && { logprobs: Float32Array.from(logprobs) }),
        })),
      })),
    },
  ];
  const stored = { ...spec, teacherRatio: 'stored' } as RunSpec;
  // The student gives every token log-probability −1; the teacher's give the ratios 1.1, ½ and 2.
  const ratios = [1.1, 0.5, 2];
  const teacher = ratios.map((ratio) => -1 - Math.log(ratio));

  it('weighs the teacher’s tokens by π/π_teacher within the clip, and leaves the student’s at 1', async () => {
    const { policy, coefs } = fakePolicy(() => -1);
    const scored = await scoreStep({ policy, spec: stored }, Float32Array.of(0), teacherWrote(teacher), advantages);
    const { ratios: moved } = await backwardStep(scored!, stored);
    for (const slope of coefs[0][0]) expect(slope * DENOMINATOR).toBeCloseTo(0.5, 6);
    const slopes = Array.from(coefs[0][1], (slope) => slope * DENOMINATOR);
    expect(slopes[0]).toBeCloseTo(-0.55, 6);
    expect(slopes[1]).toBeCloseTo(-0.25, 6);
    expect(slopes[2]).toBeCloseTo(0, 12);
    expect(moved.ratioMean).toBeCloseTo((2 + 1.1 + 0.5 + 2) / 5, 6);
  });

  it('recomputed ignores the stored log-probabilities', async () => {
    const { policy, coefs } = fakePolicy(() => -1);
    const scored = await scoreStep({ policy, spec }, Float32Array.of(0), teacherWrote(teacher), advantages);
    await backwardStep(scored!, spec);
    expect([...coefs[0][1]]).toEqual(Array(3).fill(Math.fround(-0.5 / DENOMINATOR)));
  });

  it('is refused for a row without log-probabilities, or with too few', async () => {
    const { policy } = fakePolicy(() => -1);
    const of = (logprobs?: number[]) =>
      scoreStep({ policy, spec: stored }, Float32Array.of(0), teacherWrote(logprobs), advantages);
    await expect(of()).rejects.toThrow(SpecError);
    await expect(of()).rejects.toThrow(/has no log-probabilities/);
    await expect(of([-1])).rejects.toThrow(/1 log-probabilities for 3 tokens/);
  });

  it('and inner epochs can move ratios away from 1', () => {
    expect(ratiosMove(spec)).toBe(false);
    expect(ratiosMove({ ...spec, innerEpochs: 2 })).toBe(true);
    expect(ratiosMove(stored)).toBe(true);
    expect(ratiosMove({ ...stored, mix: 0 })).toBe(false);
  });
});
