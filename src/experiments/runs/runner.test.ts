// The runner on a small random model: killed and started again it ends with the same records, and nothing finished is made again; further
// quarantines are replayed from kept steps.

import { StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunSpec, resolveRun } from '../config/spec.ts';
import { Preparation } from '../environments/preparation.ts';
import { BaseEvaluations } from '../loop/final-evaluation.ts';
import type { LabEvent } from '../records/events.ts';
import { openTinyLab, type TinyLab, tinySpec } from '../testing/tiny.node.ts';
import { controlRow } from './finished.ts';
import { runKey } from './key.ts';
import type { RunJob } from './planned.ts';
import type { RunHost, RunStore } from './runner.ts';
import { memoryRunStore, type RunJobEvent, runJobs } from './testing/run-jobs.ts';

let lab: TinyLab;
beforeAll(async () => {
  lab = await openTinyLab();
});
afterAll(() => lab.close());

const specOf = (arm: Parameters<typeof resolveRun>[1], overrides = {}): RunSpec =>
  resolveRun(tinySpec({ arms: ['none'], overrides: { steps: 3, checkpointEvery: 1, ...overrides } }), arm, 41);
const jobOf = (spec: RunSpec, more: Partial<RunJob> = {}): RunJob => ({
  run: { key: runKey(spec), spec },
  shadows: [],
  needs: null,
  ...more,
});
const K1 = { id: 'k1', kind: 'real', gate: 'one_sided', k: 1, mode: null } as const;

function jobs(): RunJob[] {
  const vanilla = specOf('route-update');
  return [
    jobOf(vanilla),
    jobOf(specOf('erase')),
    jobOf(specOf('random_V_matched'), { needs: runKey(vanilla) }),
    jobOf(vanilla, { shadows: [K1] }),
  ];
}

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

/** Steps made, by run; `kill` stops after so many in all. */
async function run(store: RunStore, kill = Number.POSITIVE_INFINITY) {
  const stop = new AbortController();
  const events: RunJobEvent[] = [];
  let steps = 0;
  const plan = { jobs: jobs() };
  try {
    for await (const event of runJobs(plan, store, hostOf(stop.signal))) {
      events.push(event);
      if (event.type === 'step' && ++steps === kill) stop.abort(new StoppedError());
    }
  } catch (error) {
    if (!(error instanceof StoppedError)) throw error;
  }
  return events;
}
const stepsOf = (events: readonly RunJobEvent[]) =>
  events.flatMap((event) =>
    event.type === 'step' ? [`${(event as LabEvent & { runId: string }).runId} ${event.row.step}`] : [],
  );

