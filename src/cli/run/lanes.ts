// An experiment's runs side by side: processes of this same program, each of which opens what it needs once and trains one run after
// another on its share of the cores (children.ts, experiments/kinds/run/aside.ts). Two runs on a core each are done sooner than one
// after the other on both: what does not thread (the update, grading's wait, the host) is done by the other meanwhile. Everything is
// kept in the one folder; only the parent writes down what lies there.
import { availableParallelism, freemem } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import { type Lane, worthLanes } from '../../experiments/kinds/run/aside.ts';
import { openShared, runOne } from '../../experiments/kinds/run/experiment.ts';
import { runIdOf } from '../../experiments/kinds/run/run-id.ts';
import type { LabEvent } from '../../experiments/records/events.ts';
import { type ExperimentSpec, type RunSpec, resolveRuns } from '../../experiments/spec/spec.ts';
import type { Device } from '../../kernels/device.ts';
import { SpecError } from '../../lib/errors.ts';
import { Child, serveAsChild } from '../children.ts';
import type { CommandContext } from '../command.ts';
import type { DeviceFlags } from '../device-flags.ts';
import { OwnFolder } from '../own-folder.ts';
import type { Given, Options } from './flags.ts';
import { EXPERIMENT, openHost, openPorts, type RunHost } from './host.ts';

type Request = { kind: 'open'; flags: Options; graderWorkers: number } | { kind: 'run'; runId: string };
type Note = { kind: 'event'; event: LabEvent } | { kind: 'claim'; names: string[] };

/** How many runs to train at once. Throws SpecError for --jobs on a GPU, which they would share. */
export async function laneCount(
  spec: ExperimentSpec,
  { jobs, threads }: Options,
  { device, model, finishedRun }: RunHost,
): Promise<number> {
  if (device.kind !== 'cpu') {
    if ((jobs ?? 1) > 1)
      throw new SpecError(
        `--jobs ${jobs}: runs on ${device.name} would wait for one another.`,
        'Leave it away, or add --device cpu.',
      );
    return 1;
  }
  const left: RunSpec[] = [];
  for (const run of resolveRuns(spec)) {
    const finished = await finishedRun(runIdOf(EXPERIMENT, run));
    if (finished?.status !== 'done') left.push(run);
  }
  if (jobs !== null) return Math.min(jobs, left.length);
  // A model of one's own fills the memory that its plan was made with.
  if (!model.isEmbedded) return 1;
  return worthLanes(left, threads ?? availableParallelism(), freemem() / 2);
}

/** Processes that are ready to train. Throws what any of them fails with. */
export async function openLanes(
  count: number,
  flags: Options,
  { folder }: RunHost,
  { progress, signal }: CommandContext,
): Promise<{ lanes: Lane[]; close(): Promise<void> }> {
  const cores = availableParallelism();
  const all = flags.threads ?? cores;
  const shareOf = (atWork: number) => Math.max(1, Math.floor(all / atWork));
  const threads = shareOf(count);
  const asked: Options & DeviceFlags = { ...flags, threads, mostThreads: all, out: folder.path, fresh: false, jobs: 1 };
  const graderWorkers = Math.max(1, Math.floor(cores / count));
  progress.note(`${count} runs are trained side by side, on ${threads} thread${threads === 1 ? '' : 's'} each.`);
  const children: Child<Request, Note>[] = [];
  const close = async () => void (await Promise.all(children.map((child) => child.close())));
  const toLane = (child: Child<Request, Note>): Lane => ({
    async run(runId, onEvent) {
      const claims: Promise<void>[] = [];
      await child.ask({ kind: 'run', runId }, (note) => {
        if (note.kind === 'event') onEvent(note.event);
        else claims.push(folder.own.claim(...note.names));
      });
      await Promise.all(claims);
    },
    stop: () => child.stop(),
    share: (atWork) => child.tell({ threads: shareOf(atWork) }),
  });
  try {
    const opened = Array.from({ length: count }, async () => {
      const child = await Child.start<Request, Note>(['run', '--lane'], signal, 'Start the same command again.');
      children.push(child);
      await child.ask({ kind: 'open', flags: asked, graderWorkers }, () => {});
    });
    const failed = (await Promise.allSettled(opened)).find((end) => end.status === 'rejected');
    if (failed) throw failed.reason;
    return { lanes: children.map(toLane), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The folder of another process, which is told what is written there. */
class ToldFolder extends OwnFolder {
  readonly #tell: (names: string[]) => void;

  constructor(path: string, tell: (names: string[]) => void) {
    super(path);
    this.#tell = tell;
  }

  override async prepare(): Promise<void> {}

  override async claim(...names: string[]): Promise<void> {
    this.#tell(names);
  }
}

/** The child's side of openLanes. */
export async function serveLane(
  context: CommandContext,
  asking: (flags: Options) => Promise<{ spec: ExperimentSpec; given: Given }>,
): Promise<void> {
  const stop = new AbortController();
  const signal = AbortSignal.any([context.signal, stop.signal]);
  const quiet = { update: () => {}, line: () => {}, note: () => {}, end: () => {} };
  const own: CommandContext = { ...context, signal, progress: quiet };
  /** Set while a run is asked for. */
  let tell: (note: Note) => void = () => {};
  let train: ((runId: string) => Promise<void>) | null = null;
  let close = async () => {};
  let device: Device | null = null;
  const open = async ({ flags, graderWorkers }: Extract<Request, { kind: 'open' }>) => {
    const { spec, given } = await asking(flags);
    const host = await openHost(spec, flags, given, own, (path) => {
      return new ToldFolder(path, (names) => tell({ kind: 'claim', names }));
    });
    const opened = await openPorts(spec, flags, given, host, own, graderWorkers);
    device = host.device;
    close = opened.close;
    const shared = openShared(spec, opened.ports);
    train = async (runId) => {
      const run = shared.runs.find(({ id }) => id === runId);
      if (!run) throw new SpecError(`The experiment has no run ${runId}.`, 'Start the same command again.');
      for await (const event of runOne(run.spec, opened.ports, shared)) {
        // The CPU device never waits: without this, a stop would not be heard.
        await setImmediate();
        tell({ kind: 'event', event });
      }
    };
  };
  await serveAsChild<Request, Note>(
    async (request, note) => {
      tell = note;
      if (request.kind === 'open') await open(request);
      else await train?.(request.runId);
    },
    stop,
    (news) => device?.limitThreads?.((news as { threads: number }).threads),
  );
  await close();
}
