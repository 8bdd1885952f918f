// Runs on two blocks: which block moves under which gate, what is deployed, who writes the rollouts, and the same bytes after a stop.
import { hash32 } from '@projected-grpo-lab/base/hash.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withoutQuarantine } from '../../algorithms/gates.ts';
import { quarantineMask } from '../../engine/adapter-layout.ts';
import type { Grader } from '../../environments/code/types.ts';
import type { ArmName, Settings } from '../config/spec.ts';
import { memoryCheckpoints, openTinyLab, type Ran, runTiny, type TinyLab, tinySpec } from '../testing/tiny.node.ts';

let lab: TinyLab;
/** What the grader calls a hack, of what passes. */
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

describe('two blocks', () => {
  it('labels on all: hacks move the quarantine alone, honest answers the deployed block alone', async () => {
    const all = { labelShare: 1, labelError: 0 };
    isHack = () => true;
    expect(moves(await train('blocks_labels', all))).toEqual([false, true]);
    expect(moves(await train('blocks_labels', { ...all, labelError: 1 }))).toEqual([true, false]);
    isHack = () => false;
    expect(moves(await train('blocks_labels', all))).toEqual([true, false]);
    expect(moves(await train('blocks_labels', { labelShare: 0 }))).toEqual([true, true]);
  });

  it('what is deployed is the model with the quarantine reset', async () => {
    isHack = (text) => hash32(text) % 3 === 0;
    const ran = await train('blocks');
    const { total, hack } = optimizer(ran);
    const deployed = total.map((x, i) => x - hack[i]);
    expect(deployed).toEqual(withoutQuarantine(total, quarantineMask(lab.engine.adapterLayout)));
    expect(ran.result.runs[0].evals.filter(({ kind }) => kind === 'final').map(({ model }) => model)).toEqual([
      ...['base', 'total', 'deployed'],
    ]);
    const { gated, gateRecall } = ran.result.runs[0].rows[0];
    // A quarter of eight rollouts.
    expect(gated).toBe(0.25);
    expect(gateRecall === null || (gateRecall! >= 0 && gateRecall! <= 1)).toBe(true);
  });

  it('online: the deployed block alone writes, so that what the quarantine learns changes no rollout', async () => {
    isHack = () => true;
    const all = { labelShare: 1, labelError: 0 };
    const slow = await train('blocks_labels', { ...all, online: true });
    const fast = await train('blocks_labels', { ...all, online: true, beta1: 0 });
    expect(optimizer(slow).total).not.toEqual(optimizer(fast).total);
    expect(rollouts(slow, 4)).toBe(rollouts(fast, 4));
  });

  it.each(['blocks', 'blocks_gradient', 'blocks_random_online'] as const)(
    '%s: stopped and resumed, the same bytes',
    async (arm) => {
      isHack = (text) => hash32(text) % 3 === 0;
      const whole = await train(arm);
      const id = `test/${arm}/41`;
      const half = whole.checkpoints.get(id)!.filter(({ step }) => step === 2);
      const resumed = await runTiny(lab, spec(arm), {
        checkpoints: memoryCheckpoints(new Map([[id, structuredClone(half)]])),
      });
      expect(resumed.result.runs[0].rows).toEqual(whole.result.runs[0].rows);
      expect(resumed.result.runs[0].evals).toEqual(whole.result.runs[0].evals);
    },
  );

  it('refuses what makes no sense', () => {
    expect(() => spec('none', { adapter: 'blocks' })).toThrow(/the quarantine is a block/);
    expect(() => spec('blocks', { innerEpochs: 2 })).toThrow(/innerEpochs = 2/);
    expect(() => tinySpec({ arms: ['blocks', 'none'], overrides: { mix: 0 } })).toThrow(/different adapters/);
    expect(() => spec('blocks', { cleanShare: 0.6, hackShare: 0.6 })).toThrow(/cleanShare/);
  });
});
