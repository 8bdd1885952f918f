// Tests runs on two blocks: which block moves under which gate, what is deployed, and which parameters sample the rollouts.
import { hash32 } from '@projected-grpo-lab/base/hash.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withoutQuarantine } from '../../algorithms/gates.ts';
import type { RouterState } from '../../algorithms/router.ts';
import { quarantineMask } from '../../engine/adapter-layout.ts';
import type { Grader } from '../../environments/code/types.ts';
import type { ArmName } from '../config/arms.ts';
import type { RunSpec } from '../config/run-spec.ts';
import type { Settings } from '../config/settings.ts';
import { resolveRun } from '../config/spec.ts';
import { prepareBlocks } from '../methods/blocks-step.ts';
import type { Running } from '../methods/method.ts';
import type { Router } from '../methods/router-seed.ts';
import { withRouter } from '../methods/router-step.ts';
import type { TrainingEnvironment } from '../step/environment.ts';
import { backwardStep, scoreStep } from '../step/gradient.ts';
import { memoryCheckpoints, openTinyLab, type Ran, runTiny, type TinyLab, tinySpec } from '../testing/tiny.node.ts';
import { gateStep } from './gating.ts';

let lab: TinyLab;
/** Decides which passing completions the grader treats as hacks. */
let isHack: (completion: string) => boolean = () => true;
beforeAll(async () => {
  const real = await openTinyLab({ adapter: 'blocks', loraRank: 8 });
  const grade: Grader['grade'] = async (items) =>
    items.map(({ completion }) => {
      const passed = hash32(completion) % 2 === 0;
      const exploited = isHack(completion);
      const none = { formatOk: false, structural: false, mechanism: null, note: null };
      return { ...none, passed, exploited, gt_correct: passed && !exploited, reward: Number(passed) };
    });
  lab = { ...real, grader: { ...real.grader, version: 'coin', grade, close: () => real.grader.close() } };
});
afterAll(() => lab?.close());

const spec = (arm: ArmName, overrides: Partial<Settings> = {}) =>
  tinySpec({ arms: [arm], overrides: { problems: 16, evalEvery: 0, finalEvalProblems: 2, ...overrides } });
const train = (arm: ArmName, overrides: Partial<Settings> = {}) => runTiny(lab, spec(arm, overrides));
const optimizer = ({ checkpoints }: Ran) => [...checkpoints.values()][0].at(-1)!.optimizer;
const moves = (ran: Ran) => {
  const mask = quarantineMask(lab.engine.adapterLayout);
  const { total } = optimizer(ran);
  return [0, 1].map((block) => total.some((x, i) => mask[i] === block && x !== 0));
};
const rollouts = ({ events }: Ran, step: number) =>
  JSON.stringify(events.flatMap((event) => (event.type === 'step' && event.row.step === step ? event.rollouts : [])));

