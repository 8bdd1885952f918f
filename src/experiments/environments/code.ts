// The environment of one-line Python: its problems, the teacher of their flaws, and its evaluation on families and parameters that are never
// trained on.

import { COMPOSED_SPLITS, evaluationSet, makeProblemSet } from '../../environments/code/data.ts';
import { partsOf } from '../../environments/code/problem.ts';
import { trustedOf } from '../../environments/code/trusted.ts';
import { type CodeProblem, codeDynamics, familySetOf } from '../../environments/code/types.ts';
import type { RunSpec } from '../config/run-spec.ts';
import type { EnvironmentMaker } from './definition.ts';
import { assembleCodeEnvironment, type CodeEnvironmentMaker, type CodeTasks, codePart, progress } from './programs.ts';

export const codeMaker = {
  part: codePart,
  async *make(spec, ports) {
    yield progress('problems', 0, 1);
    const { dataSeed, modes, honestShare, problems: count } = spec;
    const evaluate = Math.max(spec.evalProblems, spec.finalEvalProblems);
    const families = familySetOf(spec.environment);
    const training = makeProblemSet({ modes, honestShare, count, dataSeed, families });
    const isShown = families === 'composed' ? shownBy(training, spec) : null;
    const tasks: CodeTasks = {
      dynamics: codeDynamics,
      training,
      ...(isShown && { splits: COMPOSED_SPLITS }),
      // Every prefix of an evaluation set is balanced, so the small set is the start of the large one.
      evaluation: evaluationSet({ modes, honestShare, dataSeed, families, count: evaluate }).map(
        ({ problem, unseen }) => ({
          task: problem,
          unseen: isShown ? (isShown(problem) ? 'shown' : 'unshown') : unseen,
        }),
      ),
    };
    return yield* assembleCodeEnvironment(spec, tasks, undefined, ports);
  },
} satisfies CodeEnvironmentMaker satisfies EnvironmentMaker;

/** Whether all parts of a composed problem occur in the trusted problems, whether or not those are used. */
function shownBy(training: readonly CodeProblem[], spec: RunSpec): (problem: CodeProblem) => boolean {
  const { trustedShare, dataSeed, trustedArguments } = spec;
  const isHonest = training.some(({ mode }) => mode === 'honest');
  const trusted = isHonest ? trustedOf(training, trustedShare, dataSeed, trustedArguments) : [];
  const shown = new Set(trusted.flatMap(partsOf));
  return (problem) => partsOf(problem).every((part) => shown.has(part));
}
