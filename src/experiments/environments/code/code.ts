// The code substrate: its problems, their flaws' teacher, its evaluation on families and parameters that were never trained on.

import { evaluationSet, makeProblemSet } from '../../../environments/code/problem-sets.ts';
import { codeDynamics } from '../../../environments/code/types.ts';
import type { EnvironmentMaker } from '../definition.ts';
import { assembleCodeEnvironment, type CodeEnvironmentMaker, type CodeTasks, codePart, progress } from './assemble.ts';

export const codeMaker = {
  part: codePart,
  async *make(spec, ports) {
    yield progress('problems', 0, 1);
    const { dataSeed, modes, honestShare, problems: count } = spec;
    const evaluate = Math.max(spec.evalProblems, spec.finalEvalProblems);
    const tasks: CodeTasks = {
      dynamics: codeDynamics,
      training: makeProblemSet({ modes, honestShare, count, dataSeed }),
      // Every prefix of an evaluation set is balanced: the small one is the beginning of the large one.
      evaluation: evaluationSet({ modes, honestShare, dataSeed, count: evaluate }).map(({ problem, unseen }) => ({
        task: problem,
        unseen,
      })),
    };
    return yield* assembleCodeEnvironment(spec, tasks, undefined, ports);
  },
} satisfies CodeEnvironmentMaker satisfies EnvironmentMaker;
