// Tests that a training's ratio histogram is reported exactly where ratios can leave 1, and covers every scored token.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { RATIO_EDGES } from '../../../algorithms/grpo-loss.ts';
import { sum } from '../../../stats/index.ts';
import { runIdOf } from '../../config/run-spec.ts';
import { openTinyLab, runTiny, type TinyLab, tinySpec } from '../../testing/tiny.node.ts';

let lab: TinyLab;
beforeAll(async () => {
  lab = await openTinyLab();
});
afterAll(() => lab.close());

async function probedWith(innerEpochs: number) {
  const histograms = new Map<string, readonly number[]>();
  // Teacher rows pass and a random model's do not, so every hackable group has variance.
  const overrides = { innerEpochs, honestShare: 0, steps: 2, evalEvery: 0, mix: 0.5, maxNew: 48 };
  const { result } = await runTiny(lab, tinySpec({ arms: ['none'], overrides }), {
    onRatios: (runId, step, histogram) => void histograms.set(`${runId} ${step}`, histogram),
  });
  return { histograms, rows: result.runs[0].rows };
}

it('reports the ratios of each step with several inner epochs, and none with one', async () => {
  const { histograms, rows } = await probedWith(2);
  const id = runIdOf('test', { arm: 'none', seed: 41 });
  expect([...histograms.keys()]).toEqual([`${id} 1`, `${id} 2`]);
  for (const [i, row] of rows.entries()) {
    const histogram = histograms.get(`${id} ${i + 1}`) ?? [];
    expect(histogram).toHaveLength(RATIO_EDGES.length + 1);
    const tokens = sum(histogram);
    expect(tokens).toBeGreaterThan(0);
    // The bins' edges bound the mean ratio.
    const bounds = (edges: readonly number[]) => sum(histogram.map((count, bin) => count * edges[bin])) / tokens;
    expect(row.ratioMean).toBeGreaterThanOrEqual(bounds([0, ...RATIO_EDGES]) - 1e-6);
    expect(row.ratioMean).toBeLessThanOrEqual(bounds([...RATIO_EDGES, 1e6]));
  }
  const plain = await probedWith(1);
  expect(plain.histograms.size).toBe(0);
});
