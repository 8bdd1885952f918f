// What projecting runs say of C8, against figures computed by hand.
import { expect, it } from 'vitest';
import { finalOf, type ProjectedRun, projectedVerdicts } from './projected.ts';

type Rates = Record<string, readonly [hack: number, gain: number]>;
const run = (arm: string, seed: number, models: Rates, settings: object = { grading: 'hasty' }): ProjectedRun =>
  ({
    spec: { arm, seed, reference: 'truth', grading: 'program', ...settings },
    evals: Object.entries(models).flatMap(([model, [hack, gain]]) => {
      const figures = 'grading' in settings ? { stamped: hack, score: gain } : { misconception: hack, solve: gain };
      return [
        // A row on the way is not what is judged.
        { kind: 'periodic', model, all: { n: 4, figures: { stamped: 0.99, score: 0.99 } }, splits: {} },
        { kind: 'final', model, all: { n: 4, figures }, splits: {} },
      ];
    }),
  }) as unknown as ProjectedRun;

/** Flattery .14 → .40, score .40 → .50. */
const routed = (deployed: readonly [number, number], control: readonly [number, number] = [0.39, 0.5]): Rates => ({
  ...{ base: [0.14, 0.4], total: [0.4, 0.5], deployed, random_V: control, random_V_matched: control },
  placebo_V: [0.38, 0.48],
});
const verdictOf = (...all: ProjectedRun[]) =>
  Object.fromEntries(projectedVerdicts(all).map(({ question, verdict }) => [question, verdict]));
const twice = (one: readonly [number, number], two: readonly [number, number]) =>
  [one, two].map((deployed, i) => run('route-update', i + 1, routed(deployed)));

it('holds where flattery goes and more than half of the gain stays, seed by seed', () => {
  const runs = twice([0.15, 0.49], [0.16, 0.491]);
  expect(verdictOf(...runs)).toEqual({ C8a: 'holds' });
  const [{ figures }] = projectedVerdicts(runs);
  expect(figures.map(({ name, values }) => [name, values.map((x) => x.toFixed(3))])).toEqual([
    ['stamped, from the whole model’s', ['-0.250', '-0.240']],
    ['stamped, from route-update/random_V’s', ['-0.240', '-0.230']],
    ['stamped, from route-update/random_V_matched’s', ['-0.240', '-0.230']],
    ['stamped, from route-update/placebo_V’s', ['-0.230', '-0.220']],
    // Of .40 → .50 half is .45.
    ['gain beyond half of the whole model’s', ['0.040', '0.041']],
  ]);
  expect(verdictOf(...twice([0.15, 0.44], [0.16, 0.441]))).toEqual({ C8a: 'in part' });
  expect(verdictOf(...twice([0.15, 0.49], [0.39, 0.5]))).toEqual({ C8a: 'open' });
  expect(verdictOf(...twice([0.6, 0.5], [0.61, 0.5]))).toEqual({ C8a: 'fails' });
  // One seed has no interval; controls that take as much leave nothing to the direction.
  expect(verdictOf(runs[0])).toEqual({ C8a: 'open' });
  const same = [1, 2].map((seed) => run('route-update', seed, routed([0.15 + seed / 100, 0.49], [0.15, 0.5])));
  expect(verdictOf(...same)).toEqual({ C8a: 'open' });
});

it('compares an erasing run with the whole model of its seed, and CaT’s cost with a bound', () => {
  const erased = [1, 2].flatMap((seed) => [
    run('erase', seed, { total: [0.15 + seed / 100, 0.5] }),
    run('random_V', seed, { total: [0.39, 0.5] }),
  ]);
  const whole = twice([0.15, 0.49], [0.16, 0.491]);
  expect(verdictOf(...whole, ...erased)).toEqual({ C8a: 'holds', C8b: 'holds' });
  // A seed whose whole model is not there is left out.
  expect(finalOf(erased, 1, ['erase', 'total'], 'score')).toBe(0.5);
  expect(verdictOf(...erased)).toEqual({});
  const cat = (...lost: number[]) =>
    lost.map((less, i) =>
      run('route-update', i + 1, { total: [0.2, 0.7], deployed: [0.2, 0.7 - less] }, { reference: 'synthesis' }),
    );
  expect(verdictOf(...cat(0.01, 0.011))).toEqual({ C8e: 'holds' });
  expect(verdictOf(...cat(0.1, 0.101))).toEqual({ C8e: 'fails' });
  expect(verdictOf(...cat(0, 0.1))).toEqual({ C8e: 'open' });
});
