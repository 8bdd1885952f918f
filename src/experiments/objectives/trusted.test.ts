// Tests the arena's methods on trusted problems in whole small runs: each trains on its stated data and changes the result, and a run with
// a refreshed basis resumes to the same bytes (methods/resume.test.ts has every arm).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nllBackward } from '../../algorithms/objectives/backward.ts';
import type { ArmName } from '../config/arms.ts';
import type { ControlSpec } from '../config/controls.ts';
import { disabledReasonIn } from '../config/effect.ts';
import type { RunSpec } from '../config/run-spec.ts';
import type { Settings } from '../config/settings.ts';
import { resolveRun } from '../config/spec.ts';
import { Preparation } from '../environments/preparation.ts';
import { replaySteps } from '../kinds/run/step-replay.ts';
import type { Checkpoint } from '../records/checkpoint.ts';
import type { RolloutRecord } from '../records/events.ts';
import { memoryStepStore } from '../records/steps.ts';
import { memoryCheckpoints, openCoinLab, type Ran, runTiny, type TinyLab, tinySpec } from '../testing/tiny.node.ts';
import { tokensOf } from './document-batch.ts';

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

describe('the trusted subspace', () => {
  const final = (ran: Ran, model: string) =>
    ran.result.runs[0].evals.find((row) => row.kind === 'final' && row.model === model);

  it('trains exactly like vanilla; the deployed part lies in the span of the trusted solutions’ gradients, the dropped part is orthogonal', async () => {
    const vanilla = await runTiny(lab, spec('none'));
    // With 2 trusted problems the basis spans all of their gradients.
    const ran = await runTiny(lab, spec('trusted_subspace', { k: 6 }));
    const { total, hack } = last(ran, 'trusted_subspace').optimizer;
    expect(total).toEqual(last(vanilla, 'none').optimizer.total);
    expect(final(ran, 'deployed')).toBeDefined();
    expect(final(ran, 'steered_base')).toBeUndefined();

    const run = resolveRun(spec('trusted_subspace', { k: 6 }), 'trusted_subspace', 41);
    const gradients = await gradientsOfTrusted(run);
    expect(gradients.length).toBe(2);
    for (const { offset, r } of lab.engine.adapterLayout.modules) {
      const part = (x: Float32Array) => Float64Array.from(x.subarray(offset, offset + r));
      const axes = orthonormal(gradients.map(part));
      const [moved, dropped] = [part(total.map((x, i) => x - hack[i])), part(hack)];
      expect(dot(moved, moved)).toBeGreaterThan(0);
      expect(shareInside(axes, moved)).toBeCloseTo(1, 4);
      expect(shareInside(axes, dropped)).toBeCloseTo(0, 3);
    }
  });

  it('of all modules together: the whole change lies in the span of whole gradients, with one coefficient for all modules', async () => {
    const vanilla = await runTiny(lab, spec('none'));
    const ran = await runTiny(lab, spec('trusted_subspace_all', { k: 6 }));
    const { total, hack } = last(ran, 'trusted_subspace_all').optimizer;
    expect(total).toEqual(last(vanilla, 'none').optimizer.total);
    const moved = total.map((x, i) => x - hack[i]);
    const run = resolveRun(spec('trusted_subspace_all', { k: 6 }), 'trusted_subspace_all', 41);
    const gradients = await gradientsOfTrusted(run);
    const axes = orthonormal(gradients.map((gradient) => Float64Array.from(gradient)));
    expect(shareInside(axes, moved)).toBeCloseTo(1, 4);
    expect(shareInside(axes, hack)).toBeCloseTo(0, 3);
    // In a single module this need not hold: the dropped part may lie partly inside the span.
    const { offset, r } = lab.engine.adapterLayout.modules[0];
    const part = (x: Float32Array) => Float64Array.from(x.subarray(offset, offset + r));
    expect(shareInside(orthonormal(gradients.map(part)), part(hack))).toBeGreaterThan(0.01);
    // Overlaps are those of whole vectors; a random gradient has little in 2 of many dimensions.
    const [{ cinNull, fired }] = ran.result.runs[0].rows;
    expect(cinNull).toBeLessThan(0.1);
    expect([0, 1]).toContain(fired);
  });

  it.each([
    ['trusted_subspace_adam', 'module'],
    ['trusted_subspace_all', 'all'],
  ] as const)(
    'in Adam’s metric (%s): the span of gradients divided by √v̂ + ε, another one than without',
    async (arm, spanOf) => {
      const overrides = { k: 6, refreshEvery: 2, spanMetric: 'adam' } as const;
      const ran = await runTiny(lab, spec(arm, overrides));
      const run = resolveRun(spec(arm, overrides), arm, 41);
      expect(run).toMatchObject({ spanOf, spanMetric: 'adam' });
      const at = (step: number) => ran.checkpoints.get(`test/${arm}/41`)!.find((kept) => kept.step === step)!;
      const moved = ({ optimizer: { total, hack } }: Checkpoint) => total.map((x, i) => x - hack[i]);
      const divided = (gradients: Float32Array[], divisor: (i: number) => number) =>
        gradients.map((gradient) => Float64Array.from(gradient, (x, i) => x / divisor(i)));
      const parts =
        spanOf === 'all' ? [{ offset: 0, r: at(2).optimizer.total.length }] : lab.engine.adapterLayout.modules;
      const isInside = (move: ArrayLike<number>, gradients: readonly ArrayLike<number>[]) => {
        for (const { offset, r } of parts) {
          const part = (x: ArrayLike<number>) => Float64Array.from(Array.from(x).slice(offset, offset + r));
          const share = shareInside(orthonormal(gradients.map(part)), part(move));
          if (Math.abs(share - 1) > 1e-4) return false;
        }
        return true;
      };

      // The base's gradients are scaled by their own mean square.
      const first = await gradientsOfTrusted(run);
      const square = (i: number) => first.reduce((sum, gradient) => sum + gradient[i] ** 2, 0) / first.length;
      expect(
        isInside(
          moved(at(2)),
          divided(first, (i) => Math.sqrt(square(i)) + run.adamEps),
        ),
      ).toBe(true);
      expect(isInside(moved(at(2)), first)).toBe(false);

      // The refresh after two steps scales them by the optimizer's second moment at that step.
      const { moments } = at(2).optimizer;
      expect(moments.t).toBe(2);
      const second = (i: number) => moments.v[i] / (1 - run.beta2 ** moments.t);
      const { own } = at(4).refreshed!;
      expect(own!.adapterParams).toEqual(moved(at(2)));
      const later = await gradientsOfTrusted(run, own!.adapterParams);
      const [before, after] = [moved(at(2)), moved(at(4))];
      const since = after.map((x, i) => x - before[i]);
      expect(
        isInside(
          since,
          divided(later, (i) => Math.sqrt(second(i)) + run.adamEps),
        ),
      ).toBe(true);
      expect(isInside(since, later)).toBe(false);
    },
  );

  it('of all modules together has at most k axes, and at most as many as solutions', async () => {
    const rank = async (k: number) => (await basisOf('trusted_subspace_all', { k })).axes;
    expect([await rank(1), await rank(2), await rank(6)]).toEqual([1, 2, 2]);
  });

  it('has a placebo with as many axes, redrawn for each seed and at each refresh', async () => {
    const deployed = async (arm: ArmName, overrides: Partial<Settings> = {}) => {
      const { total, hack } = last(await runTiny(lab, spec(arm, overrides)), arm).optimizer;
      return total.map((x, i) => x - hack[i]);
    };
    const random = await deployed('trusted_subspace_random');
    for (const arm of ['trusted_subspace', 'trusted_subspace_all', 'trusted_subspace_adam'] as const) {
      const of = async (basisSource: Settings['basisSource']) =>
        (await basisOf(arm, { k: 6 }, { basisSource })).modules.map(({ k, r }) => [k, r]);
      expect(await of('trusted_random'), arm).toEqual(await of('trusted'));
    }
    expect(random).not.toEqual(await deployed('trusted_subspace'));
    expect(random).not.toEqual(await deployed('trusted_subspace_random', { refreshEvery: 1 }));
  });

  const control = { id: 'pairs', kind: 'real' as const, gate: 'one_sided' as const, k: 2, mode: null };
  /** Returns a run with its stored steps, and their replay. */
  const kept = async (arm: ArmName, overrides: Partial<Settings>) => {
    const steps = memoryStepStore();
    const ran = await runTiny(lab, spec(arm, overrides), { steps });
    const [{ id, spec: run }] = ran.result.runs;
    const ports = { policy: lab.engine, device: lab.device, codec: lab.codec, preparation: preparation() };
    const request = { runId: id, spec: run, steps: (await steps.load(id))!, finalEvaluation: false };
    return { ran, again: (shadows: ControlSpec[]) => ended(replaySteps({ ...request, shadows }, ports)) };
  };

  it.each([
    ['trusted_subspace', 2],
    ['trusted_subspace_all', 2],
    ['trusted_subspace_adam', 0],
  ] as const)(
    '%s is routed again from its kept steps to the same bytes; nothing is matched to what it drops',
    async (arm, refreshEvery) => {
      const { ran, again } = await kept(arm, { refreshEvery });
      const { own, shadows } = await again([control]);
      expect(own.hack).toEqual(last(ran, arm).optimizer.hack);
      expect(shadows.pairs.hack).not.toEqual(own.hack);
      await expect(again([{ ...control, kind: 'random_matched' }])).rejects.toThrow(/keeps the span/);
    },
  );

  it('is not replayed where Adam’s metric was refreshed during the run: stored steps lack it', async () => {
    const { again } = await kept('trusted_subspace_adam', { refreshEvery: 2 });
    await expect(again([control])).rejects.toThrow(/kept steps have no second moment/);
  });

  it('has options without effect unless the basis comes from trusted problems', async () => {
    const without = await runTiny(lab, spec('erase'));
    const ran = await runTiny(lab, spec('erase', { spanOf: 'all', spanMetric: 'adam' }));
    expect(bytes(ran, 'erase')).toBe(bytes(without, 'erase'));
    for (const name of ['spanOf', 'spanMetric'] as const) {
      expect(disabledReasonIn(ran.result.runs[0].spec, name)).toBe('only with a basis of trusted problems');
      expect(disabledReasonIn(resolveRun(spec('trusted_subspace'), 'trusted_subspace', 41), name)).toBeNull();
    }
  });

  const preparation = () =>
    new Preparation({
      policy: lab.engine,
      codec: lab.codec,
      grader: lab.grader,
      artifacts: null,
      modelSha256: 'random',
    });

  const basisOf = async (arm: ArmName, overrides: Partial<Settings> = {}, changes: Partial<RunSpec> = {}) => {
    const run = resolveRun(spec(arm, overrides), arm, 41);
    return (await ended(preparation().bases({ ...run, ...changes }))).own;
  };

  /** Returns the gradients of the mean NLL, one per solution. */
  async function gradientsOfTrusted(
    run: RunSpec,
    adapterParams = lab.engine.initialAdapterParams,
  ): Promise<Float32Array[]> {
    const { trusted } = await ended(preparation().environment(run));
    lab.engine.setAdapterParams(adapterParams);
    const gradients: Float32Array[] = [];
    for (const document of trusted!.documents) {
      const texts = tokensOf(document, lab.codec, lab.engine.config.maxPositions);
      gradients.push((await nllBackward(lab.engine, texts, { normalise: 'token' })).gradients[0]);
    }
    return gradients;
  }
});

