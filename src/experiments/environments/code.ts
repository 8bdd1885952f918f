// The code substrate as an environment: its problems, the teacher of their flaws, its evaluation on families and parameters that were never
// trained on; and tiny-coder, pretrained on one-line Python and measured by the real grader on problems of unseen families.

import { COMPOSED_SPLITS, evaluationSet, makeProblemSet } from '../../environments/code/data.ts';
import { pretrainSample } from '../../environments/code/model.ts';
import { DATA_SEED, partsOf } from '../../environments/code/problem.ts';
import { trustedOf } from '../../environments/code/trusted.ts';
import { CODE_MODELS, type CodeProblem, codeDynamics, familySetOf, HYBRID } from '../../environments/code/types.ts';
import { PRETRAIN_DEFAULTS, TINY_CODER, TINY_HYBRID } from '../../environments/pretraining.ts';
import { percent } from '../../lib/numbers.ts';
import type { RunSpec } from '../config/run-spec.ts';
import type { EnvironmentMaker } from './definition.ts';
import type { MeasuredPretraining } from './pretraining.ts';
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
      // Every prefix of an evaluation set is balanced: the small one is the beginning of the large one.
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

/** Whether all parts of a composed problem occur in the trusted problems, used or not. */
function shownBy(training: readonly CodeProblem[], spec: RunSpec): (problem: CodeProblem) => boolean {
  const { trustedShare, dataSeed, trustedArguments } = spec;
  const isHonest = training.some(({ mode }) => mode === 'honest');
  const trusted = isHonest ? trustedOf(training, trustedShare, dataSeed, trustedArguments) : [];
  const shown = new Set(trusted.flatMap(partsOf));
  return (problem) => partsOf(problem).every((part) => shown.has(part));
}

/** Imports what only pretraining and its measurement need: every run of this environment loads this file. */
export async function codePretraining(environment: string): Promise<MeasuredPretraining> {
  const { model, families, mistakes } = CODE_MODELS[environment];
  const { tokenizerFileTexts } = await import('../../environments/code/tokenizer.ts');
  const { measureRounds } = await import('../loop/base-rates.ts');
  return {
    model,
    defaults: PRETRAIN_DEFAULTS,
    dataSeed: DATA_SEED,
    config: environment === HYBRID ? TINY_HYBRID : TINY_CODER,
    rounds: 6,
    tokenizer: (dataSeed) => tokenizerFileTexts(dataSeed, families, mistakes),
    sample: (index, dataSeed, stage) => pretrainSample(index, dataSeed, stage, families, mistakes),
    async measure({ policy, codec, dataSeed, rounds, openGrader, signal, onRound }) {
      const grader = await openGrader();
      const rates = await measureRounds({ policy, codec, grader, dataSeed, families, signal }, rounds, onRound);
      return {
        rates,
        summary: `format ${percent(rates.format)}, solve ${percent(rates.solve)}, hack ${percent(rates.hack)} (n = ${rates.n}, unseen families, temperature 1)`,
      };
    },
  };
}
