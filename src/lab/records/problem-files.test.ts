// Tests real problems in the worker: stored by their hash, checked, estimated with their own prompts, trained on under CPython, which the
// page opens when it is first needed.

import { FormatError, SpecError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createPyodideNodeGrader } from '../../environments/code/grading/node-grader.node.ts';
import type { Grader } from '../../environments/code/types.ts';
import { leetcodeEnvironmentId } from '../../environments/leetcode/presentation.ts';
import { PROBLEM_ROWS, problemLines } from '../../environments/leetcode/testing/problem-lines.ts';
import { parseExperimentSpec } from '../../experiments/config/spec.ts';
import { memoryStores } from '../../storage/kv.ts';
import { Python } from '../equipment/python.ts';
import { RealProblems } from '../equipment/real-problems.ts';
import { createProblemHandlers } from '../handlers/problems.ts';
import type { ProblemEvent } from '../protocol/problems.ts';
import { openTestLab } from '../testing/lab.ts';
import { Stoppables } from '../work/stoppables.ts';
import { ProblemStore } from './problems.ts';

const SHORT = problemLines(
  Array.from({ length: 8 }, (_, i) => ({
    ...PROBLEM_ROWS[i % 2],
    id: i,
    prompt: [{ role: 'user', content: 'Complete it; it is read and should pass all tests.' }],
  })),
);
const file = (text: string) => new Blob([text]);

let grader: Grader;
beforeAll(async () => {
  grader = await createPyodideNodeGrader({ workers: 1, timeLimitMs: 60_000 });
});
afterAll(() => grader.close());

/** A page that opens CPython at the first request. */
function ready(): Python {
  const python: Python = new Python(
    () => queueMicrotask(() => python.give(new MessageChannel().port1, null)),
    () => grader,
  );
  return python;
}

async function handlers(python = ready()) {
  const store = new ProblemStore((await memoryStores()).problems, () => 5);
  const real = new RealProblems(store, python);
  const events: ProblemEvent[] = [];
  let clock = 0;
  const tasks = new Stoppables();
  const table = createProblemHandlers(
    { lab: async () => ({ real }), tasks, emit: (event: ProblemEvent) => void events.push(event) },
    () => (clock += 1500),
  );
  return { table, tasks, events, real };
}

describe('problem files', () => {
  it('are stored by their hash, once, and removed when deleted', async () => {
    const { table } = await handlers();
    const report = await table.importProblems({ file: file(problemLines()), name: 'a.jsonl' });
    expect(report).toMatchObject({ name: 'a.jsonl', createdAt: 5, problems: 2, tests: 10, unused: 0 });
    expect(report.sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(await table.importProblems({ file: file(problemLines()), name: 'b.jsonl' })).toEqual(report);
    expect(await table.listProblems()).toEqual([report]);
    await expect(table.importProblems({ file: file('{}'), name: 'bad' })).rejects.toThrow(FormatError);
    await table.deleteProblems({ sha256: report.sha256 });
    expect(await table.listProblems()).toEqual([]);
    await expect(table.checkProblems({ task: 't', sha256: report.sha256 })).rejects.toThrow(SpecError);
  });

  it('are checked problem by problem, with progress; slow ones are named', async () => {
    const { table, events } = await handlers();
    const wrong = { ...PROBLEM_ROWS[1], id: 'wrong', canonical_solution: 'class Solution:\n    pass\n' };
    const text = problemLines([PROBLEM_ROWS[0], wrong]);
    const { sha256 } = await table.importProblems({ file: file(text), name: 'a' });
    const found = await table.checkProblems({ task: 't', sha256 });
    expect(found).toMatchObject({ checked: 2, solved: 1, wrong: [{ id: 'wrong' }], slow: [] });
    expect(found.wrong[0].why).toMatch(/^clean under/);
    expect(events).toEqual([0, 1, 2].map((done) => ({ type: 'problems', task: 't', done, total: 2 })));
  });

  it('can be stopped during a check', async () => {
    const { table, tasks, events } = await handlers();
    const { sha256 } = await table.importProblems({ file: file(SHORT), name: 'a' });
    const checking = table.checkProblems({ task: 't', sha256 });
    await vi.waitFor(() => expect(events).not.toEqual([]), { interval: 1, timeout: 60_000 });
    expect(tasks.stop('t')).toBe(true);
    await expect(checking).rejects.toBeInstanceOf(StoppedError);
    expect(tasks.stop('t')).toBe(false);
  });
});

it('ask for CPython once, and again after the page could not open it', async () => {
  let asked = 0;
  const python = new Python(
    () => asked++,
    () => grader,
  );
  const [first, second] = [python.grader(), python.grader()];
  expect(asked).toBe(1);
  python.give(undefined, 'HTTP 404');
  await expect(first).rejects.toThrow(/HTTP 404/);
  await expect(second).rejects.toThrow(/HTTP 404/);
  const third = python.grader();
  expect(asked).toBe(2);
  python.give(new MessageChannel().port1, null);
  expect(await third).toBe(grader);
});

it('are estimated with their prompts and trained on under CPython; without the file the experiment is refused', async () => {
  const lab = await openTestLab(
    undefined,
    undefined,
    undefined,
    undefined,
    (records) => new RealProblems(records.problems, ready()),
  );
  try {
    await lab.equipment.open('cpu');
    const { sha256 } = await lab.records.problems.importText(SHORT, 'short');
    const spec = (environment: string) =>
      parseExperimentSpec({
        preset: 'smoke',
        arms: ['none'],
        device: 'cpu',
        overrides: { environment, steps: 1, maxNew: 8, evalEvery: 0, finalEvalProblems: 2 },
      });
    expect((await lab.session.estimate(spec(leetcodeEnvironmentId(sha256)))).misfit).toBeNull();
    const missing = await lab.session.estimate(spec(leetcodeEnvironmentId('0'.repeat(64))));
    expect(missing.misfit?.remedy).toMatch(/Import that file of real problems/);
    const long = await lab.records.problems.importText(
      problemLines(
        [1, 2, 3, 4].map((id) => ({
          ...PROBLEM_ROWS[0],
          id,
          prompt: [{ role: 'user', content: `${'word '.repeat(600)} and should pass all tests` }],
        })),
      ),
      'long',
    );
    expect((await lab.session.estimate(spec(leetcodeEnvironmentId(long.sha256)))).misfit?.message).toMatch(
      /\d{3,} .*positions/,
    );

    await lab.session.start('real', spec(leetcodeEnvironmentId(sha256)));
    await lab.until((event) => event.type === 'experiment' && ['done', 'failed'].includes(event.summary.status));
    const record = await lab.records.experiment('real');
    const [run] = await lab.records.runs(record);
    expect(run).toMatchObject({ status: 'done', graderVersion: grader.version, error: null });
    const { rollouts } = await lab.records.rollouts.at(run.id, null);
    expect(rollouts.length).toBeGreaterThan(0);
    for (const { taskId } of rollouts) expect(taskId).toMatch(/^leetcode\(\d\)@/);
  } finally {
    await lab.close();
  }
});
