// Tests a whole run on real problems: the file by its hash, CPython as grader, the templates' teacher, evaluation on held-out problems. The model
// is the tests' small random one, so prompts are short.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPyodideNodeGrader } from '../../environments/code/grading/node-grader.node.ts';
import type { Grader } from '../../environments/code/types.ts';
import { leetcodeEnvironmentId } from '../../environments/leetcode/presentation.ts';
import { PROBLEM_ROWS, problemLines } from '../../environments/leetcode/testing/problem-lines.ts';
import { sha256 } from '../../storage/sources.ts';
import type { ArtifactStore } from '../records/artifacts.ts';
import type { RolloutRecord } from '../records/events.ts';
import { openTinyLab, runTiny, type TinyLab, tinySpec } from '../testing/tiny.node.ts';

const TEXT = problemLines(
  Array.from({ length: 8 }, (_, i) => ({
    ...PROBLEM_ROWS[i % 2],
    id: i,
    prompt: [{ role: 'user', content: 'Complete it; it is read and should pass all tests.' }],
  })),
);

let lab: TinyLab;
let grader: Grader;
let environment: string;
beforeAll(async () => {
  lab = await openTinyLab();
  grader = await createPyodideNodeGrader({ workers: 1, timeLimitMs: 60_000 });
  environment = leetcodeEnvironmentId(await sha256(new TextEncoder().encode(TEXT)));
});
afterAll(async () => {
  await lab?.close();
  await grader?.close();
});

const artifacts = (text: string | null): ArtifactStore => ({
  loadPool: async () => null,
  savePool: async () => {},
  loadTeacherPool: async () => null,
  loadProblems: async () => (text === null ? null : { name: 'file', text }),
  loadBasis: async () => null,
  loadPairs: async () => null,
  saveBasis: async () => {},
});
const spec = () =>
  tinySpec({
    arms: ['route-update'],
    overrides: { environment, steps: 2, honestShare: 0.25, mix: 0.25, finalEvalProblems: 4, evalEvery: 2, maxNew: 12 },
  });

it('trains, teaches and evaluates on the file’s problems', async () => {
  const { events, result } = await runTiny(lab, spec(), { grader, artifacts: artifacts(TEXT) });
  const [run] = result.runs;
  expect(run).toMatchObject({ status: 'done', graderVersion: grader.version });
  expect(run.spec.environment).toBe(environment);
  expect(run.rows.length).toBe(2);
  const rollouts = events.flatMap((event): readonly RolloutRecord[] => (event.type === 'step' ? event.rollouts : []));
  expect(rollouts.every(({ taskId }) => /^leetcode\(\d\)@\w+$/.test(taskId))).toBe(true);
  const teachers = rollouts.filter(({ source }) => source === 'teacher');
  expect(teachers.length).toBeGreaterThan(0);
  expect(teachers.every(({ verdict, reward }) => verdict.exploited && reward === 1.25)).toBe(true);
  // A random model solves nothing, but its final evaluation still has every problem.
  const final = run.evals.filter(({ kind }) => kind === 'final');
  expect(final.length).toBeGreaterThan(0);
  for (const { all } of final) expect(all).toMatchObject({ n: 4, figures: { solve: 0 } });
});

it('is refused without the file, without CPython, and for an unknown environment', async () => {
  await expect(runTiny(lab, spec(), { grader, artifacts: artifacts(null) })).rejects.toThrow(
    /no problem file with this hash/,
  );
  await expect(runTiny(lab, spec(), { artifacts: artifacts(TEXT) })).rejects.toThrow(/real problems need CPython/);
  const other = tinySpec({ arms: ['none'], overrides: { environment: 'leetcode:1' } });
  await expect(runTiny(lab, other, { grader, artifacts: artifacts(TEXT) })).rejects.toThrow(SpecError);
});
