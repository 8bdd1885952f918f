// Tests basis, projection, overlap and optimizer settings on cases small enough to check by hand, on the CPU device.
import { beforeAll, describe, expect, it } from 'vitest';
import type { AdapterLayout } from '../engine/types.ts';
import { createCpuDevice } from '../kernels/cpu/device.ts';
import type { Device } from '../kernels/device.ts';
import { CounterRng } from '../rng/counter-rng.ts';
import { STREAMS } from '../rng/threefry.ts';
import { basisInUse, type HackBasis, layRows } from './basis.ts';
import { orthonormalRows, permuteLabels, randomBasis } from './controls.ts';
import { differences, extractBasis, modulesAsOne, orientation, type RawBasis, spanBasis } from './extraction.ts';
import {
  type Control,
  deployed,
  initialState,
  type OptimizerSettings,
  type OptimizerState,
  optimizerStep,
  steeredBase,
} from './optimizer.ts';
import { overlap, overlapNull } from './overlap.ts';
import { Projector, preserveMagnitude, SpanProjector } from './projection.ts';
import { norm } from './vectors.ts';

/** Two modules of ranks 3 and 2. */
const LAYOUT: AdapterLayout = {
  total: 5,
  modules: [
    { name: 'a', offset: 0, r: 3, dOut: 3, dIn: 3 },
    { name: 'b', offset: 3, r: 2, dOut: 2, dIn: 2 },
  ],
};
const f32 = (...values: number[]) => Float32Array.from(values);
const close = (values: ArrayLike<number>, digits = 6) => Array.from(values, (x) => expect.closeTo(x, digits));

let device: Device;
beforeAll(async () => {
  device = await createCpuDevice();
});

describe('projection onto a kept span', () => {
  // Gradients span the first two axes of module a, and nothing in module b.
  const gradients = [f32(2, 0, 0, 0, 0), f32(1, -3, 0, 0, 0), f32(0, 1, 0, 0, 0)];
  const span = (k: number) =>
    basisInUse(spanBasis(gradients, LAYOUT, { k, tauAxis: 0 }), LAYOUT, { k, dropBottomFrac: 0 });

  it('has at most the gradients’ rank, strongest axis first', () => {
    expect(span(8).modules.map(({ k }) => k)).toEqual([2, 0]);
    expect(span(1).modules.map(({ k }) => k)).toEqual([1, 0]);
    // D ᵀD = [[5, −3], [−3, 10]]: its largest eigenvalue has the direction (−3, (5 + √61) / 2).
    const [x, y] = [-3, (5 + Math.sqrt(61)) / 2].map((value) => value / Math.hypot(3, (5 + Math.sqrt(61)) / 2));
    expect([...span(1).V].map(Math.abs)).toEqual(close([-x, y, 0]));
  });

  it('keeps the component in the span with either sign, removes the rest, and both add up', async () => {
    const projector: Projector = new SpanProjector(device, LAYOUT, span(8));
    const { kept, removed } = await projector.project(f32(-5, 7, 3, 2, -1), 'one_sided', 2);
    expect([...kept]).toEqual(close([-5, 7, 0, 0, 0]));
    expect([...removed]).toEqual(close([0, 0, 3, 2, -1]));
    projector.free();
  });

  it('for all modules as one has a common coefficient', async () => {
    // (3, 0, 0, 4, 0) and (0, 1, 0, 0, 0), over both modules.
    const whole = [f32(3, 0, 0, 4, 0), f32(0, 1, 0, 0, 0)];
    const layout = modulesAsOne(LAYOUT);
    const raw = spanBasis(whole, layout, { k: 8, tauAxis: 0 });
    const basis = basisInUse(raw, layout, { k: 8, dropBottomFrac: 0 });
    expect(basis.modules).toEqual([{ k: 2, r: 5, offset: 0, vOffset: 0, cOffset: 0 }]);
    expect([...basis.V]).toEqual(close([0.6, 0, 0, 0.8, 0, 0, 1, 0, 0, 0]));
    const projector: Projector = new SpanProjector(device, LAYOUT, basis);
    const { kept, removed, coef } = await projector.project(f32(5, -2, 7, 10, 1), 'one_sided');
    expect([...coef]).toEqual(close([11, -2], 5));
    expect([...kept]).toEqual(close([6.6, -2, 0, 8.8, 0], 5));
    expect([...removed]).toEqual(close([-1.6, 0, 7, 1.2, 1], 5));
    projector.free();
    // The placebo has rows of the same length.
    expect(randomBasis(basis, layout, 1).modules).toEqual(basis.modules);
  });
});

