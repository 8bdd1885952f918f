// An experiment's runs in parallel: processes of this same program, each of which opens its equipment once and trains one run after another
// on its share of the cores (children.ts, experiments/kinds/run/worker.ts). Two runs on a core each finish sooner than one after the other
// on both: while one is in single-threaded work (the update, grading's wait, the host), the other computes. Everything is kept in the one
// folder; only the parent lists its files.
import { availableParallelism, freemem } from 'node:os';
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { adapterOf } from '../../engine/adapter-layout.ts';
import type { Factors } from '../../engine/adapters/svd.ts';
import type { RunSpec } from '../../experiments/config/run-spec.ts';
import { type ExperimentSpec, resolveExperiment } from '../../experiments/config/spec.ts';
import { threadsOf, usefulWorkers } from '../../experiments/kinds/run/useful-workers.ts';
import { type Owner, openWorkers, servedCache, serveRuns } from '../../experiments/kinds/run/worker.ts';
import type { SharedCache } from '../../experiments/parallel/shared-cache.ts';
import { CHILD_ERRORS, serveParent, startChild } from '../children.ts';
import type { CommandContext } from '../command.ts';
import type { DeviceFlags } from '../device-flags.ts';
import type { GivenFiles } from '../files/given.node.ts';
import { RunDirectory } from '../run-directory.ts';
import type { Options } from './flags.ts';
import { openHost, openPorts, type RunHost } from './host.ts';
import { factorsOf } from './model.ts';
import type { Parent } from './parent.ts';

interface Opening {
  flags: Options;
  graderWorkers: number;
}

/** Number of the runs `left` to train at once. Throws SpecError for --jobs on a GPU, which they would share. */
export function workerCount({ jobs, threads }: Options, { device, model }: RunHost, left: readonly RunSpec[]): number {
  if (device.kind !== 'cpu') {
    if ((jobs ?? 1) > 1)
      throw new SpecError(
        `--jobs ${jobs}: runs on ${device.name} would wait for one another.`,
        'Leave it away, or add --device cpu.',
      );
    return 1;
  }
  if (jobs !== null) return Math.min(jobs, left.length);
  // A person's own model fills the memory that its plan was made with.
  if (!model.isEmbedded) return 1;
  return usefulWorkers(left, threads ?? availableParallelism(), freemem() / 2);
}

/** Processes that are ready to train. Throws the error of any that fails. */
export function openProcesses(
  count: number,
  flags: Options,
  { folder, device, model, layout }: RunHost,
  context: CommandContext,
  cache: SharedCache,
): ReturnType<typeof openWorkers> {
  const { progress, signal } = context;
  const machine = availableParallelism();
  const cores = flags.threads ?? machine;
  const threads = threadsOf(cores, count);
  // Children use the device found here, not the one that they would find for `auto`.
  const kind = { device: device.numerics, threads, mostThreads: cores };
  const options: Options & DeviceFlags = { ...flags, ...kind, out: folder.path, fresh: false, jobs: 1 };
  const opening: Opening = { flags: options, graderWorkers: Math.max(1, Math.floor(machine / count)) };
  progress.note(`${count} runs are trained in parallel, on ${threads} thread${threads === 1 ? '' : 's'} each.`);
  // Factors are made here while the processes start, each of which would make the same.
  const isFactored = model.isEmbedded && adapterOf(layout).adapter === 'svd';
  const made = isFactored ? factorsOf(model, device, context) : Promise.resolve(null);
  // A failure reaches the worker that waits for the factors.
  made.catch(() => {});
  const served = {
    ...servedCache(cache),
    folder: { on: folder.own, methods: ['claim'] },
    model: { on: { factors: () => made }, methods: ['factors'] },
  };
  const children = Array.from({ length: count }, () =>
    startChild(['run', '--worker'], 'Start the same command again.'),
  );
  return openWorkers(children, { opening, errors: CHILD_ERRORS, served, signal, cores });
}

/** The parent's folder: a child's writes are listed by the parent. */
class ParentsFolder extends RunDirectory {
  readonly #parents: Pick<RunDirectory, 'claim'>;

  constructor(path: string, owner: Owner) {
    super(path);
    this.#parents = owner.remote<Pick<RunDirectory, 'claim'>>('folder', ['claim']);
  }

  /** The parent holds the lock. */
  override async prepare(): Promise<void> {}

  override claim(...names: string[]): Promise<void> {
    return this.#parents.claim(...names);
  }
}

/** The child's side of openProcesses. */
export async function serveParentsRuns(
  context: CommandContext,
  asking: (flags: Options) => Promise<{ spec: ExperimentSpec; given: GivenFiles; parent: Parent | null }>,
): Promise<void> {
  const stop = new AbortController();
  const quiet = { update: () => {}, line: () => {}, note: () => {}, end: () => {} };
  const signal = AbortSignal.any([context.signal, stop.signal]);
  const own: CommandContext = { ...context, signal, progress: quiet };
  let close = async () => {};
  const open = async ({ flags, graderWorkers }: Opening, owner: Owner) => {
    const { spec, given, parent } = await asking(flags);
    const at = (path: string) => new ParentsFolder(path, owner);
    const host = { ...(await openHost(resolveExperiment(spec), flags, given, own, at)), parent };
    const { factors } = owner.remote<{ factors(): Promise<ReadonlyMap<string, Factors> | null> }>('model', ['factors']);
    const opened = await openPorts(flags, host, own, { graderWorkers, factored: factors });
    close = opened.close;
    return { spec, ports: opened.ports, limitThreads: (count: number) => host.device.limitThreads?.(count) };
  };
  await serveParent((port) => serveRuns(port, CHILD_ERRORS, open, stop), stop);
  await close();
}
