// Tests repeated final evaluations: the first equals that of a run with a single one, the others differ, every model uses the same seeds,
// and tables show the mean.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fromEvalRow, toEvalRow } from '../records/layout-1.ts';
import { finalDraws, finalRow, metricValue } from '../records/metrics.ts';
import { evalRow } from '../records/rows-schema.ts';
import { openCoinLab, runTiny, type TinyLab, tinySpec } from '../testing/tiny.node.ts';
import { evaluationSeed } from './evaluate.ts';

let lab: TinyLab;
beforeAll(async () => {
  lab = await openCoinLab();
});
afterAll(() => lab?.close());

it('a run evaluated with three seeds has the evaluation of a run with one, and two more', async () => {
  const overrides = { mix: 0, evalEvery: 2, finalEvalProblems: 16 };
  const of = async (evaluationSeeds: number) => {
    const { result } = await runTiny(lab, tinySpec({ arms: ['none'], overrides: { ...overrides, evaluationSeeds } }));
    return result;
  };
  const [once, thrice] = [await of(1), await of(3)];
  const [one, three] = [once.runs[0], thrice.runs[0]];
  expect(three.rows).toEqual(one.rows);
  expect(three.evals.map(({ draws: _, ...row }) => row)).toEqual(one.evals);
  for (const row of three.evals) {
    expect(row.draws?.length).toBe(row.kind === 'final' ? 2 : undefined);
    expect(evalRow.parse(fromEvalRow(JSON.parse(JSON.stringify(toEvalRow(row)))))).toEqual(row);
  }
  // Draws are sampled in one batch, which does not change the numbers.
  const twice = await of(2);
  expect(twice.runs[0].evals.map(({ draws }) => draws)).toEqual(three.evals.map(({ draws }) => draws?.slice(0, 1)));
  const solved = finalDraws(three, 'total', ({ all }) => metricValue(all, 'solve')) as number[];
  expect(new Set(solved).size).toBeGreaterThan(1);
  const mean = solved.reduce((sum, value) => sum + value, 0) / 3;
  expect(finalRow(three, 'total')!.all.figures.solve).toBeCloseTo(mean, 12);
  expect(thrice.table.find(({ model }) => model === 'total')!.trained.solve!.mean).toBeCloseTo(mean, 12);
  expect(finalRow(one, 'total')).toBe(one.evals.at(-1));
});

it('draw 0 has the data seed; the others are safe integers, all different', () => {
  const seeds = Array.from({ length: 64 }, (_, draw) => evaluationSeed(7, draw));
  expect(seeds[0]).toBe(7);
  expect(new Set(seeds).size).toBe(64);
  expect(seeds.every(Number.isSafeInteger)).toBe(true);
  expect(evaluationSeed(17, 1)).not.toBe(seeds[1]);
});