describe('extraction', () => {
  const gradients = { hack: [f32(2, 0, 0, 1, 1), f32(3, 1, 0, 1, 1)], clean: [f32(0, 0, 0, 1, 1), f32(0, 1, 0, 1, 1)] };

  it('finds the common difference, pointing hack-ward, and zero rows if there is none', () => {
    expect(Array.from(differences(gradients, LAYOUT.modules[0]))).toEqual([2, 0, 0, 3, 0, 0]);
    const a = extractBasis(gradients, LAYOUT, { k: 2, tauAxis: 0 }).get('a');
    expect(Array.from(a!.V)).toEqual([1, 0, 0, 0, 0, 0]);
    expect(Array.from(a!.S)).toEqual(close([Math.sqrt(13), 0]));
    const b = extractBasis(gradients, LAYOUT, { k: 2, tauAxis: 0 }).get('b');
    expect(Array.from(b!.V)).toEqual([0, 0, 0, 0]);
  });

  it('swapping hack and clean reverses every axis', () => {
    const swapped = { hack: gradients.clean, clean: gradients.hack };
    expect(extractBasis(swapped, LAYOUT, { k: 1, tauAxis: 0 }).get('a')!.V[0]).toBe(-1);
  });

  it('orients by majority, in a tie by the sum, independent of the initial sign', () => {
    const axis = Float64Array.of(1);
    const flipped = Float64Array.of(-1);
    expect(orientation(Float64Array.of(1, 1, -9), axis, 3)).toBe(1); // two against one, though the sum is negative
    expect(orientation(Float64Array.of(1, 1, -9), flipped, 3)).toBe(-1);
    expect(orientation(Float64Array.of(1, -3), axis, 2)).toBe(-1);
    expect(orientation(Float64Array.of(1, -3), flipped, 2)).toBe(1);
  });

  it('zeroes axes below tau', () => {
    const uneven = { hack: [f32(10, 0, 0, 0, 0), f32(0, 1, 0, 0, 0)], clean: [f32(0, 0, 0, 0, 0), f32(0, 0, 0, 0, 0)] };
    const keep = extractBasis(uneven, LAYOUT, { k: 2, tauAxis: 0.05 }).get('a')!;
    const cut = extractBasis(uneven, LAYOUT, { k: 2, tauAxis: 0.2 }).get('a')!;
    expect(Array.from(keep.S)).toEqual([10, 1]);
    expect(Array.from(cut.S)).toEqual([10, 0]);
    expect(Array.from(cut.V.subarray(3))).toEqual([0, 0, 0]);
  });

  it('refuses a single pair', () => {
    const one = { hack: gradients.hack.slice(1), clean: gradients.clean.slice(1) };
    expect(() => extractBasis(one, LAYOUT, { k: 1, tauAxis: 0 })).toThrow(/1 hack/);
  });
});

