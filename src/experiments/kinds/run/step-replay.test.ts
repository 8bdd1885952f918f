// Tests stored steps and their uses: replaying a finished run, the matched random control, and refreshed bases.

import { LabError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ARMS } from '../../config/arms.ts';
import type { ControlSpec } from '../../config/controls.ts';
import { resolveRuns } from '../../config/spec.ts';
import { Preparation } from '../../environments/preparation.ts';
import type { Checkpoint } from '../../records/checkpoint.ts';
import type { RunRecord } from '../../records/events.ts';
import { memoryStepStore, type StepStore } from '../../records/steps.ts';
import { memoryCheckpoints, openTinyLab, type Ran, runTiny, type TinyLab, tinySpec } from '../../testing/tiny.node.ts';
import { type ReplayedControl, replaySteps } from './step-replay.ts';

let lab: TinyLab;
beforeAll(async () => {
  lab = await openTinyLab();
});
afterAll(() => lab?.close());

const runOf = (ran: Ran, arm: string): RunRecord => ran.result.runs.find(({ spec }) => spec.arm === arm)!;
const last = (ran: Ran, arm: string) => ran.checkpoints.get(`test/${arm}/41`)!.at(-1) as Checkpoint;
const rerouting = (on: TinyLab) => ({
  policy: on.engine,
  device: on.device,
  codec: on.codec,
  preparation: new Preparation({ ...on, policy: on.engine, artifacts: null, modelSha256: 'random' }),
});
async function routeAgain(
  run: RunRecord,
  steps: StepStore,
  controls: readonly ControlSpec[] = run.spec.shadows,
  on = lab,
) {
  const kept = (await steps.load(run.id))!;
  const stream = replaySteps(
    { runId: run.id, spec: run.spec, steps: kept, shadows: controls, finalEvaluation: true },
    rerouting(on),
  );
  for (;;) {
    const next = await stream.next();
    if (next.done) return next.value;
  }
}
const control = (id: string, kind: ControlSpec['kind'], extra: Partial<ControlSpec> = {}): ControlSpec => ({
  id,
  kind,
  gate: 'one_sided',
  k: 2,
  mode: null,
  ...extra,
});

