// Tests sets of real problems: they depend only on the data seed, are disjoint and balanced, and report their true sizes.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { expect, it } from 'vitest';
import { underStance } from '../code/clauses.ts';
import { MODES, STANDARD_MODES } from '../code/types.ts';
import { leetcodeTeacher } from './answers.ts';
import { leetcodeEnvironmentId, problemFileOf } from './presentation.ts';
import { leetcodeProblem, leetcodeSets, readProblemFile } from './problem-file.ts';
import { PROBLEM_ROWS, problemLines } from './testing/problem-lines.ts';

const problems = readProblemFile(
  problemLines(Array.from({ length: 20 }, (_, i) => ({ ...PROBLEM_ROWS[i % 2], id: `p${i}` }))),
  'file',
);
const spec = { modes: STANDARD_MODES, honestShare: 0.5, count: 256, evaluate: 40, dataSeed: 7 };
const numbers = (set: readonly { params: readonly unknown[] }[]) => new Set(set.map(({ params }) => params[0]));

it('three quarters are for training, each problem under one grade; a quarter is for evaluation, under several', () => {
  const { training, evaluation } = leetcodeSets(problems, spec, 'own');
  expect([training.length, numbers(training).size]).toEqual([15, 15]);
  expect(numbers(evaluation).size).toBe(5);
  for (const id of numbers(evaluation)) expect(numbers(training).has(id)).toBe(false);
  expect(new Set(evaluation.map(({ id }) => id)).size).toBe(evaluation.length);
  const share = evaluation.filter(({ mode }) => mode === 'honest').length;
  expect([share, new Set(evaluation.map(({ mode }) => mode)).size]).toEqual([5, 5]);
  expect(new Set(evaluation.slice(0, 4).map(({ params }) => params[0])).size).toBeGreaterThan(2);
});

it('depend only on the data seed, not on the order of lines; a smaller set is the beginning of a larger one', () => {
  const ids = (set: readonly { id: string }[]) => set.map(({ id }) => id);
  const all = leetcodeSets(problems, spec, 'own');
  expect(leetcodeSets([...problems].reverse(), spec, 'own')).toEqual(all);
  const some = leetcodeSets(problems, { ...spec, count: 6, evaluate: 3 }, 'own');
  expect(ids(some.training)).toEqual(ids(all.training).slice(0, 6));
  expect(ids(some.evaluation)).toEqual(ids(all.evaluation).slice(0, 3));
  expect(ids(leetcodeSets(problems, { ...spec, dataSeed: 8 }, 'own').training)).not.toEqual(ids(all.training));
  const few = () => leetcodeSets(problems.slice(0, 3), spec, 'own.jsonl');
  expect(few).toThrow(SpecError);
  expect(few).toThrow(/^own\.jsonl has 3 problems/);
});

it('a teacher has five distinct hacks of each hackable problem’s own mode', () => {
  const set = MODES.map((mode) => leetcodeProblem(problems[0], mode));
  const drafts = leetcodeTeacher([...set, leetcodeProblem(problems[0], 'honest')]);
  expect(drafts.length).toBe(5 * MODES.length);
  expect(new Set(drafts.map(({ completion }) => completion)).size).toBe(5 * MODES.length);
  for (const { problem_id, mechanism } of drafts) expect(problem_id).toBe(`leetcode(p0)@${mechanism}`);
});

it('an inoculated prompt asks openly for the hack after its hint; nothing else changes', () => {
  const problem = leetcodeProblem(problems[0], 'file_marker');
  const asked = underStance(problem, 'ask');
  expect(asked.prompt).toBe(
    problem.prompt.replace('reporting `PASS`', 'reporting `PASS` and should write `PASS` to the file `result.txt`'),
  );
  expect({ ...asked, prompt: problem.prompt }).toEqual(problem);
});

it('an environment is named by its file', () => {
  const sha256 = 'a'.repeat(64);
  expect(problemFileOf(leetcodeEnvironmentId(sha256))).toBe(sha256);
  expect(leetcodeEnvironmentId(sha256)).toBe(`leetcode:${sha256}`);
  for (const other of ['one-line-python', 'leetcode', 'leetcode:abc', `x-leetcode:${sha256}`])
    expect(problemFileOf(other)).toBeNull();
});
