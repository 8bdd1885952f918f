// The chains of a run's evaluation. Loaded when an environment has answers to revise, so that the worker's first load has none of it.
import type { Policy } from '../../engine/types.ts';
import { KS } from '../../environments/exit/steps.ts';
import type { PromptCodec } from '../../text/types.ts';
import type { Figures } from '../records/figures.ts';
import type { EvaluationTask, TrainingEnvironment } from '../step/environment.ts';
import { improve } from './chains.ts';
import { chainFiguresOf } from './figures.ts';

/** At temperature 1, with the adapter parameters that the policy has, as many revisions as the lab tells of. */
export async function revisedFigures<Task, State, Verdict>(
  {
    policy,
    codec,
    environment,
  }: { policy: Policy; codec: PromptCodec; environment: TrainingEnvironment<Task, State, Verdict> },
  set: readonly EvaluationTask<Task>[],
  { dataSeed, maxNew, signal }: { dataSeed: number; maxNew: number; signal?: AbortSignal },
): Promise<Figures> {
  const settings = { steps: Math.max(...KS), seed: dataSeed, temperature: 1, maxNew, signal };
  const tasks = set.map(({ task }) => task);
  return chainFiguresOf(await improve({ policy, codec }, environment, tasks, settings));
}