describe('the soft router', () => {
  /** Two prompts with three rollouts each, all with an advantage. */
  const groupsOf = () =>
    [0, 1].map((prompt) => ({
      task: prompt,
      prompt,
      live: 3,
      drawn: [],
      rollouts: [3, 5, 4].map((n, i) => ({
        task: prompt,
        source: 'student' as const,
        turns: [
          {
            prompt: '',
            completion: '',
            promptIds: lab.codec.encode(`problem ${prompt}`),
            completionIds: lab.codec.encode('def f(x): return x + 1').slice(i, i + n),
            ended: true,
          },
        ],
      })),
    }));
  const advantages = {
    values: [0, 1].map(() => [1, -0.5, -0.5]),
    skipped: [false, false],
    counted: [0, 1].map(() => [true, true, true]),
  };
  const judged = [0, 1].map(() => [0, 1, 0].map((reward) => ({ reward, verdict: reward === 1 })));
  const runOf = (arm: 'router' | 'blocks_labels', labelError: number) =>
    resolveRun(spec(arm, { labelShare: 1, labelError, pinWeight: 0 }), arm, 41);
  const ports = (run: RunSpec, method: Running) => ({
    spec: run,
    step: 0,
    policy: lab.engine,
    method,
    environment: { isHack: () => true } as unknown as TrainingEnvironment<number, unknown, boolean>,
  });
  const params = () => lab.engine.initialAdapterParams.map((_, i) => 0.05 * Math.sin(i));
  /** A router that gives every rollout the same weight. */
  const constant = (bias: number): Router => {
    const { hiddenSize } = lab.engine.config;
    const zeros = () => Array.from({ length: hiddenSize + 2 }, () => 0);
    const params = [1, ...zeros().slice(0, hiddenSize), bias];
    const pair = { prompt: lab.codec.encode('a'), completion: lab.codec.encode('b c') };
    return { layer: 0, pairs: [pair, pair], state: { params, m: zeros(), v: zeros(), t: 0 } };
  };

  it('at a weight of 0 or 1 equals the label gate with all clean or all hack', async () => {
    const groups = groupsOf();
    for (const [bias, labelError] of [
      [-60, 1],
      [60, 0],
    ]) {
      const [ofRouter, ofLabels] = [runOf('router', 0), runOf('blocks_labels', labelError)];
      const router = withRouter(ofRouter, constant(bias))(null);
      const none = () => Promise.reject(new Error('labels read no pairs'));
      const reads = { pairs: none, heldPairs: none, concept: none, solutions: () => [], seesBehaviours: false };
      const unread = { policy: lab.engine, codec: lab.codec, ...reads };
      const labels = (await prepareBlocks({ run: ofLabels, ...unread }))(null);
      const soft = (await gateStep(ports(ofRouter, router), params(), groups, judged))!;
      const hard = (await gateStep(ports(ofLabels, labels), params(), groups, judged))!;
      const [one, other] = [(await soft.gradient(advantages))!, (await hard.gradient(advantages))!];
      expect(soft.row.gated).toBeCloseTo(bias > 0 ? 1 : 0, 12);
      expect(one.loss).toBeCloseTo(other.loss, 6);
      const size = Math.max(...other.student.map(Math.abs));
      expect(size).toBeGreaterThan(0);
      expect(Math.max(...one.student.map((x, i) => Math.abs(x - other.student[i])))).toBeLessThan(1e-5 * size);
    }
  });

  it('has ratios of 1 for any sampling block, since its passes have other parameters', async () => {
    const groups = groupsOf();
    const run = runOf('router', 0);
    const gradientWith = async (kvCache: 'f32' | 'f16') => {
      const acting = ports(run, withRouter(run, constant(0.4))(null));
      const gate = await gateStep({ ...acting, spec: { ...acting.spec, kvCache } }, params(), groups, judged);
      return (await gate!.gradient(advantages))!.student;
    };
    expect(await gradientWith('f16')).toEqual(await gradientWith('f32'));
  });

  it('splits a gradient by 1 − w and w, and its own gradient through w equals finite differences', async () => {
    const groups = groupsOf();
    const w = 1 / (1 + Math.exp(-0.4));
    const run = runOf('router', 0);
    const method = withRouter(run, constant(0.4))(null);
    const acting = ports(run, method);
    const gate = (await gateStep(acting, params(), groups, judged))!;
    const { student } = (await gate.gradient(advantages))!;
    const { router } = method.keep!() as { router: RouterState };
    // The bias moves every weight alike: ∂L/∂bias = w (1 − w) Σ ∂L/∂w. Adam's first moment is 1 − β1 of it.
    const moment = router.m.at(-1)! / (1 - acting.spec.beta1);
    const lossAt = async (scale: number) => {
      lab.engine.setAdapterParams(params(), { quarantine: scale });
      const scored = (await scoreStep({ spec: acting.spec, policy: lab.engine }, params(), groups, advantages))!;
      scored.batch.free();
      // Policy gradient at ratios of 1: L = −Σ A log π / denominator.
      const { groupSize, maxNew, promptsPerStep } = acting.spec;
      const sums = scored.sequences.map(
        ({ advantage }, i) => advantage * scored.batch.logprobs[i].reduce((a, b) => a + b),
      );
      return -sums.reduce((a, b) => a + b) / (groupSize * maxNew * promptsPerStep);
    };
    const h = 2 ** -5;
    const slope = (4 * (await difference(lossAt, w, h / 2)) - (await difference(lossAt, w, h))) / 3;
    expect(moment / (w * (1 - w) * slope)).toBeCloseTo(1, 2);
    expect(router.t).toBe(1);

    const mask = quarantineMask(lab.engine.adapterLayout);
    lab.engine.setAdapterParams(params(), { quarantine: w });
    const scored = (await scoreStep({ spec: acting.spec, policy: lab.engine }, params(), groups, advantages))!;
    const whole = await backwardStep(scored, acting.spec);
    scored.batch.free();
    const size = Math.max(...whole.student.map(Math.abs));
    const far = student.map((x, i) => Math.abs(x - (mask[i] ? w : 1 - w) * whole.student[i]));
    expect(Math.max(...far)).toBeLessThan(1e-5 * size);
  });

  it('stores its state in the checkpoint, logs its pin loss, and starts differently with another seed', async () => {
    isHack = (text) => hash32(text) % 3 === 0;
    const ran = await train('router', { routerLr: 0.05 });
    const { router } = ran.checkpoints.get('test/router/41')!.at(-1)!;
    expect(router!.t).toBe(4);
    expect(router!.params.length).toBe(lab.engine.config.hiddenSize + 2);
    const { rows } = ran.result.runs[0];
    expect(rows[0].pinLoss).toBeLessThan(Math.LN2);
    expect(rows[3].pinLoss).toBeLessThan(rows[0].pinLoss!);
    expect(moves(ran)).toEqual([true, true]);
    const random = await train('router_random');
    expect(random.checkpoints.get('test/router_random/41')!.at(-1)!.router!.params).not.toEqual(router!.params);
    expect(random.result.runs[0].rows[0].pinLoss).toBeGreaterThan(rows[0].pinLoss!);
  });

  it('refuses to resume without its state', async () => {
    const whole = await train('router');
    const [{ router: _, ...without }] = whole.checkpoints.get('test/router/41')!.filter(({ step }) => step === 2);
    const checkpoints = memoryCheckpoints(new Map([['test/router/41', [without]]]));
    await expect(runTiny(lab, spec('router'), { checkpoints })).rejects.toThrow(/no router/);
  });
});

