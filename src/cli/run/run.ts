// `run`: trains arms × seeds headless and ends with one table. Stopped by Ctrl-C, the same command goes on from the last
// checkpoints to the same bytes.
import { resolve } from 'node:path';
import { refuseFile } from '@projected-grpo-lab/base/files/new-file.node.ts';
import { headlineOf } from '../../experiments/analysis/headline.ts';
import { idleSettings } from '../../experiments/config/effect.ts';
import { runIdOf } from '../../experiments/config/run-spec.ts';
import { type ExperimentSpec, type Resolved, resolveExperiment } from '../../experiments/config/spec.ts';
import { headlinesOf } from '../../experiments/environments/registry.ts';
import { resultOf } from '../../experiments/kinds/run/experiment.ts';
import { drainRuns, ownWorker } from '../../experiments/kinds/run/parallel.ts';
import { SharedCache } from '../../experiments/parallel/shared-cache.ts';
import type { ExperimentResult, RunRecord } from '../../experiments/records/events.ts';
import { newExperimentState } from '../../experiments/records/experiment-state.ts';
import { APP_VERSION } from '../../lab/protocol/version.ts';
import { drained } from '../../lib/drained.ts';
import { codeCommit } from '../code-commit.ts';
import { type CommandContext, command, EXIT } from '../command.ts';
import type { GivenFiles } from '../files/given.node.ts';
import { describeMachine, writeWhole } from '../ports.node.ts';
import { beginAnew } from '../run-directory.ts';
import { type Options, requestedExperiment, usage } from './flags.ts';
import { follow } from './follow.ts';
import { renderForks } from './fork-table.ts';
import { EXPERIMENT, openHost, openPorts, type RunHost } from './host.ts';
import type { Parent } from './parent.ts';
import { renderResult } from './result-table.ts';
import { measuresMarkdown, measuresText, settingsMarkdown, settingsText } from './settings.ts';
import { openProcesses, serveParentsRuns, workerCount } from './workers.ts';

export const run = command(usage, async ({ flags }, context) => {
  if (flags.settings) {
    context.out(flags.markdown ? settingsMarkdown() : settingsText());
    return EXIT.ok;
  }
  if (flags.measures) {
    context.out(flags.markdown ? measuresMarkdown() : measuresText());
    return EXIT.ok;
  }
  if (flags.worker) {
    await serveParentsRuns(context, (options) => requestedExperiment(options, context));
    return EXIT.ok;
  }
  const { spec, given, parent } = await requestedExperiment(flags, context);
  const file = flags.json === null || flags.json === '-' ? null : resolve(flags.json);
  const isOwn = (found: Buffer) => isResultOf(spec, found);
  if (file !== null && (await refuseFile(file, '--json', isOwn)))
    context.progress.note(`${file} has an earlier result of this experiment, which this one will replace.`);
  const resolved = resolveExperiment(spec);
  for (const sentence of idleSettings(spec.overrides, resolved.runs)) context.progress.note(sentence);
  const result = await train(resolved, flags, given, parent, context);
  const commit = await codeCommit(context.root);
  const made = { app: APP_VERSION, machine: describeMachine(), ...(commit === null ? {} : { commit }) };
  const record = { schema: 1, ...made, ...result };
  if (flags.json === '-') context.out(JSON.stringify(record));
  else {
    const { environment } = result.runs[0].spec;
    const headlines = headlinesOf(environment);
    const headline = headlineOf(result, environment, parent?.record ?? null);
    context.out([renderResult(result, headlines), ...(headline === null ? [] : ['', headline])].join('\n'));
    if (parent) context.out(renderForks(parent.record, result.runs, headlines));
  }
  // The file is written after the table: where another process has made it meanwhile, the results are at least printed.
  if (file !== null) {
    await refuseFile(file, '--json', isOwn);
    await writeWhole(file, `${JSON.stringify(record)}\n`);
  }
  return EXIT.ok;
});

/** Whether a file is the same experiment's output of --json: an earlier result differs from the next by its clock alone. */
function isResultOf(spec: ExperimentSpec, found: Buffer): boolean {
  try {
    const kept = JSON.parse(found.toString('utf8')) as { schema?: unknown; spec?: unknown };
    return kept.schema === 1 && JSON.stringify(kept.spec) === JSON.stringify(spec);
  } catch {
    return false;
  }
}

async function train(
  resolved: Resolved,
  flags: Options,
  given: GivenFiles,
  parent: Parent | null,
  context: CommandContext,
): Promise<ExperimentResult> {
  const host = { ...(await openHost(resolved, flags, given, context)), parent };
  try {
    return await trainIn(resolved.spec, flags, host, context);
  } finally {
    await host.folder.own.close();
  }
}

async function trainIn(
  spec: ExperimentSpec,
  flags: Options,
  host: RunHost,
  context: CommandContext,
): Promise<ExperimentResult> {
  const { folder } = host;
  if (flags.fresh) await beginAnew(folder.own, flags.yes, context);
  const planned = host.runs.map((run) => ({ id: runIdOf(EXPERIMENT, run), spec: run }));
  const kept: RunRecord[] = [];
  for (const { id } of planned) {
    const run = await host.finishedRun(id);
    if (run?.status === 'done') kept.push(run);
  }
  const over = new Set(kept.map(({ id }) => id));
  const left = host.runs.filter((_, i) => !over.has(planned[i].id));
  const state = newExperimentState(host.runs, kept);
  const count = workerCount(flags, host, left);
  const cache = new SharedCache();
  const { workers, close } =
    count > 1 ? await openProcesses(count, flags, host, context, cache) : await openOwn(spec, flags, host, context);
  try {
    const result = await follow(state, folder, context, async (see) => {
      await drainRuns(workers, { planned, over, cache }, (worker, id) => drained(worker.stream(id), see));
      const result = resultOf(spec, state.runs);
      await see({ type: 'result', result });
      return result;
    });
    if (flags.out === null) await folder.remove();
    return result;
  } finally {
    await close();
  }
}

/** A worker in this process. */
async function openOwn(spec: ExperimentSpec, flags: Options, host: RunHost, context: CommandContext) {
  const { ports, close } = await openPorts(flags, host, context);
  return { workers: [ownWorker(spec, ports)], close };
}