describe('basis in use', () => {
  const raw: RawBasis = new Map([
    ['a', { k: 3, r: 3, V: f32(1, 0, 0, 0, 1, 0, 0, 0, 1), S: f32(8, 4, 2) }],
    ['b', { k: 2, r: 2, V: f32(1, 0, 0, 0), S: f32(6, 0) }],
  ]);

  it('slices to k, then drops below the pooled quantile, then zero rows', () => {
    // k = 2 leaves S = 8, 4, 6, 0; the 0.25 quantile is 3, so 8, 4 and 6 stay; the zero row is always dropped.
    expect(basisInUse(raw, LAYOUT, { k: 2, dropBottomFrac: 0.25 }).modules.map(({ k }) => k)).toEqual([2, 1]);
    // The 0.5 quantile is 5, so 4 is dropped.
    expect(basisInUse(raw, LAYOUT, { k: 2, dropBottomFrac: 0.5 }).modules.map(({ k }) => k)).toEqual([1, 1]);
    // The 0.75 quantile is 6.5, so module b has no row left.
    const top = basisInUse(raw, LAYOUT, { k: 2, dropBottomFrac: 0.75 });
    expect(top.modules.map(({ k }) => k)).toEqual([1, 0]);
    expect(Array.from(top.V)).toEqual([1, 0, 0]);
    expect(basisInUse(raw, LAYOUT, { k: 2, dropBottomFrac: 0 }).modules.map(({ k }) => k)).toEqual([2, 1]);
  });

  it('a module without a basis is not projected', () => {
    const only = new Map([['b', raw.get('b')!]]);
    expect(basisInUse(only, LAYOUT, { k: 5, dropBottomFrac: 0 }).modules.map(({ k }) => k)).toEqual([0, 1]);
  });

  it('random rows are orthonormal, of the same shape, and depend on the seed', () => {
    const like = basisInUse(raw, LAYOUT, { k: 2, dropBottomFrac: 0.25 });
    const random = randomBasis(like, LAYOUT, 41);
    expect(random.modules).toEqual(like.modules);
    expect(randomBasis(like, LAYOUT, 41).V).toEqual(random.V);
    expect(randomBasis(like, LAYOUT, 42).V).not.toEqual(random.V);
    const rows = orthonormalRows(CounterRng.of(1, STREAMS.test), 16, 32);
    for (const [i, a] of rows.entries())
      for (const [j, b] of rows.entries())
        expect(a.reduce((sum, x, c) => sum + x * b[c], 0)).toBeCloseTo(i === j ? 1 : 0, 6);
  });

  it('permuted labels keep every completion exactly once', () => {
    const vectors = Array.from({ length: 12 }, (_, i) => f32(i));
    const dealt = permuteLabels({ hack: vectors.slice(0, 6), clean: vectors.slice(6) }, 41);
    const all = [...dealt.hack, ...dealt.clean].map((v) => v[0]);
    expect(all).not.toEqual(vectors.map((v) => v[0]));
    expect(all.toSorted((x, y) => x - y)).toEqual(vectors.map((v) => v[0]));
    expect(dealt.hack).toHaveLength(6);
  });
});

/** A basis with axes e0 and e1 in module a, and none in module b. */
const TWO_AXES = layRows(LAYOUT, [[f32(1, 0, 0), f32(0, 1, 0)], []]);

