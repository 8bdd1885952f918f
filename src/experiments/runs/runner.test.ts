// Tests the runner on a small random model: killed and restarted it ends with the same records, and repeats nothing that is finished.

import { StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunSpec } from '../config/run-spec.ts';
import { resolveRun } from '../config/spec.ts';
import { Preparation } from '../environments/preparation.ts';
import { BaseEvaluations } from '../loop/final-evaluation.ts';
import { openTinyLab, type TinyLab, tinySpec } from '../testing/tiny.node.ts';
import type { PlannedRun } from './finished.ts';
import { runKey } from './key.ts';
import { type RunHost, type RunStore, trainPlanned } from './runner.ts';
import { memoryRunStore } from './testing/memory-run-store.ts';

let lab: TinyLab;
beforeAll(async () => {
  lab = await openTinyLab();
});
afterAll(() => lab.close());

const specOf = (arm: Parameters<typeof resolveRun>[1], overrides = {}): RunSpec =>
  resolveRun(tinySpec({ arms: ['none'], overrides: { steps: 3, checkpointEvery: 1, ...overrides } }), arm, 41);
const planned = (spec: RunSpec): PlannedRun => ({ key: runKey(spec), spec });
const vanilla = planned(specOf('route-update'));
const runs = [vanilla, planned(specOf('erase'))];

function hostOf(signal?: AbortSignal): RunHost {
  let clock = 0;
  const ports = {
    policy: lab.engine,
    device: lab.device,
    codec: lab.codec,
    grader: lab.grader,
    about: { modelId: 'tiny-coder', modelSha256: 'random', appVersion: 'test' },
    date: () => 0,
    now: () => clock++,
    signal,
  };
  const preparation = new Preparation({ ...ports, artifacts: null, modelSha256: 'random' });
  return { equip: async () => ({ ports, shared: { preparation, base: new BaseEvaluations() } }) };
}

/** Records the steps made as `run step`; `kill` stops after that many steps in all. */
async function train(store: RunStore, plan: readonly PlannedRun[] = runs, kill = Number.POSITIVE_INFINITY) {
  const stop = new AbortController();
  const steps: string[] = [];
  try {
    for (const run of plan)
      for await (const event of trainPlanned(run, store, hostOf(stop.signal)))
        if (event.type === 'step' && steps.push(`${event.runId} ${event.row.step}`) === kill)
          stop.abort(new StoppedError());
  } catch (error) {
    if (!(error instanceof StoppedError)) throw error;
  }
  return steps;
}

describe('trainPlanned', () => {
  it('killed after a step and restarted makes every step once, and the same records', async () => {
    const whole = memoryRunStore();
    const expected = await train(whole);
    expect(expected.length).toBe(6);
    expect(await train(whole)).toEqual([]);
    const records = async (store: RunStore) => {
      const kept = await Promise.all(runs.map(({ key }) => store.load(key)));
      return kept.map((found) => ({ ...found, record: { ...found?.record, timings: [] } }));
    };
    const reference = await records(whole);
    for (const kill of [2, 4]) {
      const store = memoryRunStore();
      const before = await train(store, runs, kill);
      expect(before.length).toBe(kill);
      expect([...before, ...(await train(store))]).toEqual(expected);
      expect(await records(store)).toEqual(reference);
    }
  });

  it('does not resume from a checkpoint whose steps are missing', async () => {
    const store = memoryRunStore();
    const made = await train(store, [vanilla], 2);
    expect(made.length).toBe(2);
    await store.steps.truncate(made[0].split(' ')[0], 1);
    expect((await train(store, [vanilla])).length).toBe(3);
  });

  it('starts over if a checkpoint has other labels', async () => {
    const store = memoryRunStore();
    await train(store, [vanilla], 2);
    const relabelled = planned({ ...vanilla.spec, arm: 'no_teacher-route' });
    expect(relabelled.key).toBe(vanilla.key);
    expect((await train(store, [relabelled])).length).toBe(3);
  });
});
