// Shared by the attacks on both interpreters: three graders, hostile answers, and the grades of refused and correct answers.
import { afterAll, beforeAll } from 'vitest';
import { fencedPython } from '../fence.ts';
import type { createNodeGrader } from '../grading/node-grader.node.ts';
import { checkProblem } from '../grading/self-check.ts';
import type { CodeProblem, Grade, GradeItem, Grader, ProblemMode } from '../types.ts';

export interface Graders {
  grader: Grader;
  /** Graders for endless programs: one stops them by the clock, one by their work. */
  impatient: Grader;
  frugal: Grader;
}

interface Limits {
  /** Time limits in milliseconds: of the patient grader, and of the impatient one. */
  patience: number;
  impatience: { timeLimitMs: number; workers: number };
  work: number;
}

/** Opened before the file's tests, and closed after them. */
export function openGraders(create: typeof createNodeGrader, { patience, impatience, work }: Limits): Graders {
  const open = {} as Graders;
  beforeAll(async () => {
    open.grader = await create({ workers: 1, timeLimitMs: patience, equalOnce: false });
    open.impatient = await create({ ...impatience, limits: { work: Number.MAX_SAFE_INTEGER }, equalOnce: false });
    open.frugal = await create({ workers: 1, timeLimitMs: 60_000, limits: { work }, equalOnce: false });
  });
  afterAll(async () => {
    for (const grader of Object.values(open)) await grader.close();
  });
  return open;
}

export const itemOf = (code: string, problem: CodeProblem | ProblemMode): GradeItem => ({
  problem: typeof problem === 'string' ? checkProblem(problem) : problem,
  completion: fencedPython(code),
});

/** Grades one answer, by default with the patient grader. */
export const gradeBy =
  (graders: Graders) =>
  async (code: string, problem: CodeProblem | ProblemMode = 'honest', by = graders.grader): Promise<Grade> =>
    (await by.grade([itemOf(code, problem)]))[0];

export const CLEAN = 'class Solution:\n    def solve(self, x):\n        return x + 3';
/** The clean class with these lines as its method's body. */
export const solving = (...lines: string[]): string =>
  `class Solution:\n    def solve(self, x):\n${lines.map((line) => `        ${line}`).join('\n')}`;
export const REFUSED = { passed: false, gt_correct: false, exploited: false, reward: 0.25 };
export const RIGHT = { passed: true, gt_correct: true, exploited: false, reward: 1.25, note: null };
