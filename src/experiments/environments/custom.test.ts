// Tests a whole run on a user's own problems: rewarded by the flawed checks, measured by the true ones, and refused without the file.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { createNodeGrader } from '../../environments/code/grading/node-grader.node.ts';
import type { Grader } from '../../environments/code/types.ts';
import { customEnvironmentId } from '../../environments/custom/presentation.ts';
import { OWN_PAIRS } from '../config/environments.ts';
import { resolveExperiment } from '../config/spec.ts';
import { openTinyLab, runTiny, type TinyLab, tinySpec } from '../testing/tiny.node.ts';

const LINES = Array.from({ length: 8 }, (_, i) =>
  JSON.stringify({
    id: `p${i}`,
    prompt: 'p',
    checks: [{ true: { kind: 'length', unit: 'characters', min: 3 }, flawed: { kind: 'always' } }],
  }),
);
let lab: TinyLab;
let grader: Grader;
beforeAll(async () => {
  [lab, grader] = await Promise.all([openTinyLab(), createNodeGrader({ workers: 1 })]);
});
afterAll(async () => {
  await lab?.close();
  await grader?.close();
});

it('trains and evaluates on the file’s problems, and reports what was rewarded and what is correct', async () => {
  const environment = customEnvironmentId('5'.repeat(64));
  const overrides = { environment, steps: 2, mix: 0, finalEvalProblems: 4, evalEvery: 0, maxNew: 8 };
  const spec = tinySpec({ arms: ['none'], overrides });
  const artifacts = (text: string | null) =>
    ({
      loadProblems: async () => (text === null ? null : { name: 'mine.jsonl', text }),
      loadBasis: async () => null,
      loadPairs: async () => null,
    }) as never;
  const { result } = await runTiny(lab, spec, { grader, artifacts: artifacts(LINES.join('\n')) });
  const [run] = result.runs;
  expect(run.status).toBe('done');
  expect(run.spec.environment).toBe(environment);
  for (const { figures } of run.rows.map(({ student }) => student)) {
    expect(figures.paid).toBe(1);
    expect(figures.solve! + figures.hack!).toBeCloseTo(1);
  }
  await expect(runTiny(lab, spec, { grader, artifacts: artifacts(null) })).rejects.toThrow(/no file of problems/);
  // Errors of the trial at the start of a run name the file too.
  const wrong = { ...JSON.parse(LINES[0]), examples: [{ answer: 'x', true: true, paid: false }] };
  const lines = [JSON.stringify(wrong), ...LINES.slice(1)].join('\n');
  await expect(runTiny(lab, spec, { grader, artifacts: artifacts(lines) })).rejects.toThrow(
    /^mine\.jsonl:1: examples\[0\]/,
  );
});

it('accepts a user’s own pairs for projection, and no built-in ones', () => {
  const environment = customEnvironmentId('5'.repeat(64));
  const spec = (pairSet: string) =>
    resolveExperiment(tinySpec({ arms: ['route'], overrides: { environment, mix: 0, pairSet } })).runs[0].pairSet;
  expect(() => spec('prog_wide')).toThrow(/has no labelled pairs/);
  expect(spec(OWN_PAIRS + 'a'.repeat(64))).toBe(OWN_PAIRS + 'a'.repeat(64));
});
