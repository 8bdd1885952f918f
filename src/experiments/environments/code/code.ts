// The code substrate: its problems, their flaws' teacher, its evaluation on families and parameters that were never trained on.
import { codeEnvironment } from '../../../environments/code/environment.ts';
import { evaluationSet, makeProblemSet } from '../../../environments/code/problem-sets.ts';
import type { WorldMaker } from '../definition.ts';
import { assembleCodeWorld, type CodeTasks, type CodeWorldMaker, codePart, progress } from './assemble.ts';

export const codeWorld = {
  part: codePart,
  async *make(spec, ports) {
    yield progress('problems', 0, 1);
    const { dataSeed, modes, honestShare, problems: count } = spec;
    const evaluate = Math.max(spec.evalProblems, spec.finalEvalProblems);
    const tasks: CodeTasks = {
      environment: codeEnvironment,
      training: makeProblemSet({ modes, honestShare, count, dataSeed }),
      // Every prefix of an evaluation set is balanced: the small one is the beginning of the large one.
      evaluation: evaluationSet({ modes, honestShare, dataSeed, count: evaluate }).map(({ problem, unseen }) => ({
        task: problem,
        unseen,
      })),
    };
    return yield* assembleCodeWorld(spec, tasks, undefined, ports);
  },
} satisfies CodeWorldMaker satisfies WorldMaker;
