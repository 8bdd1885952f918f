// Real problems from a file, with the flaws and the oracle of one-line Python under CPython; their teacher uses canonical solutions of other
// problems.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { GRADER_VERSION } from '../../environments/code/grading/pool-grader.ts';
import { leetcodeTeacher } from '../../environments/leetcode/answers.ts';
import { problemFileOf } from '../../environments/leetcode/presentation.ts';
import { type LeetcodeProblem, leetcodeSets, readProblemFile } from '../../environments/leetcode/problem-file.ts';
import { oneTurn } from '../../environments/types.ts';
import type { EnvironmentMaker, EnvironmentPorts } from './definition.ts';
import { assembleCodeEnvironment, type CodeEnvironmentMaker, type CodeTasks, codePart, progress } from './programs.ts';

export const leetcodeMaker = {
  part: codePart,
  async *make(spec, ports) {
    yield progress('problems', 0, 1);
    const { dataSeed, modes, honestShare, problems: count } = spec;
    const evaluate = Math.max(spec.evalProblems, spec.finalEvalProblems);
    const { name, problems } = await problemFile(spec.environment, ports);
    const sets = leetcodeSets(problems, { modes, honestShare, count, evaluate, dataSeed }, name);
    const tasks: CodeTasks = {
      dynamics: oneTurn(spec.environment),
      training: sets.training,
      // No two real problems share a family.
      evaluation: sets.evaluation.map((task) => ({ task, unseen: 'family' as const })),
    };
    return yield* assembleCodeEnvironment(spec, tasks, leetcodeTeacher, ports);
  },
} satisfies CodeEnvironmentMaker satisfies EnvironmentMaker;

async function problemFile(
  environment: string,
  { grader, artifacts }: EnvironmentPorts,
): Promise<{ name: string; problems: LeetcodeProblem[] }> {
  const named = `environment = ${JSON.stringify(environment)}`;
  const sha256 = problemFileOf(environment) as string;
  if (grader.version === GRADER_VERSION)
    throw new SpecError(
      `${named}: real problems need CPython, and this grader is ${GRADER_VERSION}`,
      'Open CPython’s grader for them; what is done after a run has none yet.',
    );
  const file = (await artifacts?.loadProblems?.(sha256)) ?? null;
  if (file === null)
    throw new SpecError(
      `${named}: no problem file with this hash is at hand`,
      'Give the same file again: under Library, Data in the page, or as npm run lab -- run --problems FILE.',
    );
  return { name: file.name, problems: readProblemFile(file.text, file.name) };
}
