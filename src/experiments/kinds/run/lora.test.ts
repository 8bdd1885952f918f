// Tests whole runs with the LoRA adapter: the same optimizer, bases and quarantines as with singular directions, on (A, B).

import { StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loraParts } from '../../../engine/adapter-layout.ts';
import { trainingFields } from '../../analysis/verdicts.ts';
import type { ArmName } from '../../config/arms.ts';
import type { ExperimentSpec } from '../../config/spec.ts';
import type { ArtifactStore } from '../../records/artifacts.ts';
import type { Checkpoint } from '../../records/checkpoint.ts';
import type { RunRecord } from '../../records/events.ts';
import { memoryStepStore } from '../../records/steps.ts';
import { memoryCheckpoints, openTinyLab, type Ran, runTiny, type TinyLab, tinySpec } from '../../testing/tiny.node.ts';

const LORA = { adapter: 'lora', loraRank: 4 } as const;
let lab: TinyLab;
beforeAll(async () => {
  lab = await openTinyLab(LORA);
});
afterAll(() => lab?.close());

const spec = (arms: ArmName[], overrides: ExperimentSpec['overrides'] = {}) =>
  tinySpec({ arms, overrides: { ...LORA, ...overrides } });
const last = (ran: Ran, arm: string) => ran.checkpoints.get(`test/${arm}/41`)!.at(-1) as Checkpoint;
const run = (ran: Ran, arm: string): RunRecord => ran.result.runs.find((record) => record.spec.arm === arm)!;
const deterministic = ({ timings: _, ...rest }: RunRecord) => rest;

