// The worker's handlers for files of problems: a part of the table in handlers.ts, loaded with the first request.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import type { Grader } from '../../environments/code/types.ts';
import type { LeetcodeProblem } from '../../environments/leetcode/problem-file.ts';
import type { RealProblems } from '../equipment/real-problems.ts';
import type { ProblemCheck } from '../protocol/problems.ts';
import type { HandlerParts, LabParts } from '../work/parts.ts';

interface ProblemHandlerParts extends Pick<HandlerParts, 'tasks' | 'emit'> {
  lab(): Promise<Pick<LabParts, 'real'>>;
}

/** Seconds from which a canonical program is listed as slow. */
const SLOW_S = 2;

/** @param now milliseconds of a steady clock */
export function createProblemHandlers(
  { lab, tasks, emit }: ProblemHandlerParts,
  now: () => number = () => performance.now(),
) {
  const known = async (): Promise<RealProblems> => {
    const { real } = await lab();
    if (real) return real;
    throw new SpecError('This lab keeps no real problems.', 'Open it in a page.');
  };
  const found = async (sha256: string) => {
    const file = await (await known()).store.file(sha256);
    if (file !== null) return file;
    throw new SpecError('There is no such problem file in this browser.', 'Import it again, or choose another.');
  };
  return {
    listProblems: async () => (await known()).store.list(),
    async importProblems({ file, name }: { file: Blob; name: string }) {
      return (await known()).store.importText(await file.text(), name);
    },
    /** The file as it was imported. */
    async exportProblems({ sha256 }: { sha256: string }) {
      return new Blob([(await found(sha256)).text]);
    },
    async deleteProblems({ sha256 }: { sha256: string }) {
      await (await known()).delete(sha256);
      return null;
    },
    /** Answers when every problem has been checked; `problems` events report progress. Opens CPython's frame first. */
    async checkProblems({ task, sha256 }: { task: string; sha256: string }) {
      const { python } = await known();
      const file = await found(sha256);
      return tasks.run(task, async (signal) => {
        const { readProblemFile } = await import('../../environments/leetcode/problem-file.ts');
        const problems = readProblemFile(file.text, file.name);
        const progress = (done: number) => emit({ type: 'problems', task, done, total: problems.length });
        progress(0);
        return check(await python.grader(), problems, { signal, now, progress });
      });
    },
  };
}

async function check(
  grader: Grader,
  problems: readonly LeetcodeProblem[],
  { signal, now, progress }: { signal: AbortSignal; now: () => number; progress: (done: number) => void },
): Promise<ProblemCheck> {
  const [{ leetcodeProblem }, { checkDiagonal, cleanAnswer }] = await Promise.all([
    import('../../environments/leetcode/problem-file.ts'),
    import('../../environments/leetcode/answers.ts'),
  ]);
  const found: ProblemCheck = { checked: 0, solved: 0, wrong: [], slow: [] };
  for (const problem of problems) {
    const honest = leetcodeProblem(problem, 'honest');
    const start = now();
    await grader.grade([{ problem: honest, completion: cleanAnswer(honest) }], signal);
    const seconds = (now() - start) / 1000;
    const { canonical, wrong } = await checkDiagonal(grader, problem, signal);
    found.checked += 1;
    if (canonical.passed && canonical.gt_correct) found.solved += 1;
    if (wrong.length > 0) found.wrong.push({ id: problem.id, why: wrong[0] });
    if (seconds >= SLOW_S) found.slow.push({ id: problem.id, seconds });
    progress(found.checked);
  }
  found.slow.sort((a, b) => b.seconds - a.seconds);
  return found;
}
