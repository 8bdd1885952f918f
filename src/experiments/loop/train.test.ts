// Tests whole runs on the real engine with a small random model. What must be identical is compared byte by byte.

import { LabError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Grader } from '../../environments/code/types.ts';
import { trainingFields } from '../analysis/verdicts.ts';
import type { ArtifactStore } from '../records/artifacts.ts';
import { alsoByTime, type Checkpoint, type CheckpointStore } from '../records/checkpoint.ts';
import type { LabEvent, RolloutRecord, RunRecord } from '../records/events.ts';
import { memoryStepStore } from '../records/steps.ts';
import { memoryCheckpoints, openTinyLab, type Ran, runTiny, type TinyLab, tinySpec } from '../testing/tiny.node.ts';

let lab: TinyLab;
beforeAll(async () => {
  lab = await openTinyLab();
});
afterAll(() => lab?.close());

const last = (ran: Ran, arm: string) => ran.checkpoints.get(`test/${arm}/41`)!.at(-1) as Checkpoint;
const rolloutsOf = (ran: Ran, arm: string): RolloutRecord[] =>
  ran.events.flatMap((event) => (event.type === 'step' && event.runId === `test/${arm}/41` ? event.rollouts : []));
const run = (ran: Ran, arm: string): RunRecord => ran.result.runs.find(({ spec }) => spec.arm === arm)!;
/** Removes the times of a record. */
const deterministic = ({ timings: _, ...rest }: RunRecord) => rest;

