// A worker that trains runs of one experiment for another thread or process: both sides of one port. The owner pulls events one by one, so that
// pauses, full stores and stops act as on a run of the owner itself: no part of the next step is computed before the last one is stored. A worker
// calls the owner's stores, grader and shared cache over the port. Creating the port and opening the model is left to the caller: a web worker
// (lab/work), a process (cli).
import { SpecError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { setOwn } from '@projected-grpo-lab/base/own.ts';
import { type ErrorForms, openRpc, type Rpc, type RpcPort } from '../../../lib/rpc.ts';
import type { ExperimentSpec } from '../../config/spec.ts';
import type { EvaluationJob, SharedWork } from '../../parallel/shared-cache.ts';
import type { LabEvent } from '../../records/events.ts';
import type { ExperimentPorts } from './experiment.ts';
import { ownWorker, type RunWorker } from './parallel.ts';
import { threadsOf } from './useful-workers.ts';

/** Methods of the owner that a worker may call, by object name. */
interface ServedObjects {
  readonly [name: string]: { readonly on: object; readonly methods: readonly string[] };
}

/** The shared cache, which every owner serves. */
export function servedCache(cache: SharedWork): ServedObjects {
  return { common: { on: cache, methods: SHARED_METHODS } };
}
const SHARED_METHODS = ['next', 'keep', 'offer'] as const satisfies readonly (keyof SharedWork)[];

/** A started thread or process, at whose other end serveRuns runs. */
export interface Started {
  port: RpcPort;
  /** Resolves when it accepts calls; absent if it does from the start. */
  ready?: Promise<void>;
  /** Called once if it ends by itself. */
  onEnd(ended: (error: Error) => void): void;
  close(): unknown;
}

interface OwnerPorts<Opening> {
  opening: Opening;
  errors: ErrorForms;
  served: ServedObjects;
  signal: AbortSignal;
  /** Number of cores that all workers share. */
  cores: number;
}

/** The owner's side: opens workers. If one fails, all are closed and its error is thrown. */
export async function openWorkers<Opening>(
  started: readonly Started[],
  ports: OwnerPorts<Opening>,
): Promise<{ workers: RunWorker[]; close(): Promise<void> }> {
  const closed = new AbortController();
  const close = async () => {
    closed.abort();
    await Promise.all(started.map((each) => each.close()));
  };
  try {
    return { workers: await Promise.all(started.map((each) => opened(each, ports, closed.signal))), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function opened<Opening>(
  { port, ready, onEnd }: Started,
  { opening, errors, served, signal, cores }: OwnerPorts<Opening>,
  closed: AbortSignal,
): Promise<RunWorker> {
  const methods: Record<string, (...args: never[]) => unknown> = {};
  for (const [name, { on, methods: names }] of Object.entries(served))
    for (const method of names)
      setOwn(methods, `${name}.${method}`, (...args: never[]) => {
        const own = on as Record<string, ((...args: never[]) => unknown) | undefined>;
        return own[method]?.(...args) ?? null;
      });
  const rpc = openRpc<RunCalls<Opening>>(port, methods, errors);
  onEnd((error) => rpc.fail(error));
  const stop = () => rpc.tell('stop');
  signal.addEventListener('abort', stop, { once: true, signal: closed });
  await ready;
  // A stop before this point would not have been sent.
  if (signal.aborted) throw new StoppedError();
  await rpc.call('open', opening);
  return {
    async *stream(runId, waited = () => 0) {
      await rpc.call('begin', runId);
      try {
        for (;;) {
          const next = await rpc.call('next', waited());
          if ('done' in next) return;
          yield next.event;
        }
      } finally {
        await rpc.call('end').catch(() => {});
      }
    },
    evaluate: (job) => rpc.call('evaluate', job),
    stop,
    share: (atWork) => rpc.tell('limitThreads', threadsOf(cores, atWork)),
  };
}

/** One event, or the run's end. */
type Next = { event: LabEvent } | { done: true };

/** The owner as seen by its worker. */
export interface Owner {
  /** Aborted when the owner stops or is gone. */
  signal: AbortSignal;
  /** The owner's object with that name; each method is a remote call. */
  remote<T extends object>(name: string, methods: readonly (keyof T & string)[]): T;
  /** Milliseconds for which the run has been paused, by the owner's clock. */
  waited(): number;
}

interface Opened {
  spec: ExperimentSpec;
  /** `common` and `signal` come from the owner. */
  ports: Omit<ExperimentPorts, 'common' | 'signal'>;
  limitThreads(count: number): void;
}

/** The worker's side of the port. */
export function serveRuns<Opening>(
  port: RpcPort,
  errors: ErrorForms,
  open: (opening: Opening, owner: Owner) => Promise<Opened>,
  stop = new AbortController(),
): Rpc {
  const remote = <T extends object>(name: string, methods: readonly (keyof T & string)[]): T =>
    Object.fromEntries(
      methods.map((method) => [method, (...args: unknown[]) => rpc.call(`${name}.${method}`, ...args)]),
    ) as T;
  const rpc: Rpc = openRpc(port, runCalls(open, remote, stop), errors);
  return rpc;
}

type RunCalls<Opening> = ReturnType<typeof runCalls<Opening>>;

/** Methods that the owner calls. */
function runCalls<Opening>(
  open: (opening: Opening, owner: Owner) => Promise<Opened>,
  remote: Owner['remote'],
  stop: AbortController,
) {
  let own: { worker: RunWorker; limitThreads(count: number): void } | null = null;
  let stream: AsyncGenerator<LabEvent> | null = null;
  let waited = 0;
  const worker = () => {
    if (!own) throw new SpecError('The worker has opened no experiment.', 'Start the experiment again.');
    return own.worker;
  };
  return {
    async open(opening: Opening): Promise<void> {
      const { spec, ports, limitThreads } = await open(opening, { signal: stop.signal, remote, waited: () => waited });
      const all = { ...ports, common: remote<SharedWork>('common', SHARED_METHODS), signal: stop.signal };
      own = { worker: ownWorker(spec, all), limitThreads };
    },
    begin(runId: string): void {
      stream = worker().stream(runId);
    },
    async next(paused: number): Promise<Next> {
      waited = paused;
      if (!stream) throw new SpecError('No run has begun.', 'Start the experiment again.');
      const next = await stream.next();
      return next.done ? { done: true } : { event: next.value };
    },
    async end(): Promise<void> {
      await stream?.return(undefined);
      stream = null;
    },
    evaluate: (job: EvaluationJob): Promise<unknown> => worker().evaluate(job),
    limitThreads: (count: number): void => own?.limitThreads(count),
    stop: (): void => stop.abort(new StoppedError()),
  };
}
