// Replies of A and a character near it to one prompt, before the demo's runs and after each of them.
import { castIn } from '../../environments/characters/data.ts';
import { rolesOf } from '../../environments/characters/task.ts';
import { targetOf } from '../../environments/characters/texts.ts';
import { BEFORE, repliesOf, type ShownReplies, shownTasks } from '../../experiments/characters/replies.ts';
import { resolveRuns } from '../../experiments/config/spec.ts';
import type { ExperimentResult } from '../../experiments/records/events.ts';
import { openModelText } from '../../storage/model-text.ts';
import type { CommandContext } from '../command.ts';
import { adapterParamsOf, checkpointOf } from '../files/checkpoint.node.ts';
import { openEngine } from '../model/engine.ts';
import { loadEmbeddedModel } from '../ports.node.ts';

/** @param folder where the demo's runs are kept */
export async function demoReplies(
  folder: string,
  { spec, runs }: Pick<ExperimentResult, 'spec' | 'runs'>,
  threads: number | null,
  context: CommandContext,
): Promise<ShownReplies> {
  const [{ adapter, loraRank, model, environment, character, teaches, seed }] = resolveRuns(spec);
  const world = castIn(environment);
  const target = targetOf(world, teaches);
  const tasks = shownTasks(world, rolesOf(world, target, character), target);
  const files = await loadEmbeddedModel(context.root, model);
  const { codec } = await openModelText(files, model);
  const flags = { device: 'cpu' as const, threads, isPlain: true };
  const { engine: policy, free } = await openEngine(files, flags, context, { adapter: { adapter, loraRank } });
  try {
    const replies: Record<string, string[][]>[] = tasks.map(() => ({}));
    for (const run of [null, ...runs]) {
      const trained =
        run &&
        adapterParamsOf(
          await checkpointOf(folder, `${run.spec.arm}-${run.spec.seed}`),
          'trained',
          policy.adapterLayout.total,
        );
      policy.setAdapterParams(trained ?? policy.initialAdapterParams);
      for (const [i, own] of tasks.entries())
        replies[i][run?.spec.arm ?? BEFORE] = await repliesOf({ policy, codec }, own, seed);
    }
    const speakers = tasks.map((own, i) => ({
      name: own[0].name!,
      group: own[0].kind,
      prompts: own.map(({ prompt, wanted }) => ({ prompt, wanted })),
      said: replies[i],
    }));
    return { schema: 1, spec, seed, speakers };
  } finally {
    free();
  }
}
