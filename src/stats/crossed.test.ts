// The interval over seeds and draws: a table worked by hand, its limits, and its coverage where a draw moves all seeds alike.
import { expect, it } from 'vitest';
import { CounterRng, STREAMS } from '../rng/index.ts';
import { crossedMean } from './crossed.ts';
import { pairedT } from './paired-t.ts';
import { tQuantile } from './student-t.ts';

it('is the analysis of variance of a small table', () => {
  // Means of rows 2, 5; of columns 2, 3.5, 5; of all 3.5. Squares: rows 3·(1.5² + 1.5²) = 13.5 (df 1), columns 2·(1.5² + 1.5²) = 9 (df 2),
  // rest: residuals ∓.5, 0, ±.5, so 1 (df 2). Mean squares 13.5, 4.5 and .5; variance (13.5 + 4.5 − .5) / 6.
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

it('is Student’s over seeds with one draw, and where the draws agree', () => {
  const seeds = [0.2, 0.5, 0.3, 0.4];
  expect(crossedMean(seeds.map((value) => [value]))!.interval).toEqual(pairedT(seeds)!.interval);
  const alike = crossedMean(seeds.map((value) => [value, value, value]))!;
  expect(alike.df).toBe(3);
  expect(alike.interval.low).toBeCloseTo(pairedT(seeds)!.interval.low, 12);
});

it('is as wide as the draws are apart where the seeds agree', () => {
  const draws = [0.1, 0.4, 0.2];
  const found = crossedMean([draws, draws])!;
  expect(found.df).toBe(2);
  expect(found.interval.high).toBeCloseTo(pairedT(draws)!.interval.high, 12);
});

it('needs two seeds and whole rows', () => {
  expect(crossedMean([[1, 2]])).toBeNull();
  expect(() => crossedMean([[1, 2], [1]])).toThrow('rows of one length');
});

it('covers the mean where one draw a seed does not', () => {
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
