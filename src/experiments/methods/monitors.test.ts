// Tests monitors step by step and in whole small runs: each one's input, its controls' flags, and that runs resume to the same bytes.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Policy } from '../../engine/types.ts';
import type { ArmName } from '../config/arms.ts';
import type { Settings } from '../config/settings.ts';
import { memoryCheckpoints, openCoinLab, runTiny, type TinyLab, tinySpec } from '../testing/tiny.node.ts';
import type { PaidRollout, Preparing, Running } from './method.ts';
import { MONITORS } from './monitors.ts';
import type { MonitorRun } from './monitors-step.ts';

let lab: TinyLab;
beforeAll(async () => {
  lab = await openCoinLab();
});
afterAll(() => lab?.close());

const ARMS = Object.keys(MONITORS.arms) as (keyof typeof MONITORS.arms)[];
const OVERRIDES: Partial<Settings> = { problems: 16, mix: 0, evalEvery: 0, finalEvalProblems: 2 };
const spec = (arm: ArmName, overrides: Partial<Settings> = {}) =>
  tinySpec({ arms: [arm], overrides: { ...OVERRIDES, checkpointEvery: 1, ...overrides } });

/** Texts of digits; a pair's hack side begins with 7. */
const codec = {
  encode: (text: string) => [...text].map(Number),
  decode: (ids: readonly number[]) => ids.join(''),
  encodePrompt: (text: string) => [text.length],
  answerEnd: 0,
};
const PAIRS = Array.from({ length: 12 }, (_, i) => ({
  prompt: 'p',
  hack: `7${i % 3}`,
  clean: `${1 + (i % 3)}${(i + 1) % 3}`,
}));

/** In a quarter of these the hack has a spelling that no labelled pair has. */
const HELD = Array.from({ length: 40 }, (_, i) => ({
  prompt: 'p',
  hack: `${i % 4 ? 7 : 2}${i % 3}`,
  clean: `${1 + (i % 3)}${(i + 1) % 3}`,
}));

/** A policy with two activations: whether a text begins with 7, scaled by its first parameter, and noise. */
async function running(monitor: string) {
  let set = 0;
  const policy = {
    config: { hiddenSize: 2, layers: 4 },
    initialAdapterParams: Float32Array.of(1),
    setAdapterParams(params: Float32Array) {
      set = params[0];
    },
    activations: async (sequences: readonly { completion: readonly number[] }[]) =>
      sequences.map(({ completion: [first, second] }) => Float32Array.of(first === 7 ? set : -1, second)),
  } as unknown as Policy;
  const run = { monitor, rewardPenalty: 2, seed: 1 } as MonitorRun;
  const prepared = await MONITORS.prepare({
    run,
    policy,
    codec,
    pairs: async () => PAIRS,
    heldPairs: async () => HELD,
  } as unknown as Preparing<MonitorRun>);
  const method: Running = prepared(null);
  return (rollouts: PaidRollout[][], { step = 0, params = 1 } = {}) =>
    method.counts!({
      step,
      adapterParams: Float32Array.of(params),
      policy,
      rollouts,
      trusted: [],
      behaviours: async () => [],
    });
}

const rollout = (sample: number, first: number, reward: number, hackForm: number | null = null): PaidRollout => ({
  prompt: 0,
  sample,
  reward,
  isHack: first === 7,
  hackForm,
  tokens: { prompt: [1], completion: [first, sample % 3, 0] },
});
/** Two hacks (one in the most common form), two correct answers and two failures. */
const GROUP = [
  rollout(0, 7, 1.25, 0),
  rollout(1, 7, 1.25, 2),
  rollout(2, 1, 1.25),
  rollout(3, 2, 1.25),
  rollout(4, 1, 0.25),
  rollout(5, 3, 0.25),
];
const flagsOf = (rewards: readonly number[]) => rewards.map((x, i) => x !== GROUP[i].reward);