describe('replaying steps', () => {
  const decaying = { weightDecay: 0.5, overshoot: 1.2 };
  let ran: Ran;
  let steps: StepStore;
  beforeAll(async () => {
    steps = memoryStepStore();
    ran = await runTiny(lab, tinySpec({ arms: ['none', 'route-update', 'erase'], overrides: decaying }), { steps });
  });

  it('gives exactly the run’s own quarantines and evaluation rows', async () => {
    const run = runOf(ran, 'route-update');
    const again = await routeAgain(run, steps);
    const { optimizer } = last(ran, 'route-update');
    expect(again.total).toEqual(optimizer.total);
    expect(again.own.hack).toEqual(optimizer.hack);
    for (const [id, hack] of Object.entries(optimizer.shadows)) expect(again.shadows[id].hack).toEqual(hack);
    expect(Object.keys(again.shadows)).toEqual(run.spec.shadows.map(({ id }) => id));
    const finals = run.evals.filter(({ kind, model }) => kind === 'final' && model in again.shadows);
    expect(finals).toHaveLength(run.spec.shadows.length);
    for (const row of again.evals) expect(row).toEqual(finals.find(({ model }) => model === row.model));
  });

  it('gives vanilla’s run the same ones, since its steps are the same', async () => {
    expect(await steps.load('test/none/41')).toEqual(await steps.load('test/route-update/41'));
    const again = await routeAgain(runOf(ran, 'none'), steps, [control('real', 'real')]);
    expect(again.shadows.real.hack).toEqual(last(ran, 'route-update').optimizer.hack);
    expect(again.shadows.real.removed).toBe(again.own.removed);
  });

  it('accepts any basis: other pairs, another kind, another gate', async () => {
    const others = [
      control('mean', 'real', { settings: { basisKind: 'mean_diff' } }),
      control('long', 'real', { settings: { basisLoss: 'grpo' } }),
      control('orth', 'real', { settings: { solveOrth: 2 } }),
      control('modes', 'real', { settings: { pairModes: ['run_tests'] } }),
      control('placebo', 'real', { settings: { pairSet: 'placebo' } }),
      control('over', 'real', { settings: { overshoot: 2 } }),
      control('flipped', 'flipped'),
      control('same', 'real'),
    ];
    const { own, shadows: controls } = await routeAgain(runOf(ran, 'route-update'), steps, others);
    expect(controls.same.hack).toEqual(own.hack);
    const different = ['mean', 'long', 'orth', 'modes', 'placebo', 'over', 'flipped'].map((id) =>
      controls[id].hack.join(),
    );
    expect(new Set([...different, own.hack.join()]).size).toBe(different.length + 1);
  });

  it('widens random V until it removes as much as the real one', async () => {
    const run = runOf(ran, 'route-update');
    const {
      own,
      shadows: controls,
      evals,
    } = await routeAgain(run, steps, [control('random', 'random'), control('random_V_matched', 'random_matched')]);
    const { width, removed } = controls.random_V_matched;
    expect(width!.limit).toBeNull();
    expect(width!.k).toBeGreaterThan(2);
    expect(removed).toBeGreaterThanOrEqual(own.removed * (1 - 1e-5));
    expect(removed).toBeLessThan(own.removed * 1.5);
    expect(controls.random.removed).toBeLessThan(own.removed);
    expect(evals[1].note).toContain(`k = ${width!.k}:`);
  });

  it('refuses runs whose steps are not vanilla’s, and contradictory controls', async () => {
    const kept = memoryStepStore();
    await kept.append('test/erase/41', 1, []);
    await expect(routeAgain(runOf(ran, 'erase'), kept)).rejects.toThrow(/its basis shaped its steps/);
    await kept.append('test/none/41', 1, []);
    await expect(routeAgain(runOf(ran, 'none'), kept, [])).rejects.toThrow(/1 of the 4 steps/);
    const run = runOf(ran, 'route-update');
    await expect(routeAgain(run, steps, [control('a', 'real', { k: 7 })])).rejects.toThrow(/k = 7 axes from 6/);
    await expect(routeAgain(run, steps, [control('a', 'real'), control('a', 'real')])).rejects.toThrow(
      /two of this name/,
    );
  });

  it('also works for LoRA and several inner epochs: each epoch’s Δ is stored, and decays by its own rate', async () => {
    const lora = { adapter: 'lora', loraRank: 2 } as const;
    const other = await openTinyLab(lora);
    try {
      const overrides = { ...decaying, ...lora, innerEpochs: 2, refreshEvery: 2, finalEvalProblems: 1 };
      const kept = memoryStepStore();
      const wide = await runTiny(other, tinySpec({ arms: ['route-update'], overrides }), { steps: kept });
      const run = runOf(wide, 'route-update');
      expect((await kept.load(run.id))!.map(({ length }) => length)).toEqual(
        run.rows.map(({ gradNorm }) => (gradNorm > 0 ? 2 : 0)),
      );
      const again = await routeAgain(run, kept, undefined, other);
      const { optimizer } = last(wide, 'route-update');
      expect(again.total).toEqual(optimizer.total);
      expect(again.own.hack).toEqual(optimizer.hack);
      for (const [id, hack] of Object.entries(optimizer.shadows)) expect(again.shadows[id].hack).toEqual(hack);
    } finally {
      await other.close();
    }
  });

  it('stores steps only if they are vanilla’s', async () => {
    expect(await steps.load('test/erase/41')).toBeNull();
    const kept = (await steps.load('test/none/41'))!;
    expect(kept).toHaveLength(4);
    // A step whose groups were all skipped has no Δ.
    const { rows } = runOf(ran, 'none');
    expect(kept.map((deltas) => deltas.length)).toEqual(rows.map(({ gradNorm }) => (gradNorm > 0 ? 1 : 0)));
  });
});

describe('a run that was interrupted', () => {
  it('ends with one list of Δ per step, equal to those of an uninterrupted run', async () => {
    const spec = tinySpec({ arms: ['none'] });
    const whole = memoryStepStore();
    await runTiny(lab, spec, { steps: whole });
    const [steps, checkpoints] = [memoryStepStore(), memoryCheckpoints()];
    // The run is killed one step after the checkpoint, so this step is already stored and will be repeated.
    const dying: StepStore = {
      ...steps,
      append: async (runId, step, delta) => {
        await steps.append(runId, step, step === 3 ? [Float32Array.of(step)] : delta);
        if (step === 3) throw new LabError('died', '');
      },
    };
    await expect(runTiny(lab, spec, { steps: dying, checkpoints })).rejects.toThrow('died');
    expect(await steps.load('test/none/41')).toHaveLength(3);
    await runTiny(lab, spec, { steps, checkpoints });
    expect(await steps.load('test/none/41')).toEqual(await whole.load('test/none/41'));
  });

  it('deletes steps after the point of resumption, and returns none if one is missing', async () => {
    const steps = memoryStepStore();
    for (const step of [1, 2, 3]) await steps.append('r', step, [Float32Array.of(step)]);
    await steps.append('r', 2, [Float32Array.of(9)]);
    expect(await steps.load('r')).toEqual([[Float32Array.of(1)], [Float32Array.of(9)], [Float32Array.of(3)]]);
    await steps.truncate('r', 1);
    expect(await steps.load('r')).toEqual([[Float32Array.of(1)]]);
    await steps.truncate('r', 0);
    expect(await steps.load('r')).toBeNull();
    await steps.append('r', 2, []);
    expect(await steps.load('r')).toBeNull();
  });
});