describe('projection', () => {
  const g = f32(3, -4, 5, 1, 2);

  it.each([
    ['one_sided', [0, -4, 5, 1, 2], [3, 0, 0, 0, 0]],
    ['no_gate', [0, 0, 5, 1, 2], [3, -4, 0, 0, 0]],
    ['reverse', [-3, 4, 5, 1, 2], [6, -8, 0, 0, 0]],
  ] as const)('%s', async (gate, kept, removed) => {
    const projector = new Projector(device, LAYOUT, TWO_AXES);
    const out = await projector.project(g, gate);
    expect(Array.from(out.kept)).toEqual(kept);
    expect(Array.from(out.removed)).toEqual(removed);
    expect(Array.from(out.coef)).toEqual([3, -4]);
    projector.free();
  });

  it('overshoots, and preserves the magnitude per module', async () => {
    const projector = new Projector(device, LAYOUT, TWO_AXES);
    const { kept } = await projector.project(g, 'one_sided', 1.5);
    expect(Array.from(kept)).toEqual([-1.5, -4, 5, 1, 2]);
    const scaled = preserveMagnitude(f32(3, 0, 4, 7, 0), f32(0, 0, 4, 7, 0), TWO_AXES);
    expect(Array.from(scaled)).toEqual([0, 0, 5, 7, 0]);
  });

  it('a basis without rows removes nothing', async () => {
    const projector = new Projector(device, LAYOUT, layRows(LAYOUT, [[], []]));
    const out = await projector.project(g, 'no_gate');
    expect(out.kept).toEqual(g);
    expect(out.coef).toHaveLength(0);
  });

  it('overlap is taken after relu, over modules with a basis and a gradient', () => {
    expect(overlap(g, f32(3, -4), TWO_AXES)).toEqual({ mean: expect.closeTo(3 / Math.sqrt(50), 12), fired: 1 });
    expect(overlap(g, f32(-3, -4), TWO_AXES)).toEqual({ mean: 0, fired: 0 });
    expect(overlap(f32(0, 0, 0, 1, 2), f32(0, 0), TWO_AXES)).toEqual({ mean: null, fired: null });
  });

  it('the null of the overlap agrees with random gradients', () => {
    // k = 1 in r = 3: ½ χ_1/χ_3 = ¼. k = 2 in r = 2: ¼(2χ_1 + χ_2)/χ_2 = ¼ + 1/π.
    const basis = layRows(LAYOUT, [[f32(1, 0, 0)], [f32(1, 0), f32(0, 1)]]);
    expect(overlapNull(basis)).toBeCloseTo((0.25 + 0.25 + 1 / Math.PI) / 2, 12);
    expect(overlapNull(layRows(LAYOUT, [[], []]))).toBeNull();
    const rng = CounterRng.of(2, STREAMS.test);
    let total = 0;
    const draws = 20_000;
    for (let i = 0; i < draws; i++) {
      const random = Float32Array.from({ length: 5 }, () => rng.normal());
      total += overlap(random, f32(random[0], random[3], random[4]), basis).mean! / draws;
    }
    expect(Math.abs(total - overlapNull(basis)!)).toBeLessThan(0.01);
  });
});

