// The chains of a run's evaluation. Loaded only for environments with revisions, so that the worker's first load does not include it.
import type { Policy } from '../../engine/types.ts';
import { KS } from '../../environments/exit/types.ts';
import type { PromptCodec } from '../../text/codec.ts';
import type { Metrics } from '../records/metrics.ts';
import type { EvaluationTask, TrainingEnvironment } from '../step/environment.ts';
import { type ChainSettings, improve } from './chains.ts';
import { chainMetricsOf } from './metrics.ts';

/** Evaluates as many revisions as the lab reports, at temperature 1, with the policy's current adapter parameters. */
export async function revisedMetrics<Task, State, Verdict>(
  {
    policy,
    codec,
    environment,
  }: { policy: Policy; codec: PromptCodec; environment: TrainingEnvironment<Task, State, Verdict> },
  set: readonly EvaluationTask<Task>[],
  { dataSeed, maxNew, kvCache, signal }: Pick<ChainSettings, 'maxNew' | 'kvCache' | 'signal'> & { dataSeed: number },
): Promise<Metrics> {
  const settings = { steps: Math.max(...KS), seed: dataSeed, temperature: 1, maxNew, kvCache, signal };
  const tasks = set.map(({ task }) => task);
  return chainMetricsOf(await improve({ policy, codec }, environment, tasks, settings));
}
