// Tests that a fork without changes equals its parent byte for byte, and that a fork with a change differs only by that change.
import { SpecError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { hash32 } from '@projected-grpo-lab/base/hash.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ArmName } from '../../config/arms.ts';
import { forkAt } from '../../config/experiment-of.ts';
import { isFixedAtFork } from '../../config/fork.ts';
import { SETTING_NAMES, type Settings } from '../../config/settings.ts';
import { type ExperimentSpec, parseExperimentSpec } from '../../config/spec.ts';
import type { RunRecord } from '../../records/events.ts';
import { memoryStepStore } from '../../records/steps.ts';
import { memoryCheckpoints, openCoinLab, type Ran, runTiny, type TinyLab, tinySpec } from '../../testing/tiny.node.ts';

let labs: Record<'svd' | 'blocks' | 'lora', TinyLab>;
beforeAll(async () => {
  const isHack = (completion: string) => hash32(completion) % 3 === 0;
  labs = {
    svd: await openCoinLab(undefined, isHack),
    blocks: await openCoinLab({ adapter: 'blocks', loraRank: 8 }, isHack),
    lora: await openCoinLab({ adapter: 'lora', loraRank: 4 }, isHack),
  };
});
afterAll(() => Promise.all(Object.values(labs ?? {}).map((lab) => lab.close())));

const STEP = 2;
const BASE: Partial<Settings> = { steps: 5, checkpointEvery: 0, problems: 16, finalEvalProblems: 2, trustedShare: 0.3 };

const parentSpec = (arm: ArmName, overrides: Partial<Settings> = {}): ExperimentSpec =>
  tinySpec({ arms: [arm], overrides: { ...BASE, ...overrides } });

/** An experiment with the parent's own settings, and `changes` from `step` on. */
function forkOf(run: RunRecord, changes: Partial<ExperimentSpec> = {}, step = STEP): ExperimentSpec {
  const fork = forkAt({ run: run.id, step, spec: run.spec });
  const { preset, overrides } = fork;
  return parseExperimentSpec({ preset, ...changes, overrides: { ...overrides, ...changes.overrides }, fork });
}

/** Returns everything of a run except its identity and its times. */
const numbers = ({ rows, evals, status, teacherPool }: RunRecord) => ({ rows, evals, status, teacherPool });
const only = ({ result }: Ran): RunRecord => result.runs[0];
const lastState = (ran: Ran) => {
  const { runId: _, spec: __, timings: ___, ...state } = [...ran.checkpoints.values()][0].at(-1)!;
  return state;
};

describe('a fork without changes is its parent, to the byte', () => {
  const cases: [ArmName, Partial<Settings>][] = [
    ['none', {}],
    ['none', { weightDecay: 0.1, innerEpochs: 2, entropyCoef: 0.01 }],
    ['kl', {}],
    ['erase', { refreshEvery: 1 }],
    ['erase', { refreshEvery: 2, preserveMagnitude: true }],
    ['erase-update', {}],
    ['route', { refreshEvery: 2 }],
    ['route-update', { refreshEvery: 2 }],
    ['penalty', {}],
    ['screening', {}],
    ['advantage', {}],
    ['inoculation', {}],
  ];
  it.each(cases)('%s %j', async (arm, overrides) => {
    // Only the last checkpoint is stored, whose state is compared too.
    const spec = parentSpec(arm, { ...overrides, checkpointEvery: 5 });
    const whole = await runTiny(labs.svd, spec, { steps: memoryStepStore() });
    const forked = await runTiny(labs.svd, forkOf(only(whole)), {
      steps: memoryStepStore(),
      parents: { run: async () => only(whole), state: async () => null },
    });
    expect(numbers(only(forked))).toEqual(numbers(only(whole)));
    expect(lastState(forked)).toEqual(lastState(whole));
    expect(
      only(whole)
        .rows.slice(STEP)
        .some(({ gradNorm }) => gradNorm > 0),
    ).toBe(true);
    expect(only(forked).spec.fork).toMatchObject({ run: `test/${arm}/41`, step: STEP });
  });

  it.each(['blocks_online', 'router', 'curriculum', 'verifier', 'tdga', 'agem'] as ArmName[])('%s', async (arm) => {
    const lab = ['blocks_online', 'router'].includes(arm) ? labs.blocks : labs.svd;
    const whole = await runTiny(lab, parentSpec(arm, { mix: 0, curriculumShare: 0.2 }));
    const forked = await runTiny(lab, forkOf(only(whole)));
    expect(numbers(only(forked))).toEqual(numbers(only(whole)));
  });

  it('LoRA', async () => {
    const whole = await runTiny(labs.lora, parentSpec('erase', { adapter: 'lora', loraRank: 4 }));
    const forked = await runTiny(labs.lora, forkOf(only(whole)));
    expect(numbers(only(forked))).toEqual(numbers(only(whole)));
  });

  it('and so is a fork of a fork', async () => {
    const whole = await runTiny(labs.svd, parentSpec('none'));
    const changed = await runTiny(labs.svd, forkOf(only(whole), { overrides: { klBeta: 0.5 } }));
    const again = await runTiny(labs.svd, forkOf(only(changed), {}, STEP + 1));
    expect(numbers(only(again))).toEqual(numbers(only(changed)));
    expect(() => forkOf(only(changed), {}, STEP)).toThrow(/itself a fork/);
  });
});

describe('the start of a fork', () => {
  it('is a stored state of its parent, which changes no byte, and states of other runs are ignored', async () => {
    const spec = parentSpec('route', { checkpointEvery: 1 });
    const whole = await runTiny(labs.svd, spec);
    const kept = whole.checkpoints.get('test/route/41')!;
    const asked: [string, number][] = [];
    const fork = forkOf(only(whole));
    const from = (change: (state: (typeof kept)[number]) => void) =>
      runTiny(labs.svd, fork, {
        parents: {
          run: async () => null,
          state: async (id, step) => {
            asked.push([id, step]);
            const state = structuredClone(kept[step - 1]);
            change(state);
            return state;
          },
        },
      });
    const steps = (ran: Ran) => ran.events.flatMap((event) => (event.type === 'step' ? event.row.step : []));
    const quick = await from(() => {});
    expect(steps(quick)).toEqual([3, 4, 5]);
    expect(asked).toEqual([['test/route/41', STEP]]);
    expect(numbers(only(quick))).toEqual(numbers(only(whole)));
    const others = await from((state) => {
      state.spec.lr *= 2;
    });
    expect(steps(others)).toEqual([1, 2, 3, 4, 5]);
    expect(numbers(only(others))).toEqual(numbers(only(whole)));
    const elsewhere = await from((state) => {
      state.context = 'another model';
    });
    expect(steps(elsewhere)).toEqual([1, 2, 3, 4, 5]);
  });

  it('for several arms is trained once', async () => {
    const whole = await runTiny(labs.svd, parentSpec('none'));
    const ran = await runTiny(labs.svd, forkOf(only(whole), { arms: ['none', 'erase', 'route'] }));
    const stepsOf = (arm: string) =>
      ran.events.flatMap((event) => (event.type === 'step' && event.runId === `test/${arm}/41` ? event.row.step : []));
    expect(stepsOf('none')).toEqual([1, 2, 3, 4, 5]);
    expect(stepsOf('erase')).toEqual([3, 4, 5]);
    const [none, erase, route] = ran.result.runs;
    expect(numbers(none)).toEqual(numbers(only(whole)));
    for (const run of [erase, route]) {
      expect(run.rows.slice(0, STEP)).toEqual(none.rows.slice(0, STEP));
      expect(run.rows.at(-1)).not.toEqual(none.rows.at(-1));
    }
  });

  it.each([1, 2, 3])('after a stop after step %i resumes to the same bytes', async (at) => {
    const whole = await runTiny(labs.svd, parentSpec('none', { checkpointEvery: 1 }));
    const fork = forkOf(only(whole), { arms: ['route'], overrides: { refreshEvery: 2 } });
    const unbroken = await runTiny(labs.svd, fork);
    const kept = new Map();
    const stop = new AbortController();
    const stopping = memoryCheckpoints(kept);
    const save: typeof stopping.save = async (checkpoint) => {
      await stopping.save(checkpoint);
      if (checkpoint.step === at) stop.abort(new StoppedError());
    };
    const checkpoints = { ...stopping, save };
    await expect(runTiny(labs.svd, fork, { checkpoints, signal: stop.signal })).rejects.toThrow(StoppedError);
    const resumed = await runTiny(labs.svd, fork, { checkpoints: memoryCheckpoints(kept) });
    expect(numbers(only(resumed))).toEqual(numbers(only(unbroken)));
  });

  it('refuses a parent’s step that is not reproduced', async () => {
    const whole = await runTiny(labs.svd, parentSpec('none'));
    const other = structuredClone(only(whole));
    other.rows[1].reward = 7;
    const parents = { run: async () => other, state: async () => null };
    const failed = await runTiny(labs.svd, forkOf(only(whole)), { parents }).catch((error) => error);
    expect(failed).toBeInstanceOf(SpecError);
    expect(failed.message).toMatch(/step 2 of test\/none\/41 does not come out again: its reward was 7/);
  });
});

describe('what may change at a fork', () => {
  const cases: [string, Partial<ExperimentSpec>][] = [
    ['the arm: erase', { arms: ['erase'] }],
    ['the arm: route', { arms: ['route'] }],
    ['the arm: route (update)', { arms: ['route-update'] }],
    ['the projection’s gate', { arms: ['erase'], overrides: { gate: 'no_gate' } }],
    ['the basis', { arms: ['erase'], overrides: { k: 1, pairSet: 'nonhack' } }],
    ['the basis, refreshed from the fork on', { arms: ['erase'], overrides: { refreshEvery: 1 } }],
    ['a control’s basis', { arms: ['random_V'] }],
    ['the reward: a penalty', { arms: ['penalty'] }],
    ['the reward: screening', { arms: ['screening'] }],
    ['the KL penalty', { overrides: { klBeta: 0.5 } }],
    ['the grader, mended', { overrides: { graders: 'repaired', mix: 0 } }],
    ['the teacher', { overrides: { mix: 0 } }],
    ['the learning rate', { overrides: { lr: 0.001 } }],
    ['the optimizer', { overrides: { beta2: 0.9, weightDecay: 0.1 } }],
    ['the loss', { overrides: { lossType: 'grpo', scaleRewards: 'group' } }],
    ['a method of trusted problems', { arms: ['agem'] }],
    ['a method with a state of its own', { arms: ['verifier'] }],
    ['the number of steps', { overrides: { steps: 7 } }],
    ['the temperature', { overrides: { temperature: 0.5 } }],
  ];
  let whole: RunRecord;
  beforeAll(async () => {
    whole = only(await runTiny(labs.svd, parentSpec('none')));
  });

  it.each(cases)('%s', async (_, changes) => {
    const forked = only(await runTiny(labs.svd, forkOf(whole, changes)));
    expect(forked.status).toBe('done');
    expect(forked.rows.slice(0, STEP)).toEqual(whole.rows.slice(0, STEP));
    expect(forked.rows).toHaveLength(forked.spec.steps);
    // The change has an effect: later rows differ, or, for a run that trains like its parent, at least the quarantine does.
    const rest = forked.rows.slice(STEP, whole.rows.length);
    expect(JSON.stringify(rest)).not.toBe(JSON.stringify(whole.rows.slice(STEP)));
  });

  it('evaluations, which change no byte of training', async () => {
    const forked = only(await runTiny(labs.svd, forkOf(whole, { overrides: { evalEvery: 1, evalProblems: 2 } })));
    expect(forked.rows).toEqual(whole.rows);
    const during = (run: RunRecord) => run.evals.flatMap(({ kind, step }) => (kind === 'during' ? step : []));
    expect(during(whole)).toEqual([0, 2, 4]);
    expect(during(forked)).toEqual([0, 2, 3, 4, 5]);
  });

  it('draws the first new step with its parent’s random numbers', async () => {
    const forked = await runTiny(labs.svd, forkOf(whole, { arms: ['erase'] }));
    const again = await runTiny(labs.svd, parentSpec('none'));
    const rollouts = (ran: Ran, step: number) =>
      ran.events.flatMap((event) => (event.type === 'step' && event.row.step === step ? event.rollouts : []));
    expect(rollouts(forked, STEP + 1).length).toBeGreaterThan(0);
    expect(rollouts(forked, STEP + 1)).toEqual(rollouts(again, STEP + 1));
  });

  it('a quarantine that starts at the fork holds nothing of earlier steps', async () => {
    const forked = await runTiny(
      labs.svd,
      forkOf(whole, { arms: ['route-update'], overrides: { checkpointEvery: 1 } }),
    );
    const vanilla = await runTiny(labs.svd, parentSpec('none', { checkpointEvery: 1 }));
    const states = forked.checkpoints.get('test/route-update/41')!;
    expect(states[0].step).toBe(STEP);
    expect(states.at(-1)!.optimizer.total).toEqual(vanilla.checkpoints.get('test/none/41')!.at(-1)!.optimizer.total);
    const [first] = states.filter(({ step }) => step === STEP + 1);
    expect(first.optimizer.hack.some((x) => x !== 0)).toBe(true);
    const routed = await runTiny(labs.svd, parentSpec('route-update', { checkpointEvery: 1 }));
    expect(first.optimizer.hack).not.toEqual(routed.checkpoints.get('test/route-update/41')![STEP].optimizer.hack);
  });
});

describe('what may not change', () => {
  const cases: [Partial<ExperimentSpec>, RegExp][] = [
    [{ seeds: [42] }, /seed = 42, and its parent’s is 41/],
    [{ overrides: { groupSize: 6 } }, /groupSize = 6/],
    [{ overrides: { promptsPerStep: 3 } }, /promptsPerStep = 3/],
    [{ overrides: { adapter: 'lora' } }, /adapter = "lora"/],
    [{ overrides: { model: 'mine' } }, /model = "mine"/],
    [{ overrides: { environment: 'lookup', model: 'tiny-lookup' } }, /environment = "lookup"/],
    [{ overrides: { problems: 9 } }, /problems = 9/],
    [{ overrides: { dataSeed: 9 } }, /dataSeed = 9/],
    [{ overrides: { modes: ['run_tests'], pairModes: [] } }, /modes = /],
    [{ arms: ['honest-only'] }, /trainOn = "honest"/],
    [{ overrides: { maxTurns: 2 } }, /maxTurns = 2/],
    [{ overrides: { objective: 'nll' } }, /objective|nll/],
    [{ arms: ['curriculum'], overrides: { mix: 0 } }, /curriculum begins with trusted steps/],
    [{ arms: ['route-update', 'random_V_matched'] }, /matched to a whole vanilla run/],
    [{ overrides: { steps: 2 } }, /leaves no step of its own/],
  ];
  it.each(cases)('%j', async (changes, message) => {
    const { spec } = only(await parent());
    const attempt = () => forkOf({ id: 'test/none/41', spec } as RunRecord, changes);
    expect(attempt).toThrow(SpecError);
    expect(attempt).toThrow(message);
  });

  it('nor may the step lie outside the parent’s', async () => {
    const run = only(await parent());
    expect(() => forkOf(run, {}, 6)).toThrow(/its parent has 5 steps/);
    expect(() => forkOf(run, {}, 0)).toThrow(SpecError);
  });

  it('model, problems and a step’s composition are fixed; rewards, bases and the optimizer may change', () => {
    const free = SETTING_NAMES.filter((name) => !isFixedAtFork(name));
    for (const name of ['klBeta', 'lr', 'k', 'gate', 'rewardPenalty', 'graders', 'grading', 'evalEvery'] as const)
      expect(free).toContain(name);
    for (const name of ['model', 'environment', 'adapter', 'loraRank', 'groupSize', 'dataSeed', 'stages'] as const)
      expect(free).not.toContain(name);
  });

  let made: Promise<Ran> | null = null;
  const parent = () => (made ??= runTiny(labs.svd, parentSpec('none')));
});
