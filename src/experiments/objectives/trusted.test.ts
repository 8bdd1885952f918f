// The arena's methods on trusted problems as whole small runs: each trains on what it says, leaves its mark, and goes on to the same bytes
// after a stop.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ArmName, Settings } from '../config/spec.ts';
import type { RolloutRecord } from '../records/events.ts';
import { memoryCheckpoints, openCoinLab, type Ran, runTiny, type TinyLab, tinySpec } from '../testing/tiny.node.ts';

let lab: TinyLab;
beforeAll(async () => {
  lab = await openCoinLab();
});
afterAll(() => lab?.close());

const OVERRIDES: Partial<Settings> = { problems: 16, mix: 0, evalEvery: 0, finalEvalProblems: 2, trustedShare: 0.3 };
const spec = (arm: ArmName, overrides: Partial<Settings> = {}) =>
  tinySpec({ arms: [arm], overrides: { ...OVERRIDES, ...overrides } });
const rollouts = ({ events }: Ran): RolloutRecord[] =>
  events.flatMap((event) => (event.type === 'step' ? event.rollouts : []));
const last = ({ checkpoints }: Ran, arm: ArmName) => checkpoints.get(`test/${arm}/41`)!.at(-1)!;
const bytes = (ran: Ran, arm: ArmName) =>
  JSON.stringify([ran.result.runs[0].rows, [...last(ran, arm).optimizer.total]]);

describe('trusted problems', () => {
  it('alone: no other problem is ever rolled out; paced: as many a step as their share', async () => {
    const only = await runTiny(lab, spec('trusted-only'));
    expect(new Set(rollouts(only).map(({ kind }) => kind))).toEqual(new Set(['honest']));
    // 16 problems, half honest; .3 of 8 is 2.
    expect(new Set(rollouts(only).map(({ taskId }) => taskId)).size).toBe(2);
    const paced = await runTiny(lab, spec('trusted-paced'));
    expect(only.result.runs[0].rows.map(({ student }) => student.n)).toEqual([8, 8, 8, 8]);
    expect(paced.result.runs[0].rows.map(({ student }) => student.n)).toEqual([4, 4, 4, 4]);
  });

  it('beside the mixture: the same rollouts at the first step as vanilla, another update', async () => {
    const vanilla = await runTiny(lab, spec('none'));
    for (const arm of ['agem', 'pcgrad', 'agree', 'agree_module', 'tdga'] as const) {
      const ran = await runTiny(lab, spec(arm));
      const first = (one: Ran) => JSON.stringify(rollouts(one).filter(({ step }) => step === 1));
      expect(first(ran), arm).toBe(first(vanilla));
      expect(bytes(ran, arm), arm).not.toBe(bytes(vanilla, 'none'));
    }
  });

  it.each(['trusted-only', 'pcgrad', 'agree_random', 'tdga'] as const)(
    '%s: stopped and resumed, the same bytes',
    async (arm) => {
      const whole = await runTiny(lab, spec(arm));
      const half = whole.checkpoints.get(`test/${arm}/41`)!.filter(({ step }) => step === 2);
      const store = memoryCheckpoints(new Map([[`test/${arm}/41`, structuredClone(half)]]));
      const resumed = await runTiny(lab, spec(arm), { checkpoints: store });
      expect(JSON.stringify(resumed.result.runs[0].rows)).toBe(JSON.stringify(whole.result.runs[0].rows));
      expect(resumed.result.runs[0].evals).toEqual(whole.result.runs[0].evals);
    },
  );

  it('refuses what makes no sense', () => {
    expect(() => spec('tdga', { adapter: 'lora' })).toThrow(/trusted = tdga/);
    expect(() => spec('agem', { objective: 'distill' })).toThrow(/two policy gradients/);
    expect(() => spec('none', { graders: 'repaired', mix: 0.25 })).toThrow(/repaired/);
    expect(() => spec('agem', { trainOn: 'honest' })).toThrow(/trainOn/);
  });
});