describe('runJobs', () => {
  it('killed after any step and started again makes every step once, and the same records', async () => {
    const whole = memoryRunStore();
    const expected = stepsOf(await run(whole));
    expect(expected.length).toBe(9);
    expect(await run(whole)).toEqual([]);
    const records = async (store: RunStore) => {
      const kept = await Promise.all((await store.keys()).map((key) => store.load(key)));
      return kept.map((found) => ({ ...found, record: { ...found?.record, timings: [] } }));
    };
    const reference = await records(whole);
    for (const kill of [2, 4]) {
      const store = memoryRunStore();
      const before = stepsOf(await run(store, kill));
      expect(before.length).toBe(kill);
      const after = stepsOf(await run(store));
      expect([...before, ...after]).toEqual(expected);
      expect(await records(store)).toEqual(reference);
    }
  });

  it('routes what a finished run does not carry, and what it carries it does not route', async () => {
    const store = memoryRunStore();
    await run(store);
    const [vanilla] = jobs();
    const kept = await store.load(vanilla.run.key);
    if (!kept) throw new Error('the vanilla run is missing');
    expect(kept.rerouted.map(({ shadow: control, row }) => [control.id, row.model, row.kind])).toEqual([
      ['k1', 'k1', 'final'],
    ]);
    expect(controlRow({ ...K1, id: 'another name' }, kept)).toEqual(kept.rerouted[0].row);
    const carried = kept.record.spec.shadows.find(({ id }) => id === 'random_V');
    expect(carried && controlRow({ ...carried, id: 'x' }, kept)?.model).toBe('random_V');
    expect(controlRow({ ...K1, k: 2, gate: 'reverse' }, kept)).toBeNull();
  });

  it('takes over published runs, and trains again only those whose steps are asked for', async () => {
    const whole = memoryRunStore();
    await run(whole);
    const [vanilla, erase] = jobs();
    const published = async (job: RunJob) => {
      const found = await whole.load(job.run.key);
      if (!found) throw new Error('a run is missing');
      return { ...found, rerouted: [], record: { ...found.record, timings: [] } };
    };
    const store = memoryRunStore();
    for (const job of [vanilla, erase]) await store.save(await published(job));
    // Vanilla trains once for the matched basis, whose own run follows; K1's request is then finished already.
    expect(stepsOf(await run(store)).length).toBe(6);
    const rows = async (from: RunStore) =>
      (await Promise.all((await from.keys()).sort().map((key) => from.load(key)))).map((found) => [
        found?.key,
        found?.record.rows,
        found?.record.evals,
        found?.rerouted,
      ]);
    expect(await rows(store)).toEqual(await rows(whole));

    const alone = memoryRunStore();
    await alone.save(await published(vanilla));
    const again = jobOf(vanilla.run.spec, { shadows: [K1] });
    const steps: RunJobEvent[] = [];
    for await (const event of runJobs({ jobs: [again] }, alone, hostOf())) steps.push(event);
    expect(stepsOf(steps).length).toBe(3);
    expect((await alone.load(vanilla.run.key))?.rerouted).toEqual((await whole.load(vanilla.run.key))?.rerouted);
  });

  it('goes on with a needed run that it was training again, as with its own', async () => {
    const whole = memoryRunStore();
    await run(whole);
    const [vanilla, , matched] = jobs();
    const found = await whole.load(vanilla.run.key);
    if (!found) throw new Error('the vanilla run is missing');
    const store = memoryRunStore();
    await store.save({ ...found, rerouted: [] });
    const made = async (kill = Number.POSITIVE_INFINITY) => {
      const stop = new AbortController();
      const events: RunJobEvent[] = [];
      try {
        for await (const event of runJobs({ jobs: [matched] }, store, hostOf(stop.signal))) {
          events.push(event);
          if (event.type === 'step' && event.row.step === kill) stop.abort(new StoppedError());
        }
      } catch (error) {
        if (!(error instanceof StoppedError)) throw error;
      }
      return stepsOf(events).map((line) => Number(line.split(' ').at(-1)));
    };
    // Steps that are kept in part do not count: these runs too are trained to the end.
    expect(await made(2)).toEqual([1, 2]);
    expect(await made()).toEqual([3, 1, 2, 3]);
    expect((await store.load(matched.run.key))?.record.rows).toEqual((await whole.load(matched.run.key))?.record.rows);
  });

  it('goes on from no checkpoint whose steps are gone', async () => {
    const store = memoryRunStore();
    await run(store);
    const [vanilla] = jobs();
    const found = await store.load(vanilla.run.key);
    if (!found) throw new Error('the vanilla run is missing');
    await store.steps.truncate(found.record.id, 1);
    const again = jobOf(vanilla.run.spec, { shadows: [{ ...K1, k: 2 }] });
    const events: RunJobEvent[] = [];
    for await (const event of runJobs({ jobs: [again] }, store, hostOf())) events.push(event);
    expect(stepsOf(events).length).toBe(3);
    expect((await store.load(vanilla.run.key))?.rerouted.length).toBe(1);
  });

  it('begins anew where a checkpoint has other labels', async () => {
    const store = memoryRunStore();
    await run(store, 2);
    const [{ run: first }] = jobs();
    const relabelled: RunJob = jobOf({ ...first.spec, arm: 'no_teacher-route' });
    expect(relabelled.run.key).toBe(first.key);
    const steps: number[] = [];
    for await (const event of runJobs({ jobs: [relabelled] }, store, hostOf()))
      if (event.type === 'step') steps.push(event.row.step);
    expect(steps).toEqual([1, 2, 3]);
  });
});
