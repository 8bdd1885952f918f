// An experiment whose runs are trained side by side: each in a lane of its own (a process, a worker), which is asked for one run after
// another. A run is what it is wherever it is trained, so the result is runExperiment's, to the byte; events of several runs come
// interleaved, each naming its run.
import { StoppedError } from '../../../lib/errors.ts';
import { Commons, type EvaluationJob } from '../../lanes/commons.ts';
import { trainingKey, trainsVanilla } from '../../reading/compare.ts';
import type { ExperimentResult, LabEvent, RunRecord } from '../../records/events.ts';
import { type ExperimentSpec, type RunSpec, resolveRuns } from '../../spec/spec.ts';
import { type ExperimentPorts, resultOf } from './experiment.ts';
import { runIdOf } from './run-id.ts';

/** What works for an experiment beside others. */
export interface LaneControl {
  /** What another lane has offered, made here (loop/final-evaluation.ts: Measured). */
  help(job: EvaluationJob): Promise<unknown>;
  /** Ends what it does, at the next place from which it can go on. */
  stop(): void;
  /** How many are at work has changed: so many share the cores. */
  share?(atWork: number): void;
}

/** Trains runs of one experiment, one at a time. */
export interface Lane extends LaneControl {
  /** Resolves when the run is done, its last event being `run-end`. Rejects as runExperiment throws. */
  run(runId: string, onEvent: (event: LabEvent) => void): Promise<void>;
}

/** Runs of the plan before this one whose steps its basis is matched to. */
export function needsOf(run: RunSpec, planned: readonly RunSpec[]): RunSpec[] {
  if (run.basisSource !== 'random_matched') return [];
  const key = trainingKey(run);
  return planned
    .slice(0, planned.indexOf(run))
    .filter((other) => other.seed === run.seed && trainsVanilla(other) && trainingKey(other) === key);
}

/** Runs of a plan, handed out once each, as soon as they may begin. */
export class RunQueue {
  readonly #waiting: { id: string; needs: readonly string[] }[];
  readonly #over: Set<string>;
  #idle: (() => void)[] = [];
  #closed = false;