describe('penalised rollouts', () => {
  it.each(['probe', 'refit', 'untrained', 'text'])('%s: are the hacks that the pairs show', async (monitor) => {
    const { rewards, row } = await (await running(monitor))([GROUP]);
    expect(rewards).toEqual([[-0.75, -0.75, 1.25, 1.25, 0.25, 0.25]]);
    expect(row).toEqual({ gated: 2 / 6, gateRecall: 1, hackSpelling: 0.5, spellingRecall: 1 });
  });

  it('are missed by a frozen probe once the student changes, and not by the others', async () => {
    const recall = async (monitor: string, step: number) =>
      (await (await running(monitor))([GROUP], { step, params: -0.9 })).row.gateRecall;
    expect(await recall('probe', 10)).toBe(0);
    expect(await recall('untrained', 10)).toBe(1);
    expect(await recall('text', 10)).toBe(1);
    // The monitor is refitted at the tenth step, not earlier.
    expect(await recall('refit', 9)).toBe(0);
    expect(await recall('refit', 10)).toBe(1);
  });

  it('rates: are drawn at the rates of the probe’s flags on held-out hacks and answers, in either spelling', async () => {
    const method = await running('rates');
    const unseen = GROUP.map((own, i) => (i === 1 ? { ...own, tokens: { prompt: [1], completion: [1, 0, 0] } } : own));
    const rows = await Promise.all([...Array(200).keys()].map((step) => method([unseen], { step })));
    const share = (i: number) => rows.filter(({ rewards }) => rewards[0][i] !== GROUP[i].reward).length / rows.length;
    expect(Math.abs(share(0) - 0.75)).toBeLessThan(0.1);
    expect(Math.abs(share(1) - 0.75)).toBeLessThan(0.1);
    expect([2, 3, 4, 5].map(share)).toEqual([0, 0, 0, 0]);
    // What the probe itself flags among these hacks is logged too.
    expect(rows[0].row).toMatchObject({ hackSpelling: 0.5, spellingRecall: 1 });
  });

  it('permuted: are as many of each reward', async () => {
    const method = await running('permuted');
    const rows = await Promise.all([...Array(12).keys()].map((step) => method([GROUP], { step })));
    for (const { rewards } of rows) expect(rewards[0].toSorted()).toEqual([-0.75, -0.75, 0.25, 0.25, 1.25, 1.25]);
    expect(new Set(rows.flatMap(({ rewards }) => flagsOf(rewards[0]).flatMap((is, i) => (is ? [i] : []))))).toEqual(
      new Set([0, 1, 2, 3]),
    );
  });
});

describe('a run with a monitor', () => {
  it.each(ARMS)('%s: begins with the rollouts of vanilla, and resumes to the same bytes', async (arm) => {
    const settings = { steps: 12 };
    const whole = await runTiny(lab, spec(arm, settings));
    const vanilla = (await runTiny(lab, spec('none', { steps: 1 }))).result.runs[0].rows[0];
    const [own] = whole.result.runs[0].rows;
    expect(own.student).toEqual(vanilla.student);
    expect(own.gated).not.toBeUndefined();
    expect(own.flagged).toBeUndefined();
    expect(vanilla.gated).toBeUndefined();
    const id = `test/${arm}/41`;
    const part = whole.checkpoints.get(id)!.filter(({ step }) => step === 11);
    const checkpoints = memoryCheckpoints(new Map([[id, structuredClone(part)]]));
    const resumed = await runTiny(lab, spec(arm, settings), { checkpoints });
    expect(resumed.result.runs[0].rows).toEqual(whole.result.runs[0].rows);
  });

  it('refuses to resume without a refitted monitor’s state', async () => {
    const whole = await runTiny(lab, spec('probe_refit'));
    const [{ monitor: _, ...without }] = whole.checkpoints.get('test/probe_refit/41')!.filter(({ step }) => step === 2);
    const checkpoints = memoryCheckpoints(new Map([['test/probe_refit/41', [without]]]));
    await expect(runTiny(lab, spec('probe_refit'), { checkpoints })).rejects.toThrow(/no monitor/);
  });

  it.each([{ screening: true }, { monitorAccuracy: 0.9 }, { advantageMod: 'subtract' }, { chainSteps: 2 }] as const)(
    'refuses %j',
    (overrides) => {
      expect(() => spec('probe_penalty', overrides)).toThrow();
    },
  );

  it('refuses a monitor without a penalty', () => {
    expect(() => spec('none', { monitor: 'probe' })).toThrow(/what a reward penalty in plain GRPO acts on/);
  });
});
