// A page with only the grader; e2e/grader-sandbox.spec.ts builds, minifies and drives it.
import { openGraderFrame } from '@projected-grpo-lab/python-sandbox/browser-frame.ts';
import { browserWorkerSource } from '@projected-grpo-lab/python-sandbox/sandbox-source.ts';
import { createPortGrader } from '../../src/environments/code/grading/pool-grader.ts';
import { CHECK_CLEAN, checkProblem, runSelfCheck } from '../../src/environments/code/grading/self-check.ts';
import type { Grade, ProblemMode } from '../../src/environments/code/types.ts';

const { port, opened } = openGraderFrame();
await opened;
const grader = createPortGrader(port, { timeLimitMs: 60_000 });

const lab = {
  workerSource: browserWorkerSource(),
  selfCheck: () => runSelfCheck(grader),
  grade: (code: string, mode: ProblemMode): Promise<Grade> =>
    grader
      .grade([{ problem: checkProblem(mode), completion: `\`\`\`python\n${code}\n\`\`\`` }])
      .then(([grade]) => grade),
  /** Measures how many completions are graded per second. */
  async rate(count: number): Promise<number> {
    const item = { problem: checkProblem('run_tests'), completion: `\`\`\`python\n${CHECK_CLEAN}\n\`\`\`` };
    const start = performance.now();
    await grader.grade(Array.from({ length: count }, () => item));
    return (1000 * count) / (performance.now() - start);
  },
};

declare global {
  interface Window {
    graderPage?: typeof lab;
  }
}
window.graderPage = lab;
