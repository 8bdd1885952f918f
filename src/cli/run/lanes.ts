// An experiment's runs side by side: processes of this same program, each of which opens what it needs once and trains one run after
// another on its share of the cores (children.ts, experiments/kinds/run/aside.ts). Two runs on a core each are done sooner than one
// after the other on both: what does not thread (the update, grading's wait, the host) is done by the other meanwhile. Everything is
// kept in the one folder; only the parent writes down what lies there.
import { availableParallelism, freemem } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import { type Lane, worthLanes } from '../../experiments/kinds/run/aside.ts';
import { helpWith, openShared, runOne } from '../../experiments/kinds/run/experiment.ts';
import { runIdOf } from '../../experiments/kinds/run/run-id.ts';
import type { Commons, CommonWork, EvaluationJob } from '../../experiments/lanes/commons.ts';
import type { Measured } from '../../experiments/loop/evaluate.ts';
import type { LabEvent } from '../../experiments/records/events.ts';
import { type ExperimentSpec, type RunSpec, resolveRuns } from '../../experiments/spec/spec.ts';
import type { Device } from '../../kernels/device.ts';
import { SpecError, StoppedError } from '../../lib/errors.ts';
import { Child, serveAsChild } from '../children.ts';
import type { CommandContext } from '../command.ts';
import type { DeviceFlags } from '../device-flags.ts';
import { OwnFolder } from '../own-folder.ts';
import type { Given, Options } from './flags.ts';
import { EXPERIMENT, openHost, openPorts, type RunHost } from './host.ts';

type Request =
  | { kind: 'open'; flags: Options; graderWorkers: number }
  | { kind: 'run'; runId: string }
  | { kind: 'help'; job: EvaluationJob };
type Note =
  | { kind: 'event'; event: LabEvent }
  | { kind: 'claim'; names: string[] }
  | { kind: 'common'; id: number; ask: keyof CommonWork; args: unknown[] }
  | { kind: 'measured'; measured: Measured };
/** What a lane is told in the midst of its work. */
type News = { threads: number } | { id: number; answer: unknown } | { id: number; failed: string };

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
  commons: Commons,
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
  const toLane = (child: Child<Request, Note>): Lane => {
    const tell = (news: News) => child.tell(news);
    const answer = ({ id, ask, args }: Extract<Note, { kind: 'common' }>) =>
      (commons[ask] as (...args: unknown[]) => Promise<unknown>)(...args).then(
        (answer) => tell({ id, answer }),
        (error: Error) => tell({ id, failed: error.message }),
      );
    const work = async (request: Request, onNote: (note: Note) => void) => {
      const claims: Promise<void>[] = [];
      await child.ask(request, (note) => {
        if (note.kind === 'claim') claims.push(folder.own.claim(...note.names));
        else if (note.kind === 'common') void answer(note);
        else onNote(note);
      });
      await Promise.all(claims);
    };
    return {
      run: (runId, onEvent) => work({ kind: 'run', runId }, (note) => note.kind === 'event' && onEvent(note.event)),
      async help(job) {
        let measured: Measured | null = null;
        await work({ kind: 'help', job }, (note) => {
          if (note.kind === 'measured') measured = note.measured;
        });
        return measured;
      },
      stop: () => child.stop(),
      share: (atWork) => tell({ threads: shareOf(atWork) }),
    };
  };
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

/** The parent's commons, as a child sees them. A stop ends the waiting. */
class ToldCommons implements CommonWork {
  readonly #waiting = new Map<number, { resolve(answer: unknown): void; reject(error: Error): void }>();
  readonly #tell: (note: Note) => void;
  #asked = 0;

  constructor(tell: (note: Note) => void, signal: AbortSignal) {
    this.#tell = tell;
    signal.addEventListener('abort', () => {
      for (const { reject } of this.#waiting.values()) reject(new StoppedError());
      this.#waiting.clear();
    });
  }

  next: CommonWork['next'] = (keys) => this.#ask('next', keys);
  keep: CommonWork['keep'] = (key, value) => this.#ask('keep', key, value);
  offer: CommonWork['offer'] = (offers) => this.#ask('offer', offers);

  hear(news: Exclude<News, { threads: number }>): void {
    const asked = this.#waiting.get(news.id);
    this.#waiting.delete(news.id);
    if ('failed' in news) asked?.reject(new StoppedError(news.failed));
    else asked?.resolve(news.answer);
  }

  #ask<T>(ask: keyof CommonWork, ...args: unknown[]): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const id = this.#asked++;
      this.#waiting.set(id, { resolve: (answer) => resolve(answer as T), reject });
      this.#tell({ kind: 'common', id, ask, args });
    });
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
  let help: ((job: EvaluationJob) => Promise<Measured>) | null = null;
  const common = new ToldCommons((note) => tell(note), signal);
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
    const ports = { ...opened.ports, common };
    const shared = openShared(spec, ports);
    help = (job) => helpWith(job, ports, shared);
    train = async (runId) => {
      const run = shared.runs.find(({ id }) => id === runId);
      if (!run) throw new SpecError(`The experiment has no run ${runId}.`, 'Start the same command again.');
      for await (const event of runOne(run.spec, ports, shared)) {
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
      else if (request.kind === 'run') await train?.(request.runId);
      else note({ kind: 'measured', measured: await help!(request.job) });
    },
    stop,
    (told) => {
      const news = told as News;
      if ('threads' in news) device?.limitThreads?.(news.threads);
      else common.hear(news);
    },
  );
  await close();
}