describe('random V matched as an arm', () => {
  it('trains after vanilla, with the width that matches vanilla’s steps', async () => {
    const spec = tinySpec({ arms: ['random_V_matched', 'random_V', 'none'] });
    expect(resolveRuns(spec).map(({ arm }) => arm)).toEqual(['random_V', 'none', 'random_V_matched']);
    const ran = await runTiny(lab, spec);
    const matched = runOf(ran, 'random_V_matched');
    const note = matched.evals.find(({ kind, model }) => kind === 'final' && model === 'total')!.note!;
    expect(Number(/^k = (\d+)/.exec(note)![1])).toBeGreaterThan(2);
    expect(matched.rows.map(({ cin }) => cin)).not.toEqual(runOf(ran, 'random_V').rows.map(({ cin }) => cin));
    expect(last(ran, 'random_V_matched').optimizer.total).not.toEqual(last(ran, 'random_V').optimizer.total);
  });

  it('is refused without vanilla, and as a setting of other arms', () => {
    expect(() => tinySpec({ arms: ['erase', 'random_V_matched'] })).toThrow(/needs the steps of a vanilla run/);
    const overrides = { basisSource: 'random_matched' } as const;
    expect(() => tinySpec({ arms: ['erase'], overrides })).toThrow(/set by vanilla/);
    expect(ARMS['random_V_matched-route'].settings).toEqual({ basisSource: 'random_matched' });
  });
});

describe('refresh', () => {
  const refreshing = { refreshEvery: 1, checkpointEvery: 2 };
  const adapterParams = (ran: Ran, arm: string) => last(ran, arm).optimizer;

  it('re-extracts on the model without its quarantine, and reports the rotation of the first axis', async () => {
    const spec = (overrides = {}) => tinySpec({ arms: ['none', 'route', 'erase'], overrides });
    const [frozen, fresh] = [await runTiny(lab, spec()), await runTiny(lab, spec(refreshing))];
    expect(adapterParams(fresh, 'none').total).toEqual(adapterParams(frozen, 'none').total);
    for (const arm of ['route', 'erase'])
      expect(adapterParams(fresh, arm).total).not.toEqual(adapterParams(frozen, arm).total);
    const { rows } = runOf(fresh, 'erase');
    expect(rows[0].basisOverlap).toBeNull();
    for (const { basisOverlap } of rows.slice(1)) {
      expect(basisOverlap).toBeGreaterThan(0);
      expect(basisOverlap).toBeLessThanOrEqual(1 + 1e-6);
    }
    expect(rows.some(({ basisOverlap }) => basisOverlap !== null && basisOverlap! < 0.99999)).toBe(true);
    expect('basisOverlap' in runOf(frozen, 'erase').rows[0]).toBe(false);
    expect('refreshed' in last(frozen, 'erase')).toBe(false);
  });

  it('under route/update never affects training; each control’s basis is refreshed separately', async () => {
    const spec = (overrides = {}) => tinySpec({ arms: ['route-update'], overrides });
    const steps = memoryStepStore();
    const frozen = await runTiny(lab, spec());
    const fresh = await runTiny(lab, spec(refreshing), { steps });
    expect(adapterParams(fresh, 'route-update').total).toEqual(adapterParams(frozen, 'route-update').total);
    const [before, after] = [
      adapterParams(frozen, 'route-update').shadows,
      adapterParams(fresh, 'route-update').shadows,
    ];
    for (const id of ['random_V', 'permuted_V', 'no_gate', 'flipped_V']) expect(after[id]).not.toEqual(before[id]);
    const again: ReplayedControl = await routeAgain(runOf(fresh, 'route-update'), steps);
    expect(again.own.hack).toEqual(adapterParams(fresh, 'route-update').hack);
    for (const [id, hack] of Object.entries(after)) expect(again.shadows[id].hack).toEqual(hack);
  });

  it.each(['route', 'route-update'] as const)(
    '%s goes on from a checkpoint between refreshes with the same bytes',
    async (arm) => {
      const spec = tinySpec({ arms: [arm], overrides: { steps: 5, refreshEvery: 2, checkpointEvery: 3 } });
      const wholeSteps = memoryStepStore();
      const whole = await runTiny(lab, spec, { steps: wholeSteps });
      const [kept, stop, steps] = [new Map<string, Checkpoint[]>(), new AbortController(), memoryStepStore()];
      const checkpoints = memoryCheckpoints(kept);
      const stopping = {
        ...checkpoints,
        save: async (checkpoint: Checkpoint) => {
          await checkpoints.save(checkpoint);
          stop.abort();
        },
      };
      const stopped = runTiny(lab, spec, { steps, checkpoints: stopping, signal: stop.signal });
      await expect(stopped).rejects.toThrow(StoppedError);
      const [{ step, refreshed }] = kept.get(`test/${arm}/41`)!;
      expect([step, refreshed!.own!.step]).toEqual([3, 2]);
      const resumed = await runTiny(lab, spec, { steps, checkpoints });
      const deterministic = ({ timings: _, ...rest }: RunRecord) => rest;
      expect(deterministic(runOf(resumed, arm))).toEqual(deterministic(runOf(whole, arm)));
      const [after, expected] = [kept.get(`test/${arm}/41`)!.at(-1)!, last(whole, arm)];
      expect(after.optimizer).toEqual(expected.optimizer);
      expect(after.refreshed).toEqual(expected.refreshed);
    },
  );
});
