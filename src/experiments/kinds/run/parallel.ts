// An experiment whose runs are trained in parallel, each by a worker (a process, a web worker) that takes one run after another. A run does
// not depend on where it is trained, so the result is runExperiment's, to the byte; events of several runs come interleaved, each naming
// its run. worker.ts has the workers' two sides.
import { StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { runIdOf } from '../../config/run-spec.ts';
import { type ExperimentSpec, type RunSpec, resolveRuns } from '../../config/spec.ts';
import { drain, TaskQueue, workThrough } from '../../parallel/drain.ts';
import { type EvaluationJob, SharedCache } from '../../parallel/shared-cache.ts';
import type { ExperimentResult, LabEvent, RunRecord } from '../../records/events.ts';
import { type ExperimentPorts, resultOf } from './experiment.ts';
import { takesStepsOf } from './matched.ts';

/** Trains runs of one experiment, one at a time. */
export interface RunWorker {
  /** The run's events, the last of them `run-end`; throws as runExperiment. `waited`: milliseconds that it has been paused. */
  stream(runId: string, waited?: () => number): AsyncGenerator<LabEvent, void>;
  /** Computes here a job offered by another worker (loop/final-evaluation.ts: Measured). */
  evaluate(job: EvaluationJob): Promise<unknown>;
  /** Ends its work at the next place from which it can go on. */
  stop(): void;
  /** Called when the number of workers at work has changed: so many share the cores. */
  share?(atWork: number): void;
}

/** Runs of the plan before this one whose steps its basis is matched to. */
export function needsOf(run: RunSpec, planned: readonly RunSpec[]): RunSpec[] {
  if (run.basisSource !== 'random_matched') return [];
  return planned.slice(0, planned.indexOf(run)).filter((other) => takesStepsOf(run, other));
}

/** The runs to train, and the cache that their workers share. */
interface ParallelRuns {
  planned: readonly { id: string; spec: RunSpec }[];
  /** Runs that are done, or not to be waited for. */
  over: Iterable<string>;
  cache: SharedCache;
  /** Called with the number of workers now at work. */
  onShare?(atWork: number): void;
}

/**
 * Every worker trains one run after another, as soon as each may begin, and takes offered jobs when no run is left. Resolves when nothing
 * is left at all. The first that fails ends the others; its failure is thrown. Aborting `signal` hands out no more and stops them.
 */
export async function drainRuns<W extends Pick<RunWorker, 'evaluate' | 'stop' | 'share'>>(
  workers: readonly W[],
  { planned, over, cache, onShare }: ParallelRuns,
  train: (worker: W, runId: string) => Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  const ended = new Set(over);
  const specs = planned.map(({ spec }) => spec);
  const idOf = new Map(planned.map(({ id, spec }) => [spec, id]));
  const tasks = planned
    .filter(({ id }) => !ended.has(id))
    .map(({ id, spec }) => ({ id, needs: needsOf(spec, specs).map((needed) => idOf.get(needed)!) }));
  const queue = new TaskQueue(tasks, (waiting) => waiting.find(({ needs }) => needs.every((id) => ended.has(id))));
  const atWork = new Set(workers);
  let training = workers.length;
  const tellShare = () => {
    if (atWork.size > 0) onShare?.(atWork.size);
    for (const worker of atWork) worker.share?.(atWork.size);
  };
  const rest = (worker: W) => {
    atWork.delete(worker);
    tellShare();
  };
  const end = () => {
    queue.close();
    cache.close(new StoppedError());
    for (const worker of workers) worker.stop();
  };
  const serve = async (worker: W): Promise<void> => {
    await workThrough(queue, async ({ id }) => {
      await train(worker, id);
      ended.add(id);
    });
    training--;
    // Only workers that train offer jobs.
    if (training === 0) cache.close(null);
    rest(worker);
    for (let offer = await cache.take(); offer; offer = await cache.take()) {
      atWork.add(worker);
      tellShare();
      await cache.keep(offer.key, await worker.evaluate(offer.job));
      rest(worker);
    }
  };
  signal?.addEventListener('abort', end, { once: true });
  try {
    await drain(workers, serve, (worker) => {
      end();
      rest(worker);
    });
  } finally {
    signal?.removeEventListener('abort', end);
  }
}

/** Yields as runExperiment. The first run that fails or is stopped ends the others too; their finished work is kept. */
export async function* runParallel(
  spec: ExperimentSpec,
  ports: Pick<ExperimentPorts, 'experimentId' | 'finishedRun'>,
  workers: readonly RunWorker[],
  cache = new SharedCache(),
): AsyncGenerator<LabEvent, ExperimentResult> {
  const planned = resolveRuns(spec).map((run) => ({ id: runIdOf(ports.experimentId, run), spec: run }));
  const records = new Map<string, RunRecord>();
  for (const { id } of planned) {
    const record = await ports.finishedRun?.(id);
    if (record?.status === 'done') records.set(id, record);
  }
  const events: LabEvent[] = [];
  let wake = () => {};
  let isOver = false;
  const left = new AbortController();
  const train = async (worker: RunWorker, id: string) => {
    for await (const event of worker.stream(id)) {
      if (event.type === 'run-end' && event.run.status === 'done') records.set(event.run.id, event.run);
      events.push(event);
      wake();
    }
  };
  const work = drainRuns(workers, { planned, over: records.keys(), cache }, train, left.signal);
  const over = () => {
    isOver = true;
    wake();
  };
  work.then(over, over);
  try {
    while (!isOver || events.length > 0) {
      const event = events.shift();
      if (event) yield event;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  } finally {
    // The caller listens no more.
    if (!isOver) left.abort();
  }
  await work;
  const result = resultOf(
    spec,
    planned.map(({ id }) => records.get(id) as RunRecord),
  );
  yield { type: 'result', result };
  return result;
}