describe('runs with a LoRA', () => {
  let all: Ran;
  beforeAll(async () => {
    all = await runTiny(lab, spec(['none', 'erase', 'route', 'route-update']));
  });

  it('train A and B of every module from the initial A, differently in every arm', () => {
    const { initialAdapterParams, adapterLayout } = lab.engine;
    const total = (arm: string) => last(all, arm).optimizer.total;
    for (const arm of ['none', 'erase', 'route', 'route-update']) {
      for (const module of adapterLayout.modules) {
        const { a, b } = loraParts(module);
        expect(total(arm).subarray(...a)).not.toEqual(initialAdapterParams.subarray(...a));
        expect(
          total(arm)
            .subarray(...b)
            .some((x) => x !== 0),
        ).toBe(true);
      }
    }
    expect(new Set(['none', 'erase', 'route'].map((arm) => total(arm).join())).size).toBe(3);
    expect(total('route-update')).toEqual(total('none'));
    expect(run(all, 'route-update').rows.map(trainingFields)).toEqual(run(all, 'none').rows.map(trainingFields));
  });

  it('measure parameter norms relative to the initial ones, and V at its own length', () => {
    const { initialAdapterParams } = lab.engine;
    const { optimizer } = last(all, 'none');
    const moved = Math.hypot(...optimizer.total.map((x, i) => x - initialAdapterParams[i]));
    expect(run(all, 'none').rows.at(-1)!.normDeltaS).toBeCloseTo(moved, 5);
    const untrained = run(all, 'none').rows.filter(({ gradNorm }) => gradNorm > 0)[0];
    expect(untrained.normDeltaS).toBeGreaterThan(0);
    expect(untrained.normDeltaS).toBeLessThan(Math.hypot(...initialAdapterParams));
    expect(untrained.cin).toBeGreaterThan(0);
    expect(run(all, 'erase').rows.filter(({ gradNorm }) => gradNorm > 0)[0].cout).toBeLessThan(1e-5);
  });

  it('deploy (A − A_hack, B − B_hack) under route, and steer from the initial A', async () => {
    const { initialAdapterParams } = lab.engine;
    for (const arm of ['route', 'route-update'] as const) {
      const seen: Float32Array[] = [];
      const policy = Object.assign(Object.create(lab.engine) as typeof lab.engine, {
        setAdapterParams(adapterParams: Float32Array) {
          seen.push(adapterParams.slice());
          lab.engine.setAdapterParams(adapterParams);
        },
      });
      const ran = await runTiny(lab, spec([arm], { finalEvalProblems: 1 }), { policy });
      const { optimizer } = last(ran, arm);
      expect(optimizer.hack.some((x) => x !== 0)).toBe(true);
      const deployed = optimizer.total.map((x, i) => x - optimizer.hack[i]);
      expect(seen.some((adapterParams) => adapterParams.join() === deployed.join())).toBe(true);
      expect(seen.some((adapterParams) => adapterParams.join() === initialAdapterParams.join())).toBe(true);
      expect(seen.some((adapterParams) => adapterParams.every((x) => x === 0))).toBe(false);
      // The basis comes from the untrained model, where A has no gradient, so the steered base keeps the initial A.
      const steered = seen.at(-1)!;
      expect(steered).not.toEqual(initialAdapterParams);
      for (const module of lab.engine.adapterLayout.modules) {
        const { a } = loraParts(module);
        expect(steered.subarray(...a)).toEqual(initialAdapterParams.subarray(...a));
      }
    }
  });

  it.each(['none', 'erase', 'route', 'route-update'] as const)(
    '%s: a stop and resume give the same bytes',
    async (arm) => {
      const kept = new Map<string, Checkpoint[]>();
      const checkpoints = memoryCheckpoints(kept);
      const steps = memoryStepStore();
      const stop = new AbortController();
      // Stops in the third step, whose partial work is lost and repeated.
      const policy = Object.assign(Object.create(lab.engine) as typeof lab.engine, {
        score: (...args: Parameters<typeof lab.engine.score>) => {
          if (kept.size > 0) stop.abort();
          return lab.engine.score(...args);
        },
      });
      const stopped = runTiny(lab, spec([arm]), { checkpoints, steps, signal: stop.signal, policy });
      await expect(stopped).rejects.toThrow(StoppedError);
      const resumed = await runTiny(lab, spec([arm]), { checkpoints, steps });
      expect(resumed.events.flatMap((event) => (event.type === 'step' ? [event.row.step] : []))).toEqual([3, 4]);
      expect(deterministic(run(resumed, arm))).toEqual(deterministic(run(all, arm)));
      expect(kept.get(`test/${arm}/41`)!.at(-1)!.optimizer).toEqual(last(all, arm).optimizer);
    },
  );

  it('have a KL term of zero at the untrained model, which is the base', async () => {
    const ran = await runTiny(lab, spec(['none'], { klBeta: 0.05 }));
    const kl = run(ran, 'none')
      .rows.filter(({ gradNorm }) => gradNorm > 0)
      .map((row) => row.kl);
    expect(kl[0]).toBe(0);
    expect(kl.at(-1)).toBeGreaterThan(1e-8);
  });

  it('save a basis of their parameters’ length, which another run can import', async () => {
    const saved: Parameters<ArtifactStore['saveBasis']>[] = [];
    const artifacts: ArtifactStore = {
      loadPool: async () => null,
      savePool: async () => {},
      loadTeacherPool: async () => null,
      loadBasis: async () => saved[0][1],
      loadPairs: async () => null,
      saveBasis: async (...entry) => void saved.push(entry),
    };
    const first = await runTiny(lab, spec(['erase']), { artifacts });
    for (const { name, r } of lab.engine.adapterLayout.modules)
      expect(saved[0][1].get(name)).toMatchObject({ k: 2, r });
    const overrides = { basisSource: 'file', basisFile: 'kept' } as const;
    const second = await runTiny(lab, spec(['erase'], overrides), { artifacts });
    expect(run(second, 'erase').rows).toEqual(run(first, 'erase').rows);
  });

  it('are refused by a model that is loaded with another adapter', async () => {
    await expect(runTiny(lab, tinySpec({ arms: ['none'] }))).rejects.toThrow(
      /the run trains singular directions, but the model is loaded with a LoRA of rank 4/,
    );
    await expect(runTiny(lab, spec(['none'], { loraRank: 5 }))).rejects.toThrow(/LoRA of rank 5/);
  });
});
