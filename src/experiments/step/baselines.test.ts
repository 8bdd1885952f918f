// Tests the advantages of rollouts under each baseline, with given verdicts and activations.
import { describe, expect, it } from 'vitest';
import { monitorFlags } from '../../algorithms/monitor.ts';
import type { Policy, Sequence } from '../../engine/types.ts';
import type { Source } from '../../environments/types.ts';
import type { RunSpec } from '../config/run-spec.ts';
import { COMMON } from '../config/settings.ts';
import { countedRewards } from './baselines.ts';
import type { StepGroup } from './groups.ts';

type Case = [source: Source, exploited: boolean, reward: number, activation?: number];

const SPEC = { ...COMMON, seed: 41 } as RunSpec;
const isHack = (exploited: boolean) => exploited;

/** Each rollout is one turn of one token; its activation is looked up by that token. */
function build(cases: Case[][]) {
  const activations: number[] = [];
  const groups = cases.map(
    (group, prompt): StepGroup<number, boolean> => ({
      task: 0,
      prompt,
      live: group.filter(([source]) => source === 'student').length,
      drawn: [],
      rollouts: group.map(([source, , , activation = 0]) => {
        activations.push(activation);
        return {
          task: 0,
          source,
          turns: [{ prompt: '', completion: '', promptIds: [1], completionIds: [activations.length - 1], ended: true }],
        };
      }),
    }),
  );
  const judged = cases.map((group) => group.map(([, exploited, reward]) => ({ reward, verdict: exploited })));
  const read: { layer: number; sequences: number }[] = [];
  const policy = {
    activations: async (sequences: readonly Pick<Sequence, 'prompt' | 'completion'>[], layer: number) => {
      read.push({ layer, sequences: sequences.length });
      return sequences.map(({ completion }) => Float32Array.of(0, activations[completion[0]]));
    },
  } as unknown as Policy;
  const counted = (changes: Partial<RunSpec>, step = 0) =>
    countedRewards(
      { spec: { ...SPEC, ...changes }, policy, isHack, concept: { layer: 1, direction: Float32Array.of(5, 2) } },
      groups,
      judged,
      step,
    );
  return { counted, read };
}

const two: Case[][] = [
  [
    ['student', true, 1.25],
    ['student', false, 0.25],
    ['teacher', true, 1.25],
  ],
  [
    ['student', false, 1.25],
    ['student', true, 1],
  ],
];

describe('without a baseline', () => {
  it('a rollout counts for its reward, and no activation is read and no field logged', async () => {
    const { counted, read } = build(two);
    expect(await counted({ monitorAccuracy: 0.5, advantageAlpha: 3 })).toEqual({
      rewards: [
        [1.25, 0.25, 1.25],
        [1.25, 1],
      ],
      row: {},
    });
    expect(read).toEqual([]);
  });
});

describe('a reward penalty', () => {
  it('is subtracted from every flagged rollout, teacher rows included', async () => {
    const { rewards, row } = await build(two).counted({ rewardPenalty: 2 });
    expect(rewards).toEqual([
      [-0.75, 0.25, -0.75],
      [1.25, -1],
    ]);
    expect(row).toEqual({ flagged: 0.5 }); // share of the live rollouts
  });

  it('follows the noisy monitor, whose noise is keyed by seed, step, prompt and sample', async () => {
    const many: Case[][] = Array.from({ length: 6 }, (_, g) =>
      Array.from({ length: 8 }, (_, i): Case => ['student', (g + i) % 2 === 0, 1]),
    );
    const { counted } = build(many);
    const spec = { rewardPenalty: 1, monitorAccuracy: 0.6 };
    const expected = (step: number) =>
      many.map((group, prompt) =>
        group.map(([, exploited], sample) =>
          monitorFlags(exploited, 0.6, { seed: 41, step, prompt, sample }) ? 0 : 1,
        ),
      );
    expect((await counted(spec)).rewards).toEqual(expected(0));
    expect((await counted(spec, 3)).rewards).toEqual(expected(3));
    expect(expected(3)).not.toEqual(expected(0));
  });
});

describe('screening', () => {
  it('drops flagged rollouts', async () => {
    const { rewards, row } = await build(two).counted({ screening: true });
    expect(rewards).toEqual([
      [null, 0.25, null],
      [1.25, null],
    ]);
    expect(row).toEqual({ flagged: 0.5 });
  });
});

describe('advantage modification', () => {
  const scored: Case[][] = [
    [
      ['student', false, 1.25, 30],
      ['student', false, 1.25, 10],
      ['teacher', true, 1.25, 20],
    ],
    [
      ['student', false, 0.25, 7],
      ['student', false, 1.25, 7],
    ],
  ];

  it('subtracts α·max(z, 0), z within each group, read at the concept’s layer', async () => {
    const { counted, read } = build(scored);
    const { rewards } = await counted({ advantageMod: 'subtract', advantageAlpha: 0.5 });
    expect(rewards).toEqual([
      [0.75, 1.25, 1.25],
      [0.25, 1.25],
    ]);
    expect(read).toEqual([{ layer: 1, sequences: 5 }]);
  });

  it('scales by 1 − α·σ(z) if z > 0', async () => {
    const { rewards } = await build(scored).counted({ advantageMod: 'scale' });
    expect(rewards[0][0]).toBeCloseTo(1.25 * (1 - 1 / (1 + Math.exp(-1))), 12);
    expect(rewards[0].slice(1)).toEqual([1.25, 1.25]);
    expect(rewards[1]).toEqual([0.25, 1.25]);
  });

  it('comes after screening: z is computed over the remaining rollouts', async () => {
    const { rewards } = await build(scored).counted({ advantageMod: 'subtract', screening: true });
    // Only scores 30 and 10 remain: z = ±1/√2.
    expect(rewards[0][0]).toBeCloseTo(1.25 - Math.SQRT1_2, 12);
    expect(rewards[0].slice(1)).toEqual([1.25, null]);
  });

  it('comes after the penalty', async () => {
    const { rewards } = await build(scored).counted({ advantageMod: 'subtract', rewardPenalty: 1 });
    expect(rewards[0]).toEqual([0.25, 1.25, 0.25]);
  });

  it('weighs the turns of a rollout by their tokens', async () => {
    const turn = (activation: number, tokens: number) => ({
      prompt: '',
      completion: '',
      promptIds: [1],
      completionIds: Array(tokens).fill(activation),
      ended: true,
    });
    const rollout = (...turns: ReturnType<typeof turn>[]) => ({ task: 0, source: 'student' as const, turns });
    // Means over tokens: (3·4 + 1·8)/4 = 5; 3; 4.
    const rollouts = [rollout(turn(4, 3), turn(8, 1)), rollout(turn(3, 2)), rollout(turn(4, 1))];
    const group: StepGroup<number, boolean> = { task: 0, prompt: 0, live: 3, drawn: [], rollouts };
    const policy = {
      activations: async (sequences: readonly Sequence[]) =>
        sequences.map(({ completion, mask }) => {
          const trained = completion.filter((_, t) => !mask || mask[t]);
          return Float32Array.of(trained.reduce((sum, x) => sum + x, 0) / trained.length);
        }),
    } as unknown as Policy;
    const spec = { ...SPEC, advantageMod: 'subtract' } as RunSpec;
    const concept = { layer: 0, direction: Float32Array.of(2) };
    const judged = [rollouts.map(() => ({ reward: 0, verdict: false }))];
    const { rewards } = await countedRewards({ spec, policy, isHack, concept }, [group], judged, 0);
    expect(rewards[0].map((reward) => (reward as number) + 0)).toEqual([-1, 0, 0]);
  });
});
