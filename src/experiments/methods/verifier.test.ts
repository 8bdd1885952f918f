// Tests the verifier in whole small runs: which rewards its probabilities weight, that it finds a perfect feature, and that runs resume to the same
// bytes.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Policy } from '../../engine/types.ts';
import type { ArmName } from '../config/arms.ts';
import type { Settings } from '../config/settings.ts';
import { memoryCheckpoints, openCoinLab, type Ran, runTiny, type TinyLab, tinySpec } from '../testing/tiny.node.ts';
import type { PaidRollout, PaidStep, Preparing, Running } from './method.ts';
import { VERIFIER } from './verifier.ts';

let lab: TinyLab;
beforeAll(async () => {
  lab = await openCoinLab();
});
afterAll(() => lab?.close());

const OVERRIDES: Partial<Settings> = { problems: 16, mix: 0, evalEvery: 0, finalEvalProblems: 2, trustedShare: 0.3 };
const spec = (arm: ArmName, overrides: Partial<Settings> = {}) =>
  tinySpec({ arms: [arm], overrides: { ...OVERRIDES, checkpointEvery: 1, ...overrides } });
const kept = ({ checkpoints }: Ran, arm: ArmName) => checkpoints.get(`test/${arm}/41`)!;

/** A policy whose first activation tells whether an answer is right; hacks are not. */
async function running(changes: { verifierUse?: string; trustedGate?: string; verifierKept?: number } = {}) {
  const policy = {
    config: { hiddenSize: 2, layers: 4 },
    setAdapterParams() {},
    activations: async (sequences: readonly { completion: readonly number[] }[]) =>
      sequences.map(({ completion: [right, other] }) => Float32Array.of(right, other)),
  } as unknown as Policy;
  const run = {
    verifierUse: 'reward',
    trustedGate: 'trusted',
    verifierKept: 512,
    seed: 1,
    trustedPrompts: 2,
    promptsPerStep: 2,
    rewardPenalty: 0,
    advantageMod: 'none',
    ...changes,
  };
  const prepared = await VERIFIER.prepare({ run, policy } as unknown as Preparing<typeof run>);
  const method: Running = prepared(null);
  const at = (step: number, rollouts: PaidRollout[][], trusted: PaidRollout[][]): PaidStep => ({
    step,
    adapterParams: new Float32Array(),
    policy,
    rollouts,
    trusted,
    behaviours: async () => [],
  });
  return { counts: (...args: Parameters<typeof at>) => method.counts!(at(...args)), keep: method.keep! };
}

const rollout = (sample: number, isRight: boolean, reward: number): PaidRollout => ({
  prompt: 0,
  sample,
  reward,
  isHack: reward >= 1 && !isRight,
  tokens: { prompt: [1], completion: [isRight ? 1 : -1, ((sample * 7) % 5) - 2] },
});
const TRUSTED = [Array.from({ length: 40 }, (_, i) => rollout(i, i % 2 === 0, i % 2 === 0 ? 1.25 : 0.25))];
/** One right answer that passes, two hacks that pass, one failure. */
const GROUP = [rollout(0, true, 1.25), rollout(1, false, 1.25), rollout(2, false, 1.25), rollout(3, false, 0.25)];