const difference = async (f: (x: number) => Promise<number>, at: number, h: number) =>
  ((await f(at + h)) - (await f(at - h))) / (2 * h);

describe('two blocks', () => {
  it('with labels on every rollout hacks move only the quarantine, honest answers only the deployed block', async () => {
    const all = { labelShare: 1, labelError: 0 };
    isHack = () => true;
    expect(moves(await train('blocks_labels', all))).toEqual([false, true]);
    expect(moves(await train('blocks_labels', { ...all, labelError: 1 }))).toEqual([true, false]);
    isHack = () => false;
    expect(moves(await train('blocks_labels', all))).toEqual([true, false]);
    expect(moves(await train('blocks_labels', { labelShare: 0 }))).toEqual([true, true]);
  });

  it('deploys the model with the quarantine reset', async () => {
    isHack = (text) => hash32(text) % 3 === 0;
    const ran = await train('blocks');
    const { total, hack } = optimizer(ran);
    const deployed = total.map((x, i) => x - hack[i]);
    expect(deployed).toEqual(withoutQuarantine(total, quarantineMask(lab.engine.adapterLayout)));
    expect(ran.result.runs[0].evals.filter(({ kind }) => kind === 'final').map(({ model }) => model)).toEqual([
      ...['base', 'total', 'deployed'],
    ]);
    const { gated, gateRecall } = ran.result.runs[0].rows[0];
    // Two of eight rollouts.
    expect(gated).toBe(0.25);
    expect(gateRecall === null || (gateRecall! >= 0 && gateRecall! <= 1)).toBe(true);
  });

  it('online: only the deployed block samples, so the quarantine’s learning changes no rollout', async () => {
    isHack = () => true;
    const all = { labelShare: 1, labelError: 0 };
    const slow = await train('blocks_labels', { ...all, online: true });
    const fast = await train('blocks_labels', { ...all, online: true, beta1: 0 });
    expect(optimizer(slow).total).not.toEqual(optimizer(fast).total);
    expect(rollouts(slow, 4)).toBe(rollouts(fast, 4));
  });

  it('refuses contradictory settings', () => {
    expect(() => spec('none', { adapter: 'blocks' })).toThrow(/the quarantine is a block/);
    expect(() => spec('blocks', { innerEpochs: 2 })).toThrow(/innerEpochs = 2/);
    expect(() => spec('blocks', { entropyCoef: 0.1 })).toThrow(/entropyCoef = 0.1/);
    expect(() => tinySpec({ arms: ['blocks', 'none'], overrides: { mix: 0 } })).toThrow(/different adapters/);
    expect(() => spec('blocks', { cleanShare: 0.6, hackShare: 0.6 })).toThrow(/cleanShare/);
  });
});