  /** `over`: runs that are done, or not to be waited for. */
  constructor(planned: readonly { id: string; spec: RunSpec }[], over: Iterable<string> = []) {
    this.#over = new Set(over);
    const specs = planned.map(({ spec }) => spec);
    const idOf = new Map(planned.map(({ id, spec }) => [spec, id]));
    this.#waiting = planned
      .filter(({ id }) => !this.#over.has(id))
      .map(({ id, spec }) => ({ id, needs: needsOf(spec, specs).map((needed) => idOf.get(needed)!) }));
  }

  /** How many have not been handed out. */
  get left(): number {
    return this.#waiting.length;
  }

  /** Resolves when there is one that may begin; null when there is none left, or the queue was closed. */
  async take(): Promise<string | null> {
    while (!this.#closed && this.#waiting.length > 0) {
      const next = this.#waiting.findIndex(({ needs }) => needs.every((id) => this.#over.has(id)));
      if (next >= 0) return this.#waiting.splice(next, 1)[0].id;
      await new Promise<void>((resolve) => void this.#idle.push(resolve));
    }
    return null;
  }

  /** It has ended, in whatever way: what waits for it may begin, and says itself what it misses. */
  ended(runId: string): void {
    this.#over.add(runId);
    this.#wake();
  }

  /** Nobody is given another. */
  close(): void {
    this.#closed = true;
    this.#wake();
  }

  #wake(): void {
    for (const resolve of this.#idle.splice(0)) resolve();
  }
}

/**
 * Every lane trains one run after another, and makes what others offer when there is none left. Resolves when nothing is left at
 * all. The first that fails ends the others; its failure is thrown. `onShare`: how many are at work now.
 */
export async function workOff<L extends LaneControl>(
  lanes: readonly L[],
  queue: RunQueue,
  commons: Commons,
  run: (lane: L, runId: string) => Promise<void>,
  onShare: (atWork: number) => void = () => {},
): Promise<void> {
  const failures: unknown[] = [];
  const atWork = new Set(lanes);
  let training = lanes.length;
  const shared = () => {
    if (atWork.size > 0) onShare(atWork.size);
    for (const lane of atWork) lane.share?.(atWork.size);
  };
  const rest = (lane: L) => {
    atWork.delete(lane);
    shared();
  };
  const serve = async (lane: L): Promise<void> => {
    for (let id = await queue.take(); id !== null; id = await queue.take()) {
      await run(lane, id);
      queue.ended(id);
    }
    training--;
    // Only those who train offer something.
    if (training === 0) commons.close(null);
    for (;;) {
      rest(lane);
      const offer = await commons.take();
      if (!offer) return;
      atWork.add(lane);
      shared();
      await commons.keep(offer.key, await lane.help(offer.job));
    }
  };
  const fail = (lane: L, error: unknown) => {
    failures.push(error);
    queue.close();
    commons.close(new StoppedError());
    for (const other of lanes) other.stop();
    rest(lane);
  };
  await Promise.all(lanes.map((lane) => serve(lane).catch((error) => fail(lane, error))));
  // A lane that was told to stop says no more than that; what made it stop came before.
  const failure = failures.find((error) => !(error instanceof StoppedError)) ?? failures[0];
  if (failure !== undefined) throw failure;
}

/** As runExperiment. The first run that fails or is stopped ends the others too; what they have done is kept. `commons`: where the
 *  lanes' runs meet. */
export async function* runAside(
  spec: ExperimentSpec,
  ports: Pick<ExperimentPorts, 'experimentId' | 'finishedRun'>,
  lanes: readonly Lane[],
  commons = new Commons(),
): AsyncGenerator<LabEvent, ExperimentResult> {
  const planned = resolveRuns(spec).map((run) => ({ id: runIdOf(ports.experimentId, run), spec: run }));
  const records = new Map<string, RunRecord>();
  for (const { id } of planned) {
    const record = await ports.finishedRun?.(id);
    if (record?.status === 'done') records.set(id, record);
  }
  const queue = new RunQueue(planned, records.keys());
  const events: LabEvent[] = [];
  let wake = () => {};
  let over: { error: unknown } | null = null;
  const work = workOff(lanes, queue, commons, (lane, id) =>
    lane.run(id, (event) => {
      if (event.type === 'run-end' && event.run.status === 'done') records.set(event.run.id, event.run);
      events.push(event);
      wake();
    }),
  ).then(
    () => {
      over = { error: undefined };
      wake();
    },
    (error) => {
      over = { error };
      wake();
    },
  );
  try {
    while (!over || events.length > 0) {
      const event = events.shift();
      if (event) yield event;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  } finally {
    if (!over) {
      queue.close();
      commons.close(new StoppedError());
      for (const lane of lanes) lane.stop();
    }
  }
  await work;
  const { error } = over as { error: unknown };
  if (error !== undefined) throw error;
  const result = resultOf(
    spec,
    planned.map(({ id }) => records.get(id) as RunRecord),
  );
  yield { type: 'result', result };
  return result;
}

/** Rollouts of a run, below which a lane of its own takes longer to open than it saves. */
const WORTH_A_LANE = 1000;
/** Bytes that a run of the smallest model takes, device and host together. */
const LEAST_BYTES = 500e6;

/** How many of these runs of an embedded model are done sooner side by side, on `threads` threads in all, in `bytes` of memory. */
export function worthLanes(runs: readonly RunSpec[], threads: number, bytes: number, rollouts = WORTH_A_LANE): number {
  const long = runs.filter((run) => run.steps * run.promptsPerStep * run.groupSize >= rollouts);
  return Math.max(1, Math.min(long.length, threads, Math.floor(bytes / LEAST_BYTES)));
}
