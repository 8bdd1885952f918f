// Tests agreement by rollout in whole small runs: a rollout's own gradient, which rollouts count, and that the placebo uses only their rewards.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { addInto, minus, norm } from '../../algorithms/vectors.ts';
import type { ArmName } from '../config/arms.ts';
import type { Settings } from '../config/settings.ts';
import { memoryCheckpoints, openCoinLab, type Ran, runTiny, type TinyLab, tinySpec } from '../testing/tiny.node.ts';
import { prepareAgreement } from './agree-rollout-step.ts';
import type { PaidRollout, StepGradients } from './method.ts';

let lab: TinyLab;
beforeAll(async () => {
  lab = await openCoinLab(undefined, (completion) => completion.length % 2 === 0);
});
afterAll(() => lab?.close());

const OVERRIDES: Partial<Settings> = { problems: 16, mix: 0, evalEvery: 0, finalEvalProblems: 2, trustedShare: 0.3 };
const spec = (arm: ArmName, overrides: Partial<Settings> = {}) =>
  tinySpec({ arms: [arm], overrides: { ...OVERRIDES, checkpointEvery: 1, ...overrides } });
const firstRow = ({ result }: Ran) => result.runs[0].rows[0];

const rollout = (reward: number, isHack: boolean): PaidRollout => ({
  prompt: 0,
  sample: 0,
  tokens: null,
  reward,
  isHack,
});
/** Gradients g_i and the rewards of their rollouts; ⟨g_i, (1, 0)⟩ > 0 for the first and the last. */
const OWN: [Float32Array, PaidRollout][] = [
  [Float32Array.of(2, 1), rollout(1.25, false)],
  [Float32Array.of(-1, 4), rollout(1.25, true)],
  [Float32Array.of(0, 8), rollout(1.25, true)],
  [Float32Array.of(-3, 0), rollout(0.25, false)],
  [Float32Array.of(5, 16), rollout(1.25, true)],
];
const trusted = Float32Array.of(1, 0);
const gradients = (step = 0): StepGradients => ({
  step,
  trusted,
  direction: trusted,
  modules: [{ offset: 0, r: 2 }],
  untrusted: Float32Array.of(3, 29),
  each: async (use) => {
    for (const [own, of] of OWN) use(own, of);
  },
});
const RUN = { seed: 1, trustedPrompts: 2, promptsPerStep: 2, lossType: 'dr_grpo', innerEpochs: 1, mix: 0 };
const combine = (trustedGate: string, step = 0) =>
  prepareAgreement({ ...RUN, trustedGate })(null).combine!(gradients(step));

describe('the rule', () => {
  it('adds the rollouts whose gradient has a positive inner product with the trusted one, and reports the share of hacks left out', async () => {
    const { gradient, row } = await combine('trusted');
    expect(Array.from(gradient)).toEqual([8, 17]);
    expect(row).toEqual({ gated: 3 / 5, gateRecall: 2 / 3 });
  });

  it('selects no rollout if the trusted gradient is zero', async () => {
    const still = { ...gradients(), trusted: new Float32Array(2) };
    const made = await prepareAgreement({ ...RUN, trustedGate: 'trusted' })(null).combine!(still);
    expect(Array.from(made.gradient)).toEqual([0, 0]);
    expect(made.row).toEqual({ gated: 1, gateRecall: 1 });
  });

  it('has a placebo that selects as many of each reward, different ones in each step', async () => {
    const made = await Promise.all(Array.from({ length: 12 }, (_, step) => combine('random', step)));
    for (const { gradient, row } of made) {
      // Two of the four rewarded rollouts are chosen, never the unrewarded one.
      expect(row!.gated).toBe(3 / 5);
      const sums = [
        [8, 17],
        [2, 5],
        [3, 9],
        [0, 12],
        [5, 20],
        [6, 24],
      ];
      expect(sums).toContainEqual(Array.from(gradient));
    }
    expect(new Set(made.map(({ gradient }) => String(gradient))).size).toBeGreaterThan(2);
  });
});

describe('a run of agreement by rollout', () => {
  it('computes rollout gradients that sum to the mixture’s', async () => {
    const sums: { step: number; untrusted: Float32Array; trusted: Float32Array; sum: Float32Array; count: number }[] =
      [];
    vi.doMock('./agree-rollout-step.ts', () => ({
      prepareAgreement: () => () => ({
        readsTrusted: () => true,
        async combine({ step, untrusted, trusted, each }: StepGradients) {
          const own: Float32Array[] = [];
          await each((gradient) => own.push(gradient));
          const sum = new Float32Array(untrusted.length);
          for (const gradient of own) addInto(sum, gradient);
          sums.push({ step, untrusted, trusted, sum, count: own.length });
          return { gradient: untrusted };
        },
      }),
    }));
    // Two rollouts of each group have its mean reward, so only a KL term or an entropy bonus gives them a gradient.
    const grade: TinyLab['grader']['grade'] = async (items) =>
      (await lab.grader.grade(items)).map((one, i) => ({ ...one, reward: [0, 0.5, 0.5, 1][i % 4] }));
    const even = { ...lab, grader: { ...lab.grader, grade } };
    for (const pull of [{}, { klBeta: 0.1 }, { entropyCoef: 0.1 }]) await runTiny(even, spec('agree_rollout', pull));
    vi.doUnmock('./agree-rollout-step.ts');
    expect(sums.length).toBeGreaterThan(3);
    // The trusted gradient is unaffected by a KL term or a bonus: compared at the first step, where all three start equal.
    const [plain, ...pulled] = sums.filter(({ step }) => step === sums[0].step);
    expect(pulled).toHaveLength(2);
    for (const { trusted, count } of pulled) {
      expect(trusted).toEqual(plain.trusted);
      expect(count).toBeGreaterThan(plain.count);
    }
    for (const { untrusted, sum, count } of sums) {
      expect(count).toBeGreaterThan(1);
      expect(norm(minus(sum, untrusted)) / norm(untrusted)).toBeLessThan(1e-4);
    }
  });

  it('logs the share that it leaves out, and samples the rollouts of other rules', async () => {
    const added = await runTiny(lab, spec('added'));
    const own = await runTiny(lab, spec('agree_rollout'));
    const random = await runTiny(lab, spec('agree_rollout_random'));
    expect(firstRow(own).student).toEqual(firstRow(added).student);
    const { gated, gateRecall } = firstRow(own);
    expect(gated).toBeGreaterThan(0);
    expect(gated).toBeLessThan(1);
    expect(firstRow(random).gated).toBe(gated);
    expect(gateRecall).not.toBeUndefined();
    expect(firstRow(added).gated).toBeUndefined();
    for (const other of [added, random]) expect(firstRow(own).gradNorm).not.toBe(firstRow(other).gradNorm);
  });

  it('resumes to the same bytes', async () => {
    for (const arm of ['agree_rollout', 'agree_rollout_random'] as const) {
      const whole = await runTiny(lab, spec(arm));
      const id = `test/${arm}/41`;
      const part = whole.checkpoints.get(id)!.filter(({ step }) => step === 2);
      const checkpoints = memoryCheckpoints(new Map([[id, structuredClone(part)]]));
      const resumed = await runTiny(lab, spec(arm), { checkpoints });
      expect(resumed.result.runs[0].rows).toEqual(whole.result.runs[0].rows);
    }
  });

  it('refuses losses in which a single rollout’s gradient depends on the others', () => {
    for (const overrides of [{ lossType: 'dapo' }, { innerEpochs: 2 }] as const)
      expect(() => spec('agree_rollout', overrides)).toThrow(/a gradient of its own/);
  });
});
