// Tests comparisons of bases against angles worked out by hand, and the null distribution against its closed form.
import { describe, expect, it } from 'vitest';
import { CounterRng, STREAMS } from '../rng/index.ts';
import { compareBases, principalCosines, randomLikeness } from './basis-compare.ts';
import { orthonormalRows } from './controls.ts';
import type { ModuleDirections } from './extraction.ts';

const rows = (...values: number[][]): Float32Array[] => values.map((row) => Float32Array.from(row));
const degrees = (cosines: readonly number[]) => cosines.map((cosine) => (Math.acos(cosine) * 180) / Math.PI);
const basisOf = (...values: number[][]): ModuleDirections => ({
  k: values.length,
  r: values[0].length,
  V: Float32Array.from(values.flat()),
  S: Float32Array.from(values.map((_, i) => values.length - i)),
});

describe('principal angles', () => {
  const cos = (angle: number) => Math.cos((angle * Math.PI) / 180);
  const sin = (angle: number) => Math.sin((angle * Math.PI) / 180);

  it('are the angles between two planes', () => {
    // span(e1, e2) against span(cos 30·e1 + sin 30·e3, cos 70·e2 + sin 70·e4): 30° and 70° by construction.
    const a = rows([1, 0, 0, 0], [0, 1, 0, 0]);
    const b = rows([cos(30), 0, sin(30), 0], [0, cos(70), 0, sin(70)]);
    const [first, second] = degrees(principalCosines(a, b));
    expect(first).toBeCloseTo(30, 4);
    expect(second).toBeCloseTo(70, 4);
    // The angles depend only on the spans, so other rows of the same spans and the reverse order change nothing.
    const turned = rows([Math.SQRT1_2, Math.SQRT1_2, 0, 0], [Math.SQRT1_2, -Math.SQRT1_2, 0, 0]);
    for (const [i, angle] of degrees(principalCosines(b, turned)).entries()) expect(angle).toBeCloseTo([30, 70][i], 4);
  });

  it('of a line and a plane are a single angle, between the line and its projection', () => {
    // (1, 1, 1)/√3 meets the plane e1, e2 at acos √(2/3).
    const line = rows([1 / Math.sqrt(3), 1 / Math.sqrt(3), 1 / Math.sqrt(3)]);
    const plane = rows([1, 0, 0], [0, 1, 0]);
    const cosines = principalCosines(plane, line);
    expect(cosines).toHaveLength(1);
    expect(cosines[0] ** 2).toBeCloseTo(2 / 3, 6);
  });
});

describe('two bases', () => {
  it('are compared per module, without zeroed axes, and averaged', () => {
    const a = new Map([
      ['one', basisOf([1, 0, 0, 0], [0, 1, 0, 0])],
      ['two', basisOf([0, 0, 1, 0], [0, 0, 0, 0])],
      ['three', basisOf([1, 0, 0, 0])],
    ]);
    const b = new Map([
      ['one', basisOf([0, 1, 0, 0], [1, 0, 0, 0])],
      ['two', basisOf([0, 0, 0.6, 0.8], [1, 0, 0, 0])],
      ['four', basisOf([1, 0, 0, 0])],
    ]);
    const found = compareBases(a, b, ['one', 'two', 'three', 'four'], 2);
    expect(found.modules.map(({ name, kA, kB }) => [name, kA, kB])).toEqual([
      ['one', 2, 2],
      ['two', 1, 2],
    ]);
    // The same plane with other axes: orthogonal first axes, but all angles 0.
    expect(found.modules[0]).toMatchObject({ first: 0, overlap: 1, meanAngle: 0, minAngle: 0, angles: [0, 0] });
    expect(found.modules[1].first).toBeCloseTo(0.6, 6);
    expect(found.modules[1].overlap).toBeCloseTo(0.36, 6);
    expect(found.modules[1].meanAngle).toBeCloseTo(53.1301, 3);
    expect([found.onlyA, found.onlyB]).toEqual([['three'], ['four']]);
    expect(found.mean?.first).toBeCloseTo(0.3, 6);
    expect(found.mean?.overlap).toBeCloseTo(0.68, 6);
    expect(found.null?.overlap).toBeCloseTo(0.5, 12);
    // With k = 1, only the first axes count.
    expect(compareBases(a, b, ['one'], 1).modules[0]).toMatchObject({ kA: 1, kB: 1, overlap: 0, meanAngle: 90 });
    // A zeroed first axis has no direction.
    const none = new Map([['one', basisOf([0, 0, 0, 0], [0, 1, 0, 0])]]);
    expect(compareBases(a, none, ['one'], 2).modules[0].first).toBeNull();
    const narrow = new Map([['one', basisOf([1, 0])]]);
    expect(() => compareBases(a, narrow, ['one'], 2)).toThrow(/one: axes of 4 and of 2 elements/);
    expect(compareBases(a, new Map(), ['one'], 2)).toMatchObject({
      modules: [],
      onlyA: ['one'],
      mean: null,
      null: null,
    });
  });

  it('have a null that agrees with random subspaces', () => {
    // In the plane |cos| of two random lines is 2/π on average, and their angle 45°.
    const plane = randomLikeness(1, 1, 2);
    expect(plane.first).toBeCloseTo(2 / Math.PI, 12);
    expect(Math.abs(plane.meanAngle - 45)).toBeLessThan(6); // 200 draws of sd 26°: more than three standard errors
    expect(plane.minAngle).toBe(plane.meanAngle);
    const whole = randomLikeness(3, 5, 5);
    expect(whole.overlap).toBe(1);
    expect(whole.meanAngle).toBeLessThan(0.1); // rounding of single-precision rows
    const wide = randomLikeness(2, 6, 40);
    expect(wide).toEqual(randomLikeness(2, 6, 40));
    expect(wide.minAngle).toBeLessThan(wide.meanAngle);
    // Compares the closed form of the overlap with draws of two random subspaces.
    let total = 0;
    for (let draw = 0; draw < 300; draw++) {
      const a = orthonormalRows(CounterRng.of(1, STREAMS.test, draw, 0), 2, 40);
      const b = orthonormalRows(CounterRng.of(1, STREAMS.test, draw, 1), 6, 40);
      total += principalCosines(a, b).reduce((sum, cosine) => sum + cosine ** 2 / 2, 0);
    }
    expect(Math.abs(total / 300 - wide.overlap)).toBeLessThan(0.012);
  });
});
