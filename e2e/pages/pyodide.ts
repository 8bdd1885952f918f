// A page with only the CPython grader; e2e/pyodide-sandbox.spec.ts builds, minifies and drives it.
import { openPyodideFrame } from '@projected-grpo-lab/python-sandbox/pyodide-frame.ts';
import { createPyodidePortGrader } from '../../src/environments/code/grading/pool-grader.ts';
import { checkProblem, runSelfCheck } from '../../src/environments/code/grading/self-check.ts';
import type { Grade, ProblemMode } from '../../src/environments/code/types.ts';
import { checkDiagonal, cleanAnswer } from '../../src/environments/leetcode/answers.ts';
import { leetcodeProblem, readProblemFile } from '../../src/environments/leetcode/problem-file.ts';

const { port, opened } = openPyodideFrame();
await opened;
const grader = createPyodidePortGrader(port, { timeLimitMs: 90_000, workers: 1 });

const lab = {
  version: grader.version,
  selfCheck: () => runSelfCheck(grader),
  grade: (code: string, mode: ProblemMode): Promise<Grade> =>
    grader
      .grade([{ problem: checkProblem(mode), completion: `\`\`\`python\n${code}\n\`\`\`` }])
      .then(([grade]) => grade),
  /** Returns the deviations from the diagonal for a file's problems: each kind of hack must pass in its own mode only. */
  async diagonal(text: string): Promise<string[]> {
    const wrong: string[] = [];
    for (const problem of readProblemFile(text, 'file')) wrong.push(...(await checkDiagonal(grader, problem)).wrong);
    return wrong;
  },
  /** Grades the canonical programs with the strict oracle; returns [id, correct, seconds, note]. */
  async canonical(text: string): Promise<[string, boolean | null, number, string | null][]> {
    const verdicts: [string, boolean | null, number, string | null][] = [];
    for (const problem of readProblemFile(text, 'file')) {
      const honest = leetcodeProblem(problem, 'honest');
      const start = performance.now();
      const [{ gt_correct, note }] = await grader.grade([{ problem: honest, completion: cleanAnswer(honest) }]);
      verdicts.push([problem.id, gt_correct, (performance.now() - start) / 1000, note]);
    }
    return verdicts;
  },
};

declare global {
  interface Window {
    pyodidePage?: typeof lab;
  }
}
window.pyodidePage = lab;
