// Tests the interval over seeds and draws: a table worked out by hand, limiting cases, and its coverage when draws affect all seeds equally.
import { expect, it } from 'vitest';
import { CounterRng, STREAMS } from '../rng/index.ts';
import { crossedMean } from './crossed.ts';
import { pairedT } from './paired-t.ts';
import { tQuantile } from './student-t.ts';

it('agrees with the analysis of variance of a small table', () => {
  // Row means are 2, 5; column means 2, 3.5, 5; the mean is 3.5. Sums of squares: rows 3·(1.5² + 1.5²) = 13.5 (df 1), columns
  // 2·(1.5² + 1.5²) = 9 (df 2), residuals ∓.5, 0, ±.5, so 1 (df 2). Mean squares 13.5, 4.5 and .5; variance (13.5 + 4.5 − .5) / 6.
  const found = crossedMean([
    [1, 2, 3],
    [3, 5, 7],
  ])!;
  expect(found.mean).toBe(3.5);
  expect(found.sem).toBeCloseTo(Math.sqrt(17.5 / 6), 12);
  const df = 17.5 ** 2 / (13.5 ** 2 + 4.5 ** 2 / 2 + 0.5 ** 2 / 2);
  expect(found.df).toBeCloseTo(df, 12);
  expect(found.interval.high - 3.5).toBeCloseTo(tQuantile(0.975, df) * Math.sqrt(17.5 / 6), 9);
});

it('equals Student’s interval over seeds with one draw, or if the draws agree', () => {
  const seeds = [0.2, 0.5, 0.3, 0.4];
  expect(crossedMean(seeds.map((value) => [value]))!.interval).toEqual(pairedT(seeds)!.interval);
  const alike = crossedMean(seeds.map((value) => [value, value, value]))!;
  expect(alike.df).toBe(3);
  expect(alike.interval.low).toBeCloseTo(pairedT(seeds)!.interval.low, 12);
});

it('reflects the spread of the draws if the seeds agree', () => {
  const draws = [0.1, 0.4, 0.2];
  const found = crossedMean([draws, draws])!;
  expect(found.df).toBe(2);
  expect(found.interval.high).toBeCloseTo(pairedT(draws)!.interval.high, 12);
});

it('needs two seeds and rows of equal length', () => {
  expect(crossedMean([[1, 2]])).toBeNull();
  expect(() => crossedMean([[1, 2], [1]])).toThrow('rows of one length');
});

it('covers the mean, unlike an interval with one draw per seed', () => {
  const rng = CounterRng.of(7, STREAMS.test, 1);
  const uniform = () => (rng.int(2 ** 30) + 0.5) / 2 ** 30;
  const normal = () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
  const many = 1000;
  const hits = { crossed: 0, oneDraw: 0 };
  for (let i = 0; i < many; i++) {
    const draws = Array.from({ length: 8 }, normal);
    const table = Array.from({ length: 5 }, () => {
      const seed = normal();
      return draws.map((draw) => seed + draw + normal());
    });
    const holds = ({ low, high }: { low: number; high: number }) => Number(low <= 0 && high >= 0);
    hits.crossed += holds(crossedMean(table)!.interval);
    hits.oneDraw += holds(pairedT(table.map(([first]) => first))!.interval);
  }
  expect(hits.crossed / many).toBeGreaterThan(0.93);
  expect(hits.oneDraw / many).toBeLessThan(0.85);
});