describe('optimizer', () => {
  const settings: OptimizerSettings = {
    projection: 'none',
    projectTarget: 'gradient',
    gate: 'one_sided',
    overshoot: 1,
    preserveMagnitude: false,
    normClip: 10,
    weightDecay: 0.1,
    beta1: 0.5,
    beta2: 0.9,
    adamEps: 1e-8,
  };
  const gradients = Array.from({ length: 6 }, (_, i) => {
    const rng = CounterRng.of(9, STREAMS.test, i);
    return Float32Array.from({ length: 5 }, () => 3 * rng.normal());
  });

  async function run(
    changes: Partial<OptimizerSettings>,
    controls: readonly Control[] = [],
    basis: HackBasis = TWO_AXES,
  ) {
    const full = { ...settings, ...changes };
    const projector = new Projector(device, LAYOUT, basis);
    const state = initialState(
      5,
      full,
      controls.map(({ id }) => id),
    );
    const reports = [];
    for (const [i, g] of gradients.entries())
      reports.push(await optimizerStep(state, g, 0.1 / (i + 1), full, projector, controls));
    projector.free();
    return { state, reports };
  }
  const adapterParams = ({ total }: OptimizerState) => Array.from(total);

  it('route/update trains exactly the vanilla adapter parameters with any basis', async () => {
    const vanilla = await run({});
    const basis = layRows(LAYOUT, [[f32(0.6, 0.8, 0)], [f32(0, 1)]]);
    for (const V of [TWO_AXES, basis]) {
      const routed = await run({ projection: 'route', projectTarget: 'update' }, [], V);
      expect(routed.state.total).toEqual(vanilla.state.total);
      expect(routed.state.moments).toEqual(vanilla.state.moments);
      expect(routed.state.hack).not.toEqual(vanilla.state.hack);
    }
    expect(vanilla.state.hack).toEqual(new Float32Array(5));
  });

  it('under update no deployed step is hack-ward; under gradient, moments make some steps hack-ward', async () => {
    const hackward = (reports: { deployedStep: Float32Array }[]) =>
      Math.max(...reports.flatMap(({ deployedStep }) => [deployedStep[0], deployedStep[1]]));
    for (const projection of ['erase', 'route'] as const)
      expect(hackward((await run({ projection, projectTarget: 'update' })).reports)).toBeLessThanOrEqual(1e-9);
    // The preconditioner acts per coordinate, so with an oblique basis the kept gradient's step has a component along it.
    const skew = layRows(LAYOUT, [[f32(0.6, 0.8, 0)], []]);
    const { reports } = await run({ projection: 'erase' }, [], skew);
    expect(Math.max(...reports.map(({ deployedStep: d }) => 0.6 * d[0] + 0.8 * d[1]))).toBeGreaterThan(1e-3);
  });

  it('erase with preserveMagnitude gives AdamW the kept gradient with the norm of the whole, module by module', async () => {
    const lengths = (x: Float32Array) => LAYOUT.modules.map(({ offset, r }) => norm(x, offset, offset + r));
    const plain = await run({ projection: 'erase' });
    const preserved = await run({ projection: 'erase', preserveMagnitude: true });
    let shortened = 0;
    for (const [i, { fed }] of preserved.reports.entries()) {
      expect(lengths(fed)).toEqual(close(lengths(gradients[i])));
      if (norm(plain.reports[i].fed) < 0.99 * norm(gradients[i])) shortened++;
    }
    expect(shortened).toBeGreaterThan(0);
  });

  it('a no_gate quarantine holds exactly the net component VᵀV δS_total', async () => {
    const projector = new Projector(device, LAYOUT, TWO_AXES);
    const { state } = await run({ projection: 'route', projectTarget: 'update' }, [
      { id: 'net', projector, gate: 'no_gate' },
      { id: 'same', projector, gate: 'one_sided' },
    ]);
    const net = await steeredBase(state.total, projector, new Float32Array(state.total.length));
    expect(Array.from(state.shadows.net)).toEqual(close(net));
    expect(Array.from(deployed(state, state.shadows.net).subarray(0, 2))).toEqual(close([0, 0]));
    expect(state.shadows.same).toEqual(state.hack);
  });

  it('erase/update equals what route/update deploys on its first step', async () => {
    const one = { projectTarget: 'update', weightDecay: 0 } as const;
    const states = await Promise.all(
      (['erase', 'route'] as const).map(async (projection) => {
        const full = { ...settings, ...one, projection };
        const state = initialState(5, full, []);
        await optimizerStep(state, gradients[0], 0.1, full, new Projector(device, LAYOUT, TWO_AXES), []);
        return state;
      }),
    );
    expect(adapterParams(states[0])).toEqual(close(deployed(states[1])));
  });

  it('route/gradient: separate moments, one clip over both parts, no decay of the quarantine', async () => {
    const full = { ...settings, projection: 'route', normClip: 2.5 } as const;
    const state = initialState(5, full, []);
    state.total = f32(1, 1, 1, 1, 1);
    state.hack = f32(0.5, 0, 0, 0, 0);
    // g = (3, 0, 0, 0, 4) gives removed (3,…) and kept (…,4) with joint norm 5, so the clip halves both.
    const { gradNorm, fed, deployedStep } = await optimizerStep(
      state,
      f32(3, 0, 0, 0, 4),
      0.1,
      full,
      new Projector(device, LAYOUT, TWO_AXES),
      [],
    );
    expect(gradNorm).toBe(5);
    expect(Array.from(fed)).toEqual([0, 0, 0, 0, 4]);
    expect(Array.from(deployedStep)).toEqual(close([0, 0, 0, 0, 0.1]));
    expect(state.moments.m[4]).toBeCloseTo(1, 6); // (1 − β1) · 4 · ½
    expect(state.hackMoments!.m[0]).toBeCloseTo(0.75, 6);
    expect(Array.from(state.hack)).toEqual(close([0.4, 0, 0, 0, 0]));
    // δS was (0.5, 1, 1, 1, 1); it decays by 1 − 0.01, then takes the step.
    expect(Array.from(deployed(state))).toEqual(close([0.495, 0.99, 0.99, 0.99, 0.89]));
  });

  it('gate and overshoot apply to gradients and steps, and a control may have its own', async () => {
    // One update without decay, with basis e0, e1 of module a and g = (3, −4, 5, 1, 2); Adam’s first step is lr · sign(g).
    const g = f32(3, -4, 5, 1, 2);
    const once = async (changes: Partial<OptimizerSettings>, controls: Omit<Control, 'projector'>[] = []) => {
      const full = { ...settings, weightDecay: 0, ...changes };
      const projector = new Projector(device, LAYOUT, TWO_AXES);
      const ids = controls.map(({ id }) => id);
      const state = initialState(5, full, ids);
      const carried = controls.map((control) => ({ ...control, projector }));
      const report = await optimizerStep(state, g, 0.1, full, projector, carried);
      projector.free();
      return { state, report };
    };
    const fed = async (changes: Partial<OptimizerSettings>) =>
      Array.from((await once({ projection: 'erase', ...changes })).report.fed);
    expect(await fed({})).toEqual([0, -4, 5, 1, 2]);
    expect(await fed({ overshoot: 2 })).toEqual([-3, -4, 5, 1, 2]);
    expect(await fed({ gate: 'no_gate' })).toEqual([0, 0, 5, 1, 2]);
    expect(await fed({ gate: 'reverse', overshoot: 0.5 })).toEqual([0, 0, 5, 1, 2]);
    expect(await fed({ gate: 'reverse' })).toEqual([-3, 4, 5, 1, 2]);
    const erased = await once({ projection: 'erase', projectTarget: 'update', overshoot: 2 });
    expect(Array.from(erased.state.total)).toEqual(close([0.1, 0.1, -0.1, -0.1, -0.1]));
    const { state, report } = await once({ projection: 'route', projectTarget: 'update', overshoot: 2 }, [
      { id: 'own', gate: 'no_gate', overshoot: 0.5 },
      { id: 'run', gate: 'reverse' },
    ]);
    expect(Array.from(state.hack)).toEqual(close([-0.2, 0, 0, 0, 0]));
    expect(Array.from(state.shadows.own)).toEqual(close([-0.05, 0.05, 0, 0, 0]));
    expect(Array.from(state.shadows.run)).toEqual(close([-0.4, 0.4, 0, 0, 0]));
    expect(Array.from(report.step)).toEqual(close([0.1, -0.1, 0.1, 0.1, 0.1]));
    expect(Array.from(report.deployedStep)).toEqual(close([-0.1, -0.1, 0.1, 0.1, 0.1]));
  });

  it('decays every quarantine under update', async () => {
    const full = { ...settings, projection: 'route', projectTarget: 'update' } as const;
    const state = initialState(5, full, ['s']);
    state.hack = f32(0, 0, 1, 0, 0);
    state.shadows.s = f32(0, 0, 2, 0, 0);
    const projector = new Projector(device, LAYOUT, TWO_AXES);
    await optimizerStep(state, f32(0, 0, 1, 0, 0), 0.5, full, projector, [{ id: 's', projector, gate: 'reverse' }]);
    expect(state.hack[2]).toBeCloseTo(0.95, 6);
    expect(state.shadows.s[2]).toBeCloseTo(1.9, 6);
  });
});
