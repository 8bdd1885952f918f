// Makes environments whose problems are drawn by seed, without a teacher and without flaws: training in epochs balanced over kinds of task,
// evaluation alternating between the held-out splits. The environment itself defines problems, interaction and judging.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import type { DrawnEnvironment, DrawnTask } from '../../environments/drawn.ts';
import { epochSampler } from '../../environments/epochs.ts';
import type { SplitInfo } from '../../environments/metric-info.ts';
import type { TaskSampler } from '../../environments/types.ts';
import type { RunSpec } from '../config/run-spec.ts';
import type { EvaluationTask } from '../step/environment.ts';
import type { EnvironmentMaker } from './definition.ts';

/** Most training problems: more exist, but drawing them takes too long. */
const MOST = 4096;
/** Number of prompts drawn from training and from the first split, to plan memory without a run. */
const SAMPLED = 48;

/** Settings that decide an ExIt sampler. */
export const EXIT_SETTINGS = [
  ...(['starts', 'startShare', 'divergeShare', 'bufferSize', 'bufferMin', 'kappa', 'prefix', 'child'] as const),
] as const;

type Sizes = Pick<RunSpec, 'dataSeed' | 'problems' | 'evalProblems' | 'finalEvalProblems'>;

/** `splits`: the parts of its evaluation set, as its presentation names them. */
export function drawnMaker<Task extends DrawnTask, State, Verdict>(
  environment: DrawnEnvironment<Task, State, Verdict, RunSpec>,
  splits: readonly SplitInfo[],
) {
  const { dynamics, figures, draw, improvable, isChained } = environment;

  /** Throws SpecError if more are requested than can be drawn quickly. */
  function trainingOf({ problems, dataSeed }: Sizes): readonly Task[] {
    if (problems > MOST)
      throw new SpecError(
        `problems = ${problems} in the environment ${dynamics.id}`,
        `Set problems to at most ${MOST}.`,
      );
    return draw('training', problems, dataSeed);
  }

  /** Alternates the splits, so that every prefix is balanced. */
  function evaluationOf({ evalProblems, finalEvalProblems, dataSeed }: Sizes): EvaluationTask<Task>[] {
    const count = Math.max(evalProblems, finalEvalProblems);
    const made = splits.map(({ id }) =>
      draw(id, Math.ceil(count / splits.length), dataSeed).map((task) => ({ task, unseen: id })),
    );
    return made[0].flatMap((_, i) => made.flatMap((split) => split.slice(i, i + 1))).slice(0, count);
  }

  async function samplerOf(spec: RunSpec): Promise<TaskSampler<Task>> {
    const tasks = trainingOf(spec);
    const kindOf = ({ kind }: Task) => kind;
    if (!improvable || spec.starts === 'tasks') return epochSampler(tasks, kindOf);
    const { exitSampler } = await import('../../environments/exit/sampler.ts');
    return exitSampler(tasks, kindOf, improvable, spec);
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
        sampler: await samplerOf(spec),
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