describe('a run', () => {
  let both: Ran;
  beforeAll(async () => {
    both = await runTiny(lab, tinySpec({ arms: ['none', 'route-update'] }));
  });

  it('under route/update equals the vanilla run bit for bit: adapter parameters, moments, rollouts, rows', () => {
    const [vanilla, routed] = [last(both, 'none'), last(both, 'route-update')];
    expect(vanilla.optimizer.total.some((x) => x !== 0)).toBe(true);
    expect(routed.optimizer.total).toEqual(vanilla.optimizer.total);
    expect(routed.optimizer.moments).toEqual(vanilla.optimizer.moments);
    expect(rolloutsOf(both, 'route-update')).toEqual(rolloutsOf(both, 'none'));
    expect(run(both, 'route-update').rows.map(trainingFields)).toEqual(run(both, 'none').rows.map(trainingFields));
    const totals = (arm: string) => run(both, arm).evals.filter(({ model }) => model === 'total');
    expect(totals('route-update')).toEqual(totals('none'));
    expect(both.result.verdicts.join('\n')).toContain('route (update) trained vanilla’s run');
  });

  it('gives each control its own quarantine', () => {
    const { optimizer } = last(both, 'route-update');
    expect(Object.keys(optimizer.shadows)).toEqual([
      'no_gate',
      'random_V',
      'permuted_V',
      'flipped_V',
      'nonhack_V',
      'placebo_V',
      'k6',
      'without_run_tests',
      'without_sentinel',
      'without_stdout_marker',
      'without_file_marker',
    ]);
    const quarantines = [optimizer.hack, ...Object.values(optimizer.shadows)];
    for (const quarantine of quarantines) expect(quarantine.some((x) => x !== 0)).toBe(true);
    expect(new Set(quarantines.map((q) => q.join())).size).toBe(quarantines.length);
    const row = run(both, 'route-update').rows.at(-1)!;
    expect(row.coutUpdate).toBeLessThan(1e-5);
    expect(run(both, 'none').rows.at(-1)!.coutUpdate).toBeGreaterThan(1e-3);
  });

  it('logs consistent rows', () => {
    const { rows, evals, status } = run(both, 'route-update');
    expect(status).toBe('done');
    expect(rows.map(({ step }) => step)).toEqual([1, 2, 3, 4]);
    const hackable = rolloutsOf(both, 'route-update').filter(({ source }) => source === 'teacher');
    expect(hackable.length).toBeGreaterThan(0);
    for (const { verdict, kind } of hackable) {
      expect(kind).not.toBe('honest');
      expect(verdict).toMatchObject({ formatOk: true, passed: true, gt_correct: false, exploited: true, reward: 1.25 });
    }
    for (const [i, row] of rows.entries()) {
      const kept = rolloutsOf(both, 'route-update').filter(({ step }) => step === row.step);
      expect(kept).toHaveLength(8);
      expect(row.student.n + row.teacher.n).toBe(8);
      // Honest prompts have no teacher, so all rollouts of their groups are live.
      for (const { source, kind } of kept) if (kind === 'honest') expect(source).toBe('student');
      expect(row.completionMeanLength).toBeLessThanOrEqual(10);
      expect(row.lr).toBeCloseTo(0.015 * (1 + Math.cos((Math.PI * i) / 4)), 12);
      expect(row.cinNull).toBeGreaterThan(0);
    }
    const trained = rows.filter(({ gradNorm }) => gradNorm > 0);
    expect(trained.length).toBeGreaterThan(0);
    // Every group with a spread of rewards has a teacher here, so both sources have a gradient of their own.
    for (const { cinStudent, cinTeacher, cin } of trained) {
      for (const overlap of [cinStudent, cinTeacher, cin]) expect(overlap).toBeGreaterThan(0);
      expect(new Set([cinStudent, cinTeacher, cin]).size).toBe(3);
    }
    const finals = evals.filter(({ kind }) => kind === 'final').map(({ model }) => model);
    expect(finals.slice(0, 3)).toEqual(['base', 'total', 'deployed']);
    expect(finals.at(-1)).toBe('steered_base');
    expect(evals.filter(({ kind }) => kind === 'during').map(({ step, model }) => `${step} ${model}`)).toEqual([
      '0 base',
      '2 total',
      '2 deployed',
      '4 total',
      '4 deployed',
    ]);
  });

  it('gives the same bytes twice', async () => {
    const again = await runTiny(lab, tinySpec({ arms: ['route-update'] }));
    expect(deterministic(run(again, 'route-update'))).toEqual(deterministic(run(both, 'route-update')));
    expect(last(again, 'route-update').optimizer).toEqual(last(both, 'route-update').optimizer);
  });

  it('evaluates the trained and the deployed parameters during the run', async () => {
    const seen: Float32Array[] = [];
    const policy = Object.assign(Object.create(lab.engine) as typeof lab.engine, {
      setAdapterParams(adapterParams: Float32Array) {
        seen.push(adapterParams.slice());
        lab.engine.setAdapterParams(adapterParams);
      },
    });
    const ran = await runTiny(lab, tinySpec({ arms: ['route'], overrides: { finalEvalProblems: 1 } }), { policy });
    const [{ optimizer, step }] = ran.checkpoints.get('test/route/41')!;
    expect(step).toBe(2);
    const deployed = optimizer.total.map((x, i) => x - optimizer.hack[i]);
    expect(deployed).not.toEqual(optimizer.total);
    const at = seen.findIndex((adapterParams) => adapterParams.join() === deployed.join());
    expect(seen[at - 1]).toEqual(optimizer.total);
    expect(seen[at + 1]).toEqual(optimizer.total); // training continues from the trained parameters
  });

  it('another seed gives another run', async () => {
    const other = await runTiny(lab, tinySpec({ arms: ['none'], seeds: [42] }));
    expect(other.checkpoints.get('test/none/42')!.at(-1)!.optimizer.total).not.toEqual(
      last(both, 'none').optimizer.total,
    );
  });
});