const dot = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Array.from(a).reduce((sum, x, i) => sum + x * b[i], 0);

/** Returns the share of a vector's length in the span of these axes. */
function shareInside(axes: readonly Float64Array[], x: ArrayLike<number>): number {
  const inside = axes.map((axis) => dot(axis, x));
  return Math.sqrt(dot(inside, inside) / dot(x, x));
}

/** Gram-Schmidt, each row orthogonalized twice. */
function orthonormal(rows: readonly Float64Array[]): Float64Array[] {
  const axes: Float64Array[] = [];
  for (const row of rows) {
    let left = row;
    for (const axis of [...axes, ...axes]) {
      const along = dot(left, axis);
      left = left.map((x, i) => x - along * axis[i]);
    }
    const length = Math.sqrt(dot(left, left));
    axes.push(left.map((x) => x / length));
  }
  return axes;
}

async function ended<T>(generator: AsyncGenerator<unknown, T>): Promise<T> {
  for (;;) {
    const next = await generator.next();
    if (next.done) return next.value;
  }
}

describe('trusted problems', () => {
  it('only: no other problem is rolled out; paced: their number per step is their share', async () => {
    const only = await runTiny(lab, spec('trusted-only'));
    expect(new Set(rollouts(only).map(({ kind }) => kind))).toEqual(new Set(['honest']));
    // There are 16 problems, half of them honest; 0.3 of 8 is 2.
    expect(new Set(rollouts(only).map(({ taskId }) => taskId)).size).toBe(2);
    const paced = await runTiny(lab, spec('trusted-paced'));
    expect(only.result.runs[0].rows.map(({ student }) => student.n)).toEqual([8, 8, 8, 8]);
    expect(paced.result.runs[0].rows.map(({ student }) => student.n)).toEqual([4, 4, 4, 4]);
  });

  it('beside the mixture: the first step has the rollouts of vanilla and a different update', async () => {
    const vanilla = await runTiny(lab, spec('none'));
    for (const arm of ['agem', 'pcgrad', 'agree', 'agree_module', 'tdga'] as const) {
      const ran = await runTiny(lab, spec(arm));
      const first = (one: Ran) => JSON.stringify(rollouts(one).filter(({ step }) => step === 1));
      expect(first(ran), arm).toBe(first(vanilla));
      expect(bytes(ran, arm), arm).not.toBe(bytes(vanilla, 'none'));
    }
  });

  it.each([
    ['trusted_subspace', 1],
    ['trusted_subspace_random', 1],
    ['trusted_subspace_all', 1],
    ['trusted_subspace_adam', 1],
  ] as const)('%s, basis refreshed every %i: stopped and resumed, the same bytes', async (arm, refreshEvery) => {
    const whole = await runTiny(lab, spec(arm, { refreshEvery }));
    const half = whole.checkpoints.get(`test/${arm}/41`)!.filter(({ step }) => step === 2);
    const store = memoryCheckpoints(new Map([[`test/${arm}/41`, structuredClone(half)]]));
    const resumed = await runTiny(lab, spec(arm, { refreshEvery }), { checkpoints: store });
    expect(JSON.stringify(resumed.result.runs[0].rows)).toBe(JSON.stringify(whole.result.runs[0].rows));
    expect(resumed.result.runs[0].evals).toEqual(whole.result.runs[0].evals);
    const state = ({ optimizer, refreshed }: Checkpoint) => ({ optimizer, refreshed });
    expect(state((await store.load(`test/${arm}/41`))!)).toEqual(state(last(whole, arm)));
  });

  it('refuses contradictory settings', () => {
    expect(() => spec('tdga', { adapter: 'lora' })).toThrow(/trusted = tdga/);
    expect(() => spec('agem', { objective: 'distill' })).toThrow(/two policy gradients/);
    expect(() => spec('none', { graders: 'repaired', mix: 0.25 })).toThrow(/repaired/);
    expect(() => spec('agem', { trainOn: 'honest' })).toThrow(/trainOn/);
    expect(() => spec('route-update', { basisSource: 'trusted' })).toThrow(/quarantines of hack pairs/);
    const adam = { basisSource: 'trusted', spanMetric: 'adam' } as const;
    expect(() => spec('erase', adam)).toThrow(/not an Adam step/);
    expect(() => spec('erase-update', adam)).not.toThrow();
    expect(() => spec('trusted_subspace', { environment: 'arithmetic', pairSet: 'prog_wide' })).toThrow(/has no/);
  });
});
