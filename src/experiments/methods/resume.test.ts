// Tests that every arm of the arena resumes to the same bytes: rows, evaluations, and the whole checkpoint with the method's own fields.
import { hash32 } from '@projected-grpo-lab/base/hash.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { METHODS } from '../analysis/methods.ts';
import { ARMS, type Arm, type ArmName } from '../config/arms.ts';
import type { Settings } from '../config/settings.ts';
import { memoryStepStore } from '../records/steps.ts';
import { memoryCheckpoints, openCoinLab, runTiny, type TinyLab, tinySpec } from '../testing/tiny.node.ts';

/** Labs with singular directions, and with two blocks. */
let labs: Record<'svd' | 'blocks', TinyLab>;
beforeAll(async () => {
  const isHack = (completion: string) => hash32(completion) % 3 === 0;
  labs = {
    svd: await openCoinLab(undefined, isHack),
    blocks: await openCoinLab({ adapter: 'blocks', loraRank: 8 }, isHack),
  };
});
afterAll(() => Promise.all(Object.values(labs ?? {}).map((lab) => lab.close())));

/** The consensus has no gradient unless programs run; consensus.test.ts resumes it with programs that do. */
const arms = [...new Set(METHODS.map(({ arm }) => arm))].filter((arm) => !arm.startsWith('consensus'));
const OVERRIDES: Partial<Settings> = {
  steps: 3,
  checkpointEvery: 1,
  problems: 16,
  mix: 0,
  evalEvery: 0,
  finalEvalProblems: 2,
  trustedShare: 0.3,
  // The curriculum's trusted steps end before the run is stopped.
  curriculumShare: 0.3,
};

it('has arms of every kind of label', () => {
  expect(new Set(METHODS.map(({ labels }) => labels)).size).toBe(6);
});

it.each(arms)('%s: resumes to the same bytes', async (arm: ArmName) => {
  const { adapter } = (ARMS[arm] as Arm).settings;
  const lab = labs[adapter === 'blocks' ? 'blocks' : 'svd'];
  const spec = tinySpec({ arms: [arm], overrides: OVERRIDES });
  const steps = memoryStepStore();
  const whole = await runTiny(lab, spec, { steps });
  const id = `test/${arm}/41`;
  const kept = whole.checkpoints.get(id)!;
  expect(kept.map(({ step }) => step)).toEqual([1, 2, 3]);
  const checkpoints = memoryCheckpoints(new Map([[id, structuredClone(kept.slice(0, 1))]]));
  const resumed = await runTiny(lab, spec, { checkpoints, steps });
  const { rows, evals } = whole.result.runs[0];
  expect(resumed.result.runs[0].rows).toEqual(rows);
  expect(resumed.result.runs[0].evals).toEqual(evals);
  expect(await checkpoints.load(id)).toEqual(kept.at(-1));
  expect(rows.some(({ gradNorm }) => gradNorm > 0)).toBe(true);
});
