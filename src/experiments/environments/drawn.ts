// An environment of problems that are drawn by seed, without a teacher and with nothing to exploit: its tasks in epochs balanced over their
// kinds, its evaluation on every held-out split in turns. What the problems are, how they are acted on and judged is the environment's own.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import type { DrawnEnvironment, DrawnTask } from '../../environments/drawn.ts';
import { epochSampler } from '../../environments/epochs.ts';
import { exitSampler } from '../../environments/exit/sampler.ts';
import type { SplitInfo } from '../../environments/metric-info.ts';
import type { TaskSampler } from '../../environments/types.ts';
import type { RunSpec } from '../config/run-spec.ts';
import type { EvaluationTask } from '../step/environment.ts';
import type { EnvironmentMaker } from './definition.ts';

/** Training problems; there are more, and drawing them takes its time. */
const MOST = 4096;
/** Prompts of a part to plan memory for, where no run is named. */
const SAMPLED = 48;

/** What decides an ExIt sampler. */
export const EXIT_SETTINGS = [
  ...(['starts', 'startShare', 'divergeShare', 'bufferSize', 'bufferMin', 'kappa', 'prefix', 'child'] as const),
] as const;

type Sizes = Pick<RunSpec, 'dataSeed' | 'problems' | 'evalProblems' | 'finalEvalProblems'>;

/** `splits`: the parts of its evaluation set, which its presentation names. */
export function drawnMaker<Task extends DrawnTask, State, Verdict>(
  environment: DrawnEnvironment<Task, State, Verdict, RunSpec>,
  splits: readonly SplitInfo[],
) {
  const { dynamics, figures, draw, improvable, isChained } = environment;

  /** Throws SpecError where more are asked for than are drawn in a moment. */
  function trainingOf({ problems, dataSeed }: Sizes): readonly Task[] {
    if (problems > MOST)
      throw new SpecError(
        `problems = ${problems} in the environment ${dynamics.id}`,
        `Set problems to at most ${MOST}.`,
      );
    return draw('training', problems, dataSeed);
  }

  /** The splits in turns: every prefix has as many of each. */
  function evaluationOf({ evalProblems, finalEvalProblems, dataSeed }: Sizes): EvaluationTask<Task>[] {
    const count = Math.max(evalProblems, finalEvalProblems);
    const made = splits.map(({ id }) =>
      draw(id, Math.ceil(count / splits.length), dataSeed).map((task) => ({ task, unseen: id })),
    );
    return made[0].flatMap((_, i) => made.flatMap((split) => split.slice(i, i + 1))).slice(0, count);
  }

  function samplerOf(spec: RunSpec): TaskSampler<Task> {
    const tasks = trainingOf(spec);
    const kindOf = ({ kind }: Task) => kind;
    return improvable && spec.starts !== 'tasks'
      ? exitSampler(tasks, kindOf, improvable, spec)
      : epochSampler(tasks, kindOf);
  }

  return {
    part: (spec) => [
      spec.dataSeed,
      spec.problems,
      spec.evalProblems,
      spec.finalEvalProblems,
      ...(environment.rewardPart?.(spec) ?? []),
      ...(improvable ? EXIT_SETTINGS.map((name) => spec[name]) : []),
    ],
    prompts: (run) =>
      run
        ? [...trainingOf(run), ...evaluationOf(run).map(({ task }) => task)]
        : [...draw('training', SAMPLED), ...draw(splits[0].id, SAMPLED)],
    async *make(spec) {
      const evaluation = evaluationOf(spec);
      const documentOf = environment.documentOf?.(spec);
      return {
        dynamics,
        reward: environment.reward(spec),
        sampler: samplerOf(spec),
        labels: { id: ({ id }) => id, kind: ({ kind }) => kind },
        figures,
        ...(improvable && { improvable }),
        ...(isChained && { isChained }),
        ...(documentOf && { documentOf }),
        models: { get: () => undefined },
        teacherRows: () => [],
        pool: null,
        splits,
        evaluation: {
          during: evaluation.slice(0, spec.evalProblems),
          final: evaluation.slice(0, spec.finalEvalProblems),
        },
      };
    },
  } satisfies EnvironmentMaker<Task, State, Verdict>;
}
