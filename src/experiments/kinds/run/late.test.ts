// The corners of a finished run: where they lie, and that a small run evaluates them.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { memoryStepStore } from '../../records/steps.ts';
import { openCoinLab, runTiny, type TinyLab, tinySpec } from '../../testing/tiny.node.ts';
import { along, between } from './late.ts';

let lab: TinyLab;
beforeAll(async () => {
  lab = await openCoinLab();
});
afterAll(() => lab?.close());

it('between base and model, and along the kept steps', () => {
  const [base, model] = [Float32Array.of(1, 2), Float32Array.of(3, -2)];
  expect(Array.from(between(base, model, 0.25))).toEqual([1.5, 1]);
  const kept = [[Float32Array.of(1, 0)], [], [Float32Array.of(0, 2), Float32Array.of(1, 0)]];
  expect([...along(base, kept)].map(({ params }) => Array.from(params))).toEqual([
    [1, 2],
    [0, 2],
    [0, 2],
    [-1, 0],
  ]);
});

it('a run evaluates what it is asked for; the last point of the way is the trained model to the bit', async () => {
  const steps = memoryStepStore();
  const overrides = { mix: 0, problems: 16, trustedShare: 0.3, finalEvalProblems: 4, evalEvery: 0 };
  const spec = tinySpec({
    arms: ['none', 'trusted-only'],
    overrides: { ...overrides, alsoEvaluate: ['interpolation', 'early_stop', 'merge'] },
  });
  const { result, checkpoints } = await runTiny(lab, spec, { steps });
  const [vanilla, trusted] = result.runs;
  const finals = (run: typeof vanilla) => run.evals.filter(({ kind }) => kind === 'final');
  const named = ['base', 'total', ...[1, 2, 3, 4, 5, 6, 7].map((i) => `alpha_${i / 8}`), 'early_stop'];
  expect(finals(trusted).map(({ model }) => model)).toEqual([...named, 'merge']);
  expect(finals(trusted).find(({ model }) => model === 'early_stop')!.note).toMatch(/^after step \d of 4: /);
  const kept = (await steps.load('test/none/41'))!;
  expect([...along(lab.engine.initialAdapterParams, kept)].at(-1)!.params).toEqual(
    checkpoints.get('test/none/41')!.at(-1)!.optimizer.total,
  );
  // Vanilla is not merged with itself.
  expect(finals(vanilla).map(({ model }) => model)).toEqual(named);
  expect(result.table.some(({ label }) => label.trim() === 'merged with vanilla')).toBe(true);
});