describe('stop and resume', () => {
  it.each(['route', 'route-update'] as const)('%s: gives the same bytes as without a stop', async (arm) => {
    const spec = tinySpec({ arms: [arm] });
    const whole = await runTiny(lab, spec);
    const kept = new Map<string, Checkpoint[]>();
    const stop = new AbortController();
    // Stops during the third step, right after the second step's checkpoint.
    const counting = { ...memoryCheckpoints(kept) };
    const keptSteps = memoryStepStore();
    const stopped = runTiny(lab, spec, {
      checkpoints: counting,
      steps: keptSteps,
      signal: stop.signal,
      onRollout: () => {
        if (kept.size > 0) stop.abort();
      },
    });
    await expect(stopped).rejects.toThrow(StoppedError);
    expect(kept.get(`test/${arm}/41`)!.map(({ step }) => step)).toEqual([2]);
    const resumed = await runTiny(lab, spec, { checkpoints: counting, steps: keptSteps });
    const steps = resumed.events.flatMap((event) => (event.type === 'step' ? [event.row.step] : []));
    expect(steps).toEqual([3, 4]);
    expect(deterministic(run(resumed, arm))).toEqual(deterministic(run(whole, arm)));
    const [after, expected] = [kept.get(`test/${arm}/41`)!.at(-1)!, last(whole, arm)];
    expect(after.optimizer).toEqual(expected.optimizer);
    expect(after.history).toEqual(expected.history);
    expect(Object.values(after.history).flat()).toHaveLength(4 * 2);
  });

  it.each([
    ['in a rollout', {}, 3, 'rollout', 2],
    ['in an evaluation', { evalEvery: 3 }, 3, 'evaluate', 2],
    ['in the second inner epoch', { innerEpochs: 2 }, 3, 'update', 2],
    ['in its first step', { evalEvery: 1 }, 1, 'evaluate', null],
    ['after a refresh of the bases', { refreshEvery: 1 }, 4, 'rollout', 3],
  ] as const)('a stop %s keeps the steps before it', async (_, overrides, inStep, phase, keptStep) => {
    const spec = tinySpec({ arms: ['route'], overrides: { checkpointEvery: 100, evalEvery: 0, ...overrides } });
    const whole = await runTiny(lab, spec);
    const kept = new Map<string, Checkpoint[]>();
    const checkpoints = memoryCheckpoints(kept);
    const steps = memoryStepStore();
    const stop = new AbortController();
    const events: LabEvent[] = [];
    const push = events.push.bind(events);
    events.push = (event: LabEvent) => {
      if (event.type === 'phase' && event.step === inStep && event.phase === phase) stop.abort(new StoppedError());
      return push(event);
    };
    await expect(runTiny(lab, spec, { checkpoints, steps, signal: stop.signal }, events)).rejects.toThrow(StoppedError);
    const own = kept.get('test/route/41');
    expect(own?.map(({ step }) => step) ?? null).toEqual(keptStep === null ? null : [keptStep]);
    expect(events.flatMap((event) => (event.type === 'checkpoint' ? [event.step] : []))).toEqual(
      keptStep === null ? [] : [keptStep],
    );
    const resumed = await runTiny(lab, spec, { checkpoints, steps });
    expect(deterministic(run(resumed, 'route'))).toEqual(deterministic(run(whole, 'route')));
    expect(kept.get('test/route/41')!.at(-1)!.optimizer).toEqual(last(whole, 'route').optimizer);
  });

  it('resumes with the checkpoint’s controls if an older version gave it fewer', async () => {
    const spec = tinySpec({ arms: ['route-update'] });
    const whole = await runTiny(lab, spec);
    const kept = whole.checkpoints.get('test/route-update/41')![0];
    const few = ['no_gate', 'random_V'];
    const early: Checkpoint = {
      ...kept,
      spec: { ...kept.spec, shadows: kept.spec.shadows.filter(({ id }) => few.includes(id)) },
      optimizer: { ...kept.optimizer, shadows: Object.fromEntries(few.map((id) => [id, kept.optimizer.shadows[id]])) },
    };
    const checkpoints = memoryCheckpoints(new Map([['test/route-update/41', [early]]]));
    const resumed = await runTiny(lab, spec, { checkpoints });
    const own = run(resumed, 'route-update');
    expect(own.spec.shadows.map(({ id }) => id)).toEqual(few);
    const finals = (of: RunRecord, model: string) =>
      of.evals.find((row) => row.kind === 'final' && row.model === model);
    for (const model of ['total', 'deployed', ...few])
      expect(finals(own, model)).toEqual(finals(run(whole, 'route-update'), model));
    // A checkpoint with different controls is refused, one with fewer is not.
    const foreign = { ...early, spec: { ...early.spec, shadows: [{ ...early.spec.shadows[0], k: 1 }] } };
    const other = memoryCheckpoints(new Map([['test/route-update/41', [foreign]]]));
    await expect(runTiny(lab, spec, { checkpoints: other })).rejects.toThrow(/another shadows/);
  });

  it('checkpoints also by the store’s clock, which changes no byte, and resumes from there', async () => {
    const spec = tinySpec({ arms: ['none'], overrides: { checkpointEvery: 100, steps: 3 } });
    const whole = await runTiny(lab, spec);
    const kept = new Map<string, Checkpoint[]>();
    let clock = 0;
    // Every step takes six seconds.
    const slow = (of: Map<string, Checkpoint[]>): CheckpointStore => {
      const store = alsoByTime(memoryCheckpoints(of), () => clock);
      return {
        ...store,
        isDue: (runId) => {
          clock += 6000;
          return store.isDue!(runId);
        },
      };
    };
    const checkpoints = slow(kept);
    const timed = await runTiny(lab, spec, { checkpoints });
    const steps = () => kept.get('test/none/41')!.map(({ step }) => step);
    expect(steps()).toEqual([1, 2, 3]);
    expect(timed.result.runs.map(deterministic)).toEqual(whole.result.runs.map(deterministic));
    // The run is stopped after its first step, long before the hundredth.
    kept.set('test/none/41', kept.get('test/none/41')!.slice(0, 1));
    const resumed = await runTiny(lab, spec, { checkpoints });
    expect(steps()).toEqual([1, 2, 3]);
    expect(resumed.result.runs.map(deterministic)).toEqual(whole.result.runs.map(deterministic));

    const rarely = new Map<string, Checkpoint[]>();
    await runTiny(lab, spec, { checkpoints: alsoByTime(memoryCheckpoints(rarely), () => 0) });
    expect(rarely.get('test/none/41')!.map(({ step }) => step)).toEqual([3]);
    const never = tinySpec({ arms: ['none'], overrides: { checkpointEvery: 0, steps: 2 } });
    const none = new Map<string, Checkpoint[]>();
    await runTiny(lab, never, { checkpoints: slow(none) });
    expect(none.size).toBe(0);
  });

  it('refuses a checkpoint of another spec, and names what differs', async () => {
    const kept = new Map<string, Checkpoint[]>();
    const checkpoints = memoryCheckpoints(kept);
    await runTiny(lab, tinySpec({ arms: ['none'] }), { checkpoints });
    const other = runTiny(lab, tinySpec({ arms: ['none'], overrides: { lr: 0.5 } }), { checkpoints });
    await expect(other).rejects.toThrow(/another lr \(0.03 ≠ 0.5\)/);
    const about = { modelId: 'tiny-coder', modelSha256: 'retrained', appVersion: 'test' };
    const elsewhere = runTiny(lab, tinySpec({ arms: ['none'] }), { checkpoints, about });
    await expect(elsewhere).rejects.toThrow(/belongs to model random, .*; this is model retrained, /);
  });
});

