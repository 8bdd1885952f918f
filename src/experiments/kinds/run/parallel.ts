// An experiment whose runs are trained by workers (this thread, processes, web workers), each of which takes one run after another. A run does not
// depend on where it is trained, so the result equals runExperiment's, to the byte; events of several runs are interleaved, each naming its run.
// worker.ts has the two sides of a worker elsewhere.
import { SpecError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import type { RunSpec } from '../../config/run-spec.ts';
import type { ExperimentSpec } from '../../config/spec.ts';
import { execute } from '../../parallel/execute.ts';
import type { EvaluationJob, SharedCache } from '../../parallel/shared-cache.ts';
import type { LabEvent } from '../../records/events.ts';
import { type ExperimentPorts, helpWith, openShared, runOne } from './experiment.ts';
import { takesStepsOf } from './matched.ts';

/** Trains runs of one experiment, one at a time. */
export interface RunWorker {
  /** The run's events, ending with `run-end`; throws like runExperiment. `waited`: milliseconds for which it has been paused. */
  stream(runId: string, waited?: () => number): AsyncGenerator<LabEvent, void>;
  /** Computes a job that another worker offered (loop/final-evaluation.ts: Measured). */
  evaluate(job: EvaluationJob): Promise<unknown>;
  /** Ends its work at the next point from which it can resume. */
  stop(): void;
  /** Called when the number of busy workers, which share the cores, has changed. */
  share?(atWork: number): void;
}

/** Trains in this thread with these ports; their signal stops it. */
export function ownWorker(spec: ExperimentSpec, ports: ExperimentPorts): RunWorker {
  const shared = openShared(spec, ports);
  return {
    async *stream(runId) {
      const run = shared.runs.find(({ id }) => id === runId);
      if (!run) throw new SpecError(`The experiment has no run ${runId}.`, 'Start the experiment again.');
      yield* runOne(run.spec, ports, shared);
    },
    evaluate: (job) => helpWith(job, ports, shared),
    stop: () => {},
  };
}

/** Earlier runs of the plan whose steps this run's basis is matched to. */
export function needsOf(run: RunSpec, planned: readonly RunSpec[]): RunSpec[] {
  if (run.basisSource !== 'random_matched') return [];
  return planned.slice(0, planned.indexOf(run)).filter((other) => takesStepsOf(run, other));
}

/** The runs to train, and the cache that their workers share. */
interface ParallelRuns {
  planned: readonly { id: string; spec: RunSpec }[];
  /** Runs that are done or that nothing should wait for. */
  over: Iterable<string>;
  cache: SharedCache;
  /** Called with the number of busy workers. */
  onShare?(atWork: number): void;
}

/**
 * Every worker trains one run after another, each as soon as it may start, and does offered jobs when no run is left. Resolves when everything
 * is done. The first failure ends the others and is thrown.
 */
export async function drainRuns<W extends Pick<RunWorker, 'evaluate' | 'stop' | 'share'>>(
  workers: readonly W[],
  { planned, over, cache, onShare }: ParallelRuns,
  train: (worker: W, runId: string) => Promise<void>,
): Promise<void> {
  const list = new OwnList(planned, over);
  const atWork = new Set(workers);
  let training = workers.length;
  const reportShare = () => {
    if (atWork.size > 0) onShare?.(atWork.size);
    for (const worker of atWork) worker.share?.(atWork.size);
  };
  const rest = (worker: W) => {
    atWork.delete(worker);
    reportShare();
  };
  const end = () => {
    list.close();
    cache.close(new StoppedError());
    for (const worker of workers) worker.stop();
  };
  const serve = async (worker: W): Promise<void> => {
    await execute(list, async ({ id }) => {
      await train(worker, id);
      list.ended.add(id);
    });
    training--;
    // Only training workers offer jobs.
    if (training === 0) cache.close(null);
    rest(worker);
    for (let offer = await cache.take(); offer; offer = await cache.take()) {
      atWork.add(worker);
      reportShare();
      await cache.keep(offer.key, await worker.evaluate(offer.job));
      rest(worker);
    }
  };
  const failures: unknown[] = [];
  const fail = (worker: W, error: unknown) => {
    failures.push(error);
    end();
    rest(worker);
  };
  await Promise.all(workers.map((worker) => serve(worker).catch((error) => fail(worker, error))));
  // Stopped workers only report the stop, so the first other error is the cause.
  const failure = failures.find((error) => !(error instanceof StoppedError)) ?? failures[0];
  if (failure !== undefined) throw failure;
}

/** The runs of one experiment, claimed by workers of one process. */
class OwnList {
  readonly ended: Set<string>;
  #waiting: { id: string; needs: string[] }[];
  #making = 0;
  #idle: (() => void)[] = [];

  constructor(planned: ParallelRuns['planned'], over: Iterable<string>) {
    this.ended = new Set(over);
    const specs = planned.map(({ spec }) => spec);
    const idOf = new Map(planned.map(({ id, spec }) => [spec, id]));
    this.#waiting = planned
      .filter(({ id }) => !this.ended.has(id))
      .map(({ id, spec }) => ({ id, needs: needsOf(spec, specs).map((needed) => idOf.get(needed)!) }));
  }

  readonly left = async () => [...this.#waiting];

  readonly claim = async (run: { id: string; needs: string[] }) => {
    if (!this.#waiting.includes(run) || !run.needs.every((id) => this.ended.has(id))) return null;
    this.#waiting = this.#waiting.filter((other) => other !== run);
    this.#making++;
    // A run that waits for this one may start once it has ended in any way; it reports what it lacks itself.
    const release = () => {
      this.#making--;
      this.#wake();
    };
    return { release };
  };

  readonly news = async (): Promise<boolean> => {
    if (this.#making === 0) return false;
    await new Promise<void>((resolve) => void this.#idle.push(resolve));
    return true;
  };

  /** Stops handing out runs. */
  close(): void {
    this.#waiting = [];
    this.#wake();
  }

  #wake(): void {
    for (const resolve of this.#idle.splice(0)) resolve();
  }
}