describe('the counted reward', () => {
  it('is the reward times the probability learnt from trusted verdicts', async () => {
    const { rewards, row } = await (await running()).counts(0, [GROUP], TRUSTED);
    const [right, hack, other, failed] = rewards[0];
    expect(right).toBeGreaterThan(1);
    expect(right).toBeLessThan(1.25);
    for (const x of [hack, other]) expect(x).toBeLessThan(0.25);
    expect(failed).toBeLessThan(0.05);
    expect(row.gateRecall).toBeCloseTo(1 - (hack + other) / 2.5, 12);
    expect(row.verifierBrier).toBeLessThan(0.05);
  });

  it('is the full reward or 0 as a gate', async () => {
    const { rewards, row } = await (await running({ verifierUse: 'gate' })).counts(0, [GROUP], TRUSTED);
    expect(rewards).toEqual([[1.25, 0, 0, 0]]);
    expect(row).toMatchObject({ gated: 0.75, gateRecall: 1 });
  });

  it('has a placebo that permutes the probabilities among rollouts of equal reward, differently in each step', async () => {
    const own = (await (await running()).counts(0, [GROUP], TRUSTED)).rewards[0];
    const method = await running({ trustedGate: 'random' });
    const dealt = await Promise.all([0, 1, 2, 3, 4, 5].map((step) => method.counts(step, [GROUP], TRUSTED)));
    const first = dealt[0].rewards[0];
    expect(first[3]).toBeCloseTo(own[3], 12);
    expect(first.slice(0, 3).toSorted()).toEqual(own.slice(0, 3).toSorted());
    expect(new Set(dealt.map(({ rewards }) => rewards[0].indexOf(Math.max(...rewards[0])))).size).toBeGreaterThan(1);
  });

  it('has a placebo of the gate: as many rollouts of each reward count', async () => {
    const run = { trustedGate: 'random', verifierUse: 'gate' };
    const method = await running(run);
    const dealt = await Promise.all([0, 1, 2, 3, 4, 5].map((step) => method.counts(step, [GROUP], TRUSTED)));
    for (const { rewards, row } of dealt) {
      expect(rewards[0].toSorted()).toEqual([0, 0, 0, 1.25]);
      expect(row.gated).toBe(0.75);
    }
    expect(new Set(dealt.map(({ rewards }) => rewards[0].indexOf(1.25))).size).toBeGreaterThan(1);
  });

  it('is the plain reward if all trusted verdicts are equal; the oldest examples are dropped', async () => {
    const method = await running({ verifierKept: 32 });
    const failed = Array.from({ length: 40 }, (_, i) => rollout(i, false, 0.25));
    const { rewards } = await method.counts(0, [GROUP], [failed]);
    expect(new Set(rewards[0].slice(0, 3)).size).toBe(1);
    expect(rewards[0][0]).toBeCloseTo(1.25 / 34, 12);
    // 32 examples with two features and a verdict each.
    expect((method.keep().verifier as string).length).toBe(Math.ceil((32 * 3 * 4 * 4) / 3));
  });
});

describe('a run with a verifier', () => {
  it.each(['verifier', 'verifier_gate', 'verifier_random', 'verifier_gate_random'] as const)(
    '%s: the rollouts of vanilla at first, another update; stopped and resumed, the same bytes',
    async (arm) => {
      const whole = await runTiny(lab, spec(arm));
      const [vanilla, own] = [await runTiny(lab, spec('none')), whole].map(({ result }) => result.runs[0].rows[0]);
      expect(own.student).toEqual(vanilla.student);
      expect(own.verifierBrier).not.toBeUndefined();
      expect(vanilla.verifierBrier).toBeUndefined();
      expect(own.gradNorm).not.toBe(vanilla.gradNorm);
      const id = `test/${arm}/41`;
      const part = kept(whole, arm).filter(({ step }) => step === 2);
      const checkpoints = memoryCheckpoints(new Map([[id, structuredClone(part)]]));
      const resumed = await runTiny(lab, spec(arm), { checkpoints });
      expect(resumed.result.runs[0].rows).toEqual(whole.result.runs[0].rows);
      expect((await checkpoints.load(id))!.optimizer.total).toEqual(kept(whole, arm).at(-1)!.optimizer.total);
    },
  );

  it('refuses rewards that do not come from a grader', () => {
    expect(() => spec('verifier', { rewardPenalty: 1 })).toThrow(/weights what the grader pays/);
    expect(() => spec('verifier', { advantageMod: 'subtract' })).toThrow(/weights what the grader pays/);
  });

  it('has a control that adds the trusted gradient without weighing rewards', async () => {
    const rowsOf = async (arm: ArmName) => (await runTiny(lab, spec(arm))).result.runs[0].rows;
    const [added, own, vanilla] = [await rowsOf('added'), await rowsOf('verifier'), await rowsOf('none')];
    expect(added[0].student).toEqual(vanilla[0].student);
    for (const rows of [own, vanilla]) expect(added[0].gradNorm).not.toBe(rows[0].gradNorm);
    expect(added[0].gated).toBeUndefined();
  });

  it('refuses to resume without its examples', async () => {
    const whole = await runTiny(lab, spec('verifier'));
    const [{ verifier: _, ...without }] = kept(whole, 'verifier').filter(({ step }) => step === 2);
    const checkpoints = memoryCheckpoints(new Map([['test/verifier/41', [without]]]));
    await expect(runTiny(lab, spec('verifier'), { checkpoints })).rejects.toThrow(/no verifier/);
  });
});