describe('arms', () => {
  it('erase and its random control train differently from vanilla, with a KL term too', async () => {
    const ran = await runTiny(
      lab,
      tinySpec({ arms: ['none', 'erase', 'random_V', 'erase-update'], overrides: { klBeta: 0.05 } }),
    );
    const adapterParams = ['none', 'erase', 'random_V', 'erase-update'].map((arm) =>
      last(ran, arm).optimizer.total.join(),
    );
    expect(new Set(adapterParams).size).toBe(4);
    // Steps whose groups are all flat (two honest prompts) have no gradient.
    const trained = (arm: string) => run(ran, arm).rows.filter(({ gradNorm }) => gradNorm > 0);
    for (const { cout } of trained('erase')) expect(cout).toBeLessThan(1e-5);
    for (const { cout, cin } of trained('none')) expect(cout).toBe(cin);
    const kl = trained('none').map((row) => row.kl);
    expect(kl[0]).toBeCloseTo(0, 10); // the first step is taken at the reference itself
    expect(kl.at(-1)).toBeGreaterThan(1e-8);
  });

  it('without a teacher every row is live; groups without spread are skipped and nothing is trained', async () => {
    const ran = await runTiny(lab, tinySpec({ arms: ['no_teacher'] }));
    expect(rolloutsOf(ran, 'no_teacher').every(({ source }) => source === 'student')).toBe(true);
    // A random model never earns a reward, so every group is flat.
    for (const row of run(ran, 'no_teacher').rows) {
      expect(row).toMatchObject({
        fracRewardZeroStd: 1,
        loss: 0,
        gradNorm: 0,
        cin: null,
        cinTeacher: null,
        entropy: null,
      });
      expect(row.teacher).toMatchObject({ n: 0, figures: { hack: null, solve: null } });
    }
    expect(last(ran, 'no_teacher').optimizer.total.every((x) => x === 0)).toBe(true);
  });

  it('saves the pool and the basis, and reads them back', async () => {
    const pools = new Map<string, string>();
    const saved: Parameters<ArtifactStore['saveBasis']>[] = [];
    let graded = 0;
    const grader: Grader = {
      version: lab.grader.version,
      close: () => lab.grader.close(),
      grade: (items, signal) => {
        graded += items.length;
        return lab.grader.grade(items, signal);
      },
    };
    const artifacts: ArtifactStore = {
      loadPool: async (key) => pools.get(key) ?? null,
      savePool: async (key, text) => void pools.set(key, text),
      loadTeacherPool: async () => null,
      loadBasis: async (id) => (id === saved[0]?.[0].key ? saved[0][1] : null),
      loadPairs: async () => null,
      saveBasis: async (...entry) => void saved.push(entry),
    };
    const ports = { artifacts, grader };
    const first = await runTiny(lab, tinySpec({ arms: ['erase'] }), ports);
    const firstGraded = graded;
    expect(pools.size).toBe(1);
    expect([...pools.values()][0].trim().split('\n').length).toBe(5 * 4);
    expect(saved[0][0]).toMatchObject({ k: 2, nPairs: 6, modelSha256: 'random' });
    graded = 0;
    const second = await runTiny(lab, tinySpec({ arms: ['erase'] }), ports);
    expect(firstGraded - graded).toBe(20);
    expect(run(second, 'erase').rows).toEqual(run(first, 'erase').rows);
    // The extracted basis, imported as a file, is the same basis.
    const overrides = { basisSource: 'file', basisFile: saved[0][0].key } as const;
    const third = await runTiny(lab, tinySpec({ arms: ['erase'], overrides }), ports);
    expect(run(third, 'erase').rows).toEqual(run(first, 'erase').rows);
    const unknown = runTiny(lab, tinySpec({ arms: ['erase'], overrides: { ...overrides, basisFile: 'nope' } }), ports);
    await expect(unknown).rejects.toThrow(/"nope"/);
  });

  it('refuses a basis without axes: from pairs with equal sides, or a file whose first k axes are zero', async () => {
    const sides = { problem_id: 'p', hack: 'pass', clean: 'pass', mechanism: null };
    const alike = Array.from({ length: 6 }, (_, i) => ({ ...sides, prompt: `def f${i}` }));
    const zero = { k: 3, r: 0, V: new Float32Array(), S: new Float32Array([3, 3, 3]) };
    const [{ name, r }] = lab.engine.adapterLayout.modules;
    const V = new Float32Array(3 * r);
    V[2 * r] = 1;
    const saved: string[] = [];
    const artifacts: ArtifactStore = {
      loadPool: async () => null,
      savePool: async () => {},
      loadTeacherPool: async () => null,
      loadBasis: async () => new Map([[name, { ...zero, r, V }]]),
      loadPairs: async () => alike,
      saveBasis: async ({ key }) => void saved.push(key),
    };
    const trained = (arm: 'erase' | 'none', overrides: Parameters<typeof tinySpec>[0]['overrides']) =>
      runTiny(lab, tinySpec({ arms: [arm], overrides: { ...overrides, steps: 1 } }), { artifacts });
    const pairSet = `pairs:${'a'.repeat(64)}`;
    await expect(trained('erase', { pairSet })).rejects.toThrow(
      /^The basis has no axis: the first k = 2 of each module, from 6 pairs with tauAxis = 0, are zero or below the noise floor/,
    );
    const file = { basisSource: 'file', basisFile: 'b', k: 2 } as const;
    await expect(trained('erase', file)).rejects.toThrow(/the first k = 2 of each module, from the imported file/);
    await expect(trained('erase', { ...file, k: 3 })).resolves.toBeDefined();
    // Without projection nothing uses the basis, and no file of zeros is saved.
    await expect(trained('none', { pairSet })).resolves.toBeDefined();
    expect(saved).toEqual([]);
  });

  it('extracts the basis without the held-out pairs', async () => {
    const saved: Parameters<ArtifactStore['saveBasis']>[] = [];
    const artifacts: ArtifactStore = {
      loadPool: async () => null,
      savePool: async () => {},
      loadTeacherPool: async () => null,
      loadBasis: async () => null,
      loadPairs: async () => null,
      saveBasis: async (...entry) => void saved.push(entry),
    };
    for (const overrides of [{ pairs: 6 }, { pairs: 8, nHeldout: 2 }, { pairs: 8 }])
      await runTiny(lab, tinySpec({ arms: ['erase'], overrides: { ...overrides, steps: 1 } }), { artifacts });
    expect(saved.map(([{ nPairs, nHeldout }]) => [nPairs, nHeldout])).toEqual([
      [6, 0],
      [6, 2],
      [8, 0],
    ]);
    const [six, heldOut, eight] = saved.map(([, basis]) => basis);
    expect(heldOut).toEqual(six);
    expect(eight).not.toEqual(six);
    // The votes of the pairs on each axis are stored with the basis. Its own pairs agree with the axis by majority; held-out pairs need not.
    const { votes } = saved[1][0];
    expect(Object.keys(votes!)).toEqual([...heldOut.keys()]);
    for (const { used, heldout } of Object.values(votes!)) {
      expect(used.every((count) => count === null || (count >= 3 && count <= 6))).toBe(true);
      expect(heldout.every((count) => count === null || (count >= 0 && count <= 2))).toBe(true);
    }
    expect(Object.values(votes!).some(({ heldout }) => heldout.some((count) => count !== null && count > 0))).toBe(
      true,
    );
  });

  it('reports a failed run with its error before it throws', async () => {
    const broken: Grader = {
      version: 'broken',
      close: async () => {},
      grade: () => Promise.reject(new LabError('the grader broke', 'Mend it.')),
    };
    const seen: LabEvent[] = [];
    await expect(runTiny(lab, tinySpec({ arms: ['none'] }), { grader: broken }, seen)).rejects.toThrow(/grader broke/);
    expect(seen.at(-1)).toMatchObject({
      type: 'run-end',
      run: { status: 'failed', error: { message: 'the grader broke', remedy: 'Mend it.' } },
    });
  });
});
