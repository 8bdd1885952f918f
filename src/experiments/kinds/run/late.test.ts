// Tests the corners of a finished run: their parameters, and that a small run evaluates them.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { norm, plus } from '../../../algorithms/vectors.ts';
import { resolveRun } from '../../config/spec.ts';
import { memoryStepStore } from '../../records/steps.ts';
import { openCoinLab, runTiny, type TinyLab, tinySpec } from '../../testing/tiny.node.ts';
import { addLateModels, interpolate, paramsAlongRun } from './late.ts';
import { plainSpec } from './relearn.ts';

let lab: TinyLab;
beforeAll(async () => {
  lab = await openCoinLab();
});
afterAll(() => lab?.close());

it('gives parameters between base and model, and along the stored steps', () => {
  const [base, model] = [Float32Array.of(1, 2), Float32Array.of(3, -2)];
  expect(Array.from(interpolate(base, model, 0.25))).toEqual([1.5, 1]);
  const kept = [[Float32Array.of(1, 0)], [], [Float32Array.of(0, 2), Float32Array.of(1, 0)]];
  expect([...paramsAlongRun(base, kept)].map(({ params }) => Array.from(params))).toEqual([
    [1, 2],
    [0, 2],
    [0, 2],
    [-1, 0],
  ]);
});

it('a run evaluates the requested models; the last point of the stored steps is the trained model to the bit', async () => {
  const steps = memoryStepStore();
  const overrides = { mix: 0, problems: 16, trustedShare: 0.3, finalEvalProblems: 4, evalEvery: 0 };
  const spec = tinySpec({
    arms: ['none', 'trusted-only'],
    overrides: { ...overrides, alsoEvaluate: ['interpolation', 'early_stop', 'merge', 'merge_controls'] },
  });
  const { result, checkpoints } = await runTiny(lab, spec, { steps });
  const [vanilla, trusted] = result.runs;
  const finals = (run: typeof vanilla) => run.evals.filter(({ kind }) => kind === 'final');
  const named = ['base', 'total', ...[1, 2, 3, 4, 5, 6, 7].map((i) => `alpha_${i / 8}`), 'early_stop'];
  const merged = ['merge', 'merge_random', 'merge_scaled', 'merge_average'];
  expect(finals(trusted).map(({ model }) => model)).toEqual([...named, ...merged]);
  expect(finals(trusted).find(({ model }) => model === 'early_stop')!.note).toMatch(/^after step \d of 4: /);
  const kept = (await steps.load('test/none/41'))!;
  expect([...paramsAlongRun(lab.engine.initialAdapterParams, kept)].at(-1)!.params).toEqual(
    checkpoints.get('test/none/41')!.at(-1)!.optimizer.total,
  );
  // Vanilla is not merged with itself.
  expect(finals(vanilla).map(({ model }) => model)).toEqual(named);
  for (const label of ['merged with vanilla', 'merged, vanilla’s signs random', 'averaged with vanilla'])
    expect(
      result.table.some((row) => row.label.trim() === label),
      label,
    ).toBe(true);
});

it('the quarantine model is the undeployed part of a routed run on the untrained model; other runs have none', async () => {
  const overrides = { mix: 0, problems: 16, trustedShare: 0.3, finalEvalProblems: 4, evalEvery: 0, k: 6 };
  const asked = { ...overrides, alsoEvaluate: ['quarantine' as const] };
  const spec = tinySpec({ arms: ['none', 'trusted_subspace'], overrides: asked });
  const { result, checkpoints } = await runTiny(lab, spec);
  const [vanilla, routed] = result.runs;
  const finals = (run: typeof vanilla) => run.evals.filter(({ kind }) => kind === 'final').map(({ model }) => model);
  expect(finals(vanilla)).toEqual(['base', 'total']);
  expect(finals(routed)).toContain('quarantine');
  expect(result.table.map(({ label }) => label.trim())).toContain('quarantine alone');
  const { optimizer } = checkpoints.get('test/trusted_subspace/41')!.at(-1)!;
  const policy = { initialAdapterParams: Float32Array.from(optimizer.total, (_, i) => i) };
  const late = { matched: {} as Record<string, Float32Array>, notes: {} };
  const ports = { id: '', spec: routed.spec, optimizer, policy } as unknown as Parameters<typeof addLateModels>[1];
  for await (const _ of addLateModels(late, ports));
  expect(norm(optimizer.hack)).toBeGreaterThan(0);
  expect(late.matched.quarantine).toEqual(plus(policy.initialAdapterParams, optimizer.hack));
});

