// Tests counted work and the time left: work found in the store does not count as speed, and an unknown phase changes nothing.
import { expect, it } from 'vitest';
import { Pace, probeWork, replayPhases, trainingWork } from './work.ts';

it('counts gradients of single completions', () => {
  expect(probeWork(8, 20, 24)).toEqual({ bases: 144, replay: 160, all: 464 });
  expect(replayPhases(8, 20, 24).reduce((sum, [, work]) => sum + work, 0)).toBe(464);
  expect(trainingWork(20, { promptsPerStep: 4, groupSize: 8, innerEpochs: 2 })).toBe(2 * 20 * 32 * 3);
});

it('gives the fraction done, and the time left at the speed of work done now', () => {
  const pace = new Pace([
    ['a', 100],
    ['b', 300],
  ]);
  expect(pace.at('a', 0, 10, 0)).toEqual({ fraction: 0, etaSeconds: null });
  expect(pace.at('a', 5, 10, 10_000)).toEqual({ fraction: 0.125, etaSeconds: 70 });
  expect(pace.at('a', 10, 10, 20_000).etaSeconds).toBeCloseTo(60, 9);
  // The first half of a phase was stored, so 150 of 300 cost nothing.
  expect(pace.at('b', 1, 2, 20_000)).toEqual({ fraction: 0.625, etaSeconds: 30 });
  expect(pace.at('statistics', 0, 1, 20_000).fraction).toBe(0.625);
  expect(pace.at('b', 2, 2, 50_000)).toEqual({ fraction: 1, etaSeconds: 0 });
});
