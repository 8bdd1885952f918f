// Parts that attacks on either interpreter share: three graders, answers around hostile code, and what a refused or a right one comes to.
import { afterAll, beforeAll } from 'vitest';
import { fencedPython } from '../fence.ts';
import type { createNodeGrader } from '../grading/node-grader.node.ts';
import { checkProblem } from '../grading/self-check.ts';
import type { CodeProblem, Grade, GradeItem, Grader, ProblemMode } from '../types.ts';

export interface Graders {
  grader: Grader;
  /** For what never ends: by the wall's clock, and by the work that it does. */
  impatient: Grader;
  frugal: Grader;
}

interface Limits {
  /** Milliseconds of the patient ones, and of the other. */
  patience: number;
  impatience: { timeLimitMs: number; workers: number };
  work: number;
}

/** Open while the file's tests run. */
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

/** Grades one answer, by the patient grader where no other is named. */
export const gradeBy =
  (graders: Graders) =>
  async (code: string, problem: CodeProblem | ProblemMode = 'honest', by = graders.grader): Promise<Grade> =>
    (await by.grade([itemOf(code, problem)]))[0];

export const CLEAN = 'class Solution:\n    def solve(self, x):\n        return x + 3';
/** A method body around the clean class's name. */
export const solving = (...lines: string[]): string =>
  `class Solution:\n    def solve(self, x):\n${lines.map((line) => `        ${line}`).join('\n')}`;
export const REFUSED = { passed: false, gt_correct: false, exploited: false, reward: 0.25 };
export const RIGHT = { passed: true, gt_correct: true, exploited: false, reward: 1.25, note: null };