it('relearning uses plain RL on the same mixture, independently of the arm’s settings', () => {
  const overrides = { mix: 0, problems: 16, modes: ['sentinel'], trustedShare: 0.3, lr: 0.01 } as const;
  const of = (arm: 'repaired' | 'trusted-only' | 'blocks' | 'route-update') =>
    resolveRun(tinySpec({ arms: [arm], overrides: { ...overrides, modes: [...overrides.modes] } }), arm, 41);
  for (const arm of ['repaired', 'trusted-only', 'blocks', 'route-update'] as const) {
    // The same holds in an experiment whose settings intervene.
    const plain = plainSpec({ ...of(arm), stages: '20 nll', inoculation: true, rewardPenalty: 2 });
    expect(plain).toMatchObject({ stages: '', inoculation: false, rewardPenalty: 0, objective: 'grpo' });
    expect(plain).toMatchObject({ arm: 'none', projection: 'none', graders: 'flawed', trusted: 'none', steps: 20 });
    expect(plain).toMatchObject({
      mix: 0,
      seed: 1041,
      modes: ['sentinel'],
      lr: of(arm).lr,
      alsoEvaluate: [],
      refreshEvery: 0,
    });
    // The adapter stays, since the deployed parameters belong to it.
    expect(plain.adapter).toBe(of(arm).adapter);
  }
});

it('a run evaluates the relearned model; resumed it gives the same', async () => {
  const overrides = { mix: 0, problems: 16, trustedShare: 0.3, finalEvalProblems: 4, evalEvery: 0, checkpointEvery: 2 };
  const spec = tinySpec({ arms: ['none', 'trusted-only'], overrides: { ...overrides, alsoEvaluate: ['relearn'] } });
  const { result, checkpoints } = await runTiny(lab, spec, {});
  const relearned = (run: (typeof result.runs)[number]) => run.evals.find(({ model }) => /relearned/.test(model))!;
  const [vanilla, trusted] = result.runs;
  // Vanilla relearns from the untrained model, the other run from its deployed one.
  expect([vanilla, trusted].map((run) => relearned(run).model)).toEqual(['base_relearned', 'relearned']);
  expect(relearned(vanilla).note).toMatch(/^hacks of the first 5 of its 20 steps \d/);
  expect(relearned(trusted).note).toMatch(/^hacks of the first 5 of its 20 steps .*%, of the last .*%$/);
  expect(relearned(trusted).all).not.toEqual(relearned(vanilla).all);
  expect(result.table.some(({ label }) => label.trim() === 'after 20 more steps of plain RL')).toBe(true);
  // Without this option the run's own models are the same.
  const plain = await runTiny(lab, tinySpec({ arms: ['none', 'trusted-only'], overrides }), {});
  const others = ({ evals }: typeof vanilla) => evals.filter(({ model }) => !/relearned/.test(model));
  expect(result.runs.map(others)).toEqual(plain.result.runs.map(({ evals }) => evals));
  const last = checkpoints.get('test/trusted-only/41')!.at(-1)!;
  const load = async (id: string) => (id === 'test/trusted-only/41' ? structuredClone(last) : null);
  const again = await runTiny(lab, spec, { checkpoints: { load, save: async () => {} } as never });
  expect(relearned(again.result.runs[1])).toEqual(relearned(trusted));
});

it('relearning of a run that routes starts from its deployed model', async () => {
  const overrides = {
    mix: 0,
    problems: 16,
    finalEvalProblems: 4,
    evalEvery: 0,
    k: 2,
    alsoEvaluate: ['relearn' as const],
  };
  const { result } = await runTiny(lab, tinySpec({ arms: ['route-update'], overrides }));
  const [{ evals }] = result.runs;
  expect(evals.map(({ model }) => model)).toContain('relearned');
  expect(evals.map(({ model }) => model)).not.toContain('base_relearned');
});
