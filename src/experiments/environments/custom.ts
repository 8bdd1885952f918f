// A user's own problems and checks from a file: read, tried once (Python and examples), split into training and evaluation.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { CUSTOM_SPLITS, customFileOf } from '../../environments/custom/presentation.ts';
import { type CustomProblem, customSets, readCustomFile } from '../../environments/custom/problem-file.ts';
import { type CustomVerdict, checkCustom, customMetrics, customReward } from '../../environments/custom/reward.ts';
import { epochSampler } from '../../environments/epochs.ts';
import { type OneTurn, oneTurn } from '../../environments/types.ts';
import { thinkingIn } from '../config/options/prompts.ts';
import type { RunSpec } from '../config/run-spec.ts';
import type { EnvironmentMaker } from './definition.ts';
import { progress } from './programs.ts';

export const sizesOf = ({ dataSeed, problems, evalProblems, finalEvalProblems }: RunSpec) => ({
  dataSeed,
  count: problems,
  evaluate: Math.max(evalProblems, finalEvalProblems),
});

export const customMaker = {
  part: (spec: RunSpec) => [sizesOf(spec), spec.evalProblems, spec.finalEvalProblems],
  async *make(spec: RunSpec, { grader, artifacts, knowsThinking, signal }) {
    const sha256 = customFileOf(spec.environment) as string;
    const file = (await artifacts?.loadProblems?.(sha256)) ?? null;
    if (file === null)
      throw new SpecError(
        `environment = ${JSON.stringify(spec.environment)}: no file of problems with this hash is at hand`,
        'Give the same file again: npm run lab -- run --environment custom --problems FILE.',
      );
    const problems = readCustomFile(file.text, file.name);
    const { training, evaluation } = customSets(problems, sizesOf(spec), file.name);
    yield progress('checks', 0, 1);
    const run = grader.run?.bind(grader);
    await checkCustom(problems, run, thinkingIn(spec, knowsThinking ?? null) ?? 'keep', signal);
    yield progress('checks', 1, 1);
    const splitTasks = evaluation.map((task) => ({ task, unseen: CUSTOM_SPLITS[0].id }));
    return {
      dynamics: oneTurn<CustomProblem>(spec.environment),
      reward: customReward(run),
      sampler: epochSampler(training, ({ kind }) => kind),
      labels: { id: ({ id }) => id, kind: ({ kind }) => kind },
      figures: customMetrics,
      isHack: ({ paid, correct }) => paid && !correct,
      models: { get: () => undefined },
      teacherRows: () => [],
      pool: null,
      splits: CUSTOM_SPLITS,
      evaluation: {
        during: splitTasks.slice(0, spec.evalProblems),
        final: splitTasks.slice(0, spec.finalEvalProblems),
      },
    };
  },
} satisfies EnvironmentMaker<CustomProblem, OneTurn<CustomProblem>, CustomVerdict>;
