// The queue of experiments: one at a time, kept from its first step, stopped and resumed, its events passed on. Knows no
// page and no worker; worker.ts gives it its ports, a test gives its own.
import type { LabEvent, RunRecord } from '../experiments/events.ts';
import { runExperiment, runIdOf } from '../experiments/experiment.ts';
import { type ExperimentSpec, parseExperimentSpec, resolveRuns } from '../experiments/spec.ts';
import { DeviceError, LabError, SpecError, StoppedError } from '../lib/errors.ts';
import type { Equipment, Equipped } from './equipment.ts';
import { Estimator } from './estimate.ts';
import { Grid } from './grid.ts';
import { Pacer } from './pacer.ts';
import { ProgressTracker } from './progress.ts';
import type { Estimate, Pace, WorkerEvent } from './protocol.ts';
import { type Records, type StoredExperiment, summaryOf } from './records.ts';
import { isFull, roomNeeded } from './room.ts';

/** Says which experiments are at work in any tab, so that none is trained twice or taken for interrupted. */
export interface Locks {
  /** Null when another tab holds it. */
  hold(id: string): Promise<(() => void) | null>;
  held(): Promise<ReadonlySet<string>>;
  /** Resolves when nobody holds it any more. */
  freed(id: string): Promise<void>;
}

export interface SessionPorts {
  records: Records;
  equipment: Equipment;
  locks: Locks;
  appVersion: string;
  emit(event: WorkerEvent): void;
  /** Milliseconds since the epoch. */
  date(): number;
  /** Milliseconds of a steady clock. */
  now(): number;
  /** Lets messages in: on the CPU device a training never waits by itself. */
  breathe(): Promise<void>;
}

const PROGRESS_MS = 250;
const SAVE_MS = 1000;

export class LabSession {
  readonly #ports: SessionPorts;
  readonly #queue: string[] = [];
  readonly #estimator: Estimator;
  /** Of queued experiments: the one run that is wanted, where it is not all. */
  readonly #alone = new Map<string, string>();
  /** Paces asked for before their experiment was at work. */
  readonly #wished = new Map<string, Pace>();
  #current: { id: string; stop: AbortController; pacer: Pacer } | null = null;
  /** A measurement that has the engine; experiments wait for its end. */
  #measuring: Promise<unknown> = Promise.resolve();
  #measureStop = new AbortController();

  constructor(ports: SessionPorts) {
    this.#ports = ports;
    this.#estimator = new Estimator(ports.now);
  }

  get isBusy(): boolean {
    return this.#current !== null;
  }

  /** Experiments that a closed tab left behind as running are stopped ones; those of another tab, once it has let go. */
  async recover(): Promise<void> {
    const { records, locks } = this.#ports;
    const held = await locks.held();
    for (const { id, status } of await records.experiments()) {
      if (status !== 'running' && status !== 'waiting') continue;
      // A page that is just being reloaded may hold its lock a moment longer.
      if (held.has(id)) void locks.freed(id).then(() => this.#abandon(id));
      // A full store must not keep the lab shut: there things can be deleted.
      else await this.#abandon(id).catch((error) => this.#warn(error));
    }
  }

  async #abandon(id: string): Promise<void> {
    const { records } = this.#ports;
    if (this.#current?.id === id || this.#queue.includes(id) || !(await records.has(id))) return;
    const record = await records.experiment(id);
    if (record.status !== 'running' && record.status !== 'waiting') return;
    for (const run of await records.runs(record)) {
      if (run.status === 'running') await records.saveRun({ ...run, status: 'stopped' });
    }
    await this.#save({ ...record, status: 'stopped', interrupted: true });
  }

  async start(id: string, input: ExperimentSpec): Promise<number> {
    const { records, date, appVersion, equipment } = this.#ports;
    const spec = parseExperimentSpec(input);
    if (!/^[\w-]{1,64}$/.test(id))
      throw new SpecError(`An experiment's id is not ${JSON.stringify(id)}.`, 'Use letters, digits and dashes.');
    if (await records.has(id))
      throw new SpecError(`There is an experiment ${id} already.`, 'Resume it, or start under a new id.');
    const now = date();
    const record: StoredExperiment = {
      schema: 1,
      id,
      spec,
      status: 'waiting',
      createdAt: now,
      updatedAt: now,
      device: equipment.current?.chosen.report.name ?? '',
      appVersion,
      runIds: [],
      result: null,
      error: null,
      runsDone: 0,
      stepsDone: 0,
      stepsTotal: resolveRuns(spec).reduce((sum, run) => sum + run.steps, 0),
    };
    return this.#enqueue(record);
  }

  /** @param runId trains this run alone, from its checkpoint if it has one. */
  async resume(id: string, runId?: string): Promise<number> {
    const record = await this.#ports.records.experiment(id);
    if (this.#current?.id === id || this.#queue.includes(id))
      throw new SpecError(`Experiment ${id} is at work already.`, 'Wait for it.');
    if (record.status === 'done') throw new SpecError(`Experiment ${id} is finished.`, 'Start a new one.');
    if (runId !== undefined) {
      if (!resolveRuns(record.spec).some((run) => runIdOf(id, run) === runId))
        throw new SpecError(`Experiment ${id} has no run ${JSON.stringify(runId)}.`, 'Choose one of its cells.');
      if ((await this.#ports.records.run(runId))?.status === 'done')
        throw new SpecError(`Run ${runId} is finished.`, 'Resume one that is not.');
      this.#alone.set(id, runId);
    } else this.#alone.delete(id);
    return this.#enqueue({ ...record, status: 'waiting', error: null, interrupted: false });
  }

  /** Whether there was something to stop. */
  async stop(id: string): Promise<boolean> {
    if (this.#current?.id === id) {
      this.#current.stop.abort(new StoppedError());
      return true;
    }
    const place = this.#queue.indexOf(id);
    if (place < 0) return false;
    this.#queue.splice(place, 1);
    await this.#save({ ...(await this.#ports.records.experiment(id)), status: 'stopped' });
    return true;
  }

  /** Between two steps of the experiment at work. False where it is not this one: then it is noted for its start. */
  pace(id: string, pace: Pace): boolean {
    if (this.#current?.id !== id) {
      this.#wished.set(id, pace);
      return false;
    }
    this.#current.pacer.set(pace);
    return true;
  }

  /**
   * Memory and time of an experiment on the open device. The first on a device measures it for about a second, unless an
   * experiment is at work; `alone` keeps other uses of the engine away from that.
   */
  async estimate(
    input: ExperimentSpec,
    alone: (measure: () => Promise<void>) => Promise<void> = (measure) => measure(),
  ): Promise<Estimate> {
    const spec = parseExperimentSpec(input);
    const { equipment } = this.#ports;
    await this.#measuring;
    const equipped = equipment.current ?? (await equipment.open(spec.device, undefined, resolveRuns(spec)[0]));
    if (!this.isBusy && !this.#estimator.knows(equipped)) {
      const measured = alone(async () => {
        if (this.isBusy) return;
        this.#measureStop = new AbortController();
        const work = this.#estimator.measure(equipped, this.#measureStop.signal);
        this.#measuring = work.catch(() => {});
        await work;
      });
      await measured;
    }
    return this.#estimator.estimate(spec, equipped);
  }

  /** Ends a measurement; resolves when none has the engine. Whoever asked for it is refused with a StoppedError. */
  async quiet(): Promise<void> {
    this.#measureStop.abort(new StoppedError());
    await this.#measuring;
  }

  async delete(id: string): Promise<void> {
    if (this.#current?.id === id || this.#queue.includes(id) || (await this.#ports.locks.held()).has(id)) {
      throw new SpecError(`Experiment ${id} is at work.`, 'Stop it first.');
    }
    await this.#ports.records.deleteExperiment(await this.#ports.records.experiment(id));
  }

  async #enqueue(record: StoredExperiment): Promise<number> {
    await this.#save(record);
    this.#queue.push(record.id);
    const position = this.#queue.length - 1 + (this.#current ? 1 : 0);
    // Its failures are told by events; here is nobody left to hear them.
    if (!this.#current) void this.#work();
    return position;
  }

  async #work(): Promise<void> {
    for (let id = this.#queue.shift(); id !== undefined; id = this.#queue.shift()) {
      const stop = new AbortController();
      this.#current = { id, stop, pacer: new Pacer(this.#ports.now) };
      this.#current.pacer.set(this.#wished.get(id) ?? 'go');
      this.#wished.delete(id);
      await this.quiet();
      try {
        const release = await this.#ports.locks.hold(id);
        if (release) await this.#run(id, this.#current.pacer, stop.signal).finally(release);
        else this.#ports.emit({ type: 'warning', message: 'This experiment is at work in another tab.' });
      } catch (error) {
        this.#warn(error);
      }
      this.#alone.delete(id);
      this.#current = null;
    }
  }

  async #run(id: string, pacer: Pacer, signal: AbortSignal): Promise<void> {
    const { records, equipment, emit } = this.#ports;
    let record: StoredExperiment = { ...(await records.experiment(id)), status: 'running' };
    try {
      const equipped = await equipment.open(record.spec.device, signal, resolveRuns(record.spec)[0]);
      this.#estimator.check(record.spec, equipped);
      record = { ...record, device: equipped.chosen.report.name };
      await this.#save(record);
      const grid = new Grid(id, record.spec, await records.runs(record), this.#alone.get(id) ?? null);
      let failure: unknown = null;
      while (failure === null || grid.hasMore) {
        try {
          await this.#follow(record, equipped, grid, pacer, signal);
          break;
        } catch (error) {
          // A run that failed leaves the others their turn; what is no run's own fault ends them all.
          if (isStop(error) || signal.aborted || isFull(error)) throw error;
          if (error instanceof DeviceError || !grid.setAside()) throw error;
          failure ??= error;
        }
      }
      record.status = grid.status;
      record.error = record.status === 'failed' ? (failure ? reasonOf(failure) : grid.error) : null;
    } catch (error) {
      const stopped = isStop(error) || signal.aborted;
      const lost = error instanceof DeviceError && equipment.current?.chosen.report.kind === 'webgpu';
      record.status = stopped || lost || isFull(error) ? 'stopped' : 'failed';
      record.error = isFull(error)
        ? roomNeeded(error, id, await records.experiments())
        : stopped
          ? null
          : reasonOf(error);
      if (lost && !stopped) {
        // Whatever is wrong with the GPU, the next start opens a fresh device.
        equipment.close();
        emit({ type: 'device-lost', message: (error as DeviceError).message });
      }
    }
    await this.#save(record).catch((error) => {
      // Without room even this cannot be written; the page must hear of the end all the same.
      emit({ type: 'experiment', summary: summaryOf(record) });
      if (!isFull(error)) throw error;
    });
  }

  #warn(error: unknown): void {
    this.#ports.emit({ type: 'warning', message: error instanceof Error ? error.message : String(error) });
  }

  /** Passes every event on, and keeps what it says. `record` and `grid` are changed in place. */
  async #follow(
    record: StoredExperiment,
    equipped: Equipped,
    grid: Grid,
    pacer: Pacer,
    signal: AbortSignal,
  ): Promise<void> {
    const { records, emit, breathe, equipment } = this.#ports;
    const { id: experimentId, spec } = record;
    const { policy, codec, grader, model, chosen } = equipped;
    // A clock that stands still in a pause, so that no step's timing counts it.
    const now = () => this.#ports.now() - pacer.waited;
    const stream = runExperiment(spec, {
      experimentId,
      policy,
      device: chosen.device,
      codec,
      grader,
      about: { modelId: model.id, modelSha256: model.sha256, appVersion: this.#ports.appVersion },
      checkpoints: records.checkpoints,
      steps: {
        ...records.steps,
        append: async (runId, step, delta) => {
          await records.steps.append(runId, step, delta);
          for (const { byteLength } of delta) record.approxBytes = (record.approxBytes ?? 0) + byteLength;
        },
      },
      artifacts: records.artifacts({ layout: policy.knobs, modelSha256: model.sha256 }, grader.version),
      finishedRun: (runId) => records.run(runId),
      includes: grid.includes,
      date: this.#ports.date,
      now,
      signal,
    });
    const tracker = new ProgressTracker(experimentId, spec, now, {
      includes: grid.wanted,
      over: grid.over,
      secondsPerStep: this.#estimator.estimate(spec, equipped).seconds?.perStep ?? null,
    });
    const tell = (paused: boolean) => {
      const memory = equipment.current?.chosen.device.memory();
      emit({ type: 'progress', experimentId, ...tracker.standing(), paused, memory });
      told = now();
    };
    let run: RunRecord | null = null;
    let saved = Number.NEGATIVE_INFINITY;
    let told = Number.NEGATIVE_INFINITY;
    // What cannot be kept ends the run: with what it held freed, and the page told.
    const kept = <T>(work: Promise<T>): Promise<T> =>
      work.catch(async (error) => {
        await stream.return(undefined as never);
        if (run?.status === 'running') {
          run = { ...run, status: 'stopped' };
          emit({ type: 'lab', experimentId, event: { type: 'run-end', run } });
        }
        throw error;
      });
    const save = async () => {
      if (!run) return;
      await kept(records.saveRun(run));
      await kept(records.saveExperiment(record));
      saved = now();
    };
    for (;;) {
      const next = await stream.next();
      await breathe();
      if (next.done) {
        if (grid.isWhole) record.result = next.value;
        return;
      }
      const event: LabEvent = next.value;
      // The result of some cells is not the experiment's.
      if (event.type === 'result' && !grid.isWhole) continue;
      run = fold(run, event);
      grid.see(event);
      if (event.type === 'run-start') record.runIds = grid.begun;
      if (event.type === 'step') {
        this.#estimator.learn(run!.spec, equipped, event.timing.total - (event.timing.phases.evaluate ?? 0));
        if (event.rollouts.length > 0) {
          const bytes = await kept(records.saveRollouts(event.runId, event.row.step, event.rollouts));
          record.approxBytes = (record.approxBytes ?? 0) + bytes;
        }
      }
      record.runsDone = grid.runsDone;
      record.stepsDone = grid.stepsDone;
      const isMilestone = event.type === 'run-start' || event.type === 'run-end' || event.type === 'checkpoint';
      if (isMilestone || (event.type === 'step' && now() - saved > SAVE_MS)) {
        await save();
        if (isMilestone) emit({ type: 'experiment', summary: summaryOf(record) });
      }
      emit({ type: 'lab', experimentId, event });
      if (tracker.see(event) && (now() - told > PROGRESS_MS || event.type === 'step' || event.type === 'result')) {
        tell(false);
      }
      if (isBoundary(event) && pacer.holds) {
        await save();
        tell(true);
        await pacer.pass(signal);
        tell(false);
      }
    }
  }

  async #save(record: StoredExperiment): Promise<void> {
    await this.#ports.records.saveExperiment(record);
    this.#ports.emit({ type: 'experiment', summary: summaryOf(record) });
  }
}

const isStop = (error: unknown) => error instanceof StoppedError;

/** Nothing of the next step has been computed yet, and everything of the last one has been kept. */
function isBoundary(event: LabEvent): boolean {
  return event.type === 'phase' && (event.phase === 'rollout' || event.phase === 'final evaluation');
}

/** The run's record with the event's news. */
function fold(run: RunRecord | null, event: LabEvent): RunRecord | null {
  if (event.type === 'run-start' || event.type === 'run-end') return event.run;
  if (!run) return null;
  if (event.type === 'step') return { ...run, rows: [...run.rows, event.row], timings: [...run.timings, event.timing] };
  return event.type === 'eval' ? { ...run, evals: [...run.evals, event.row] } : run;
}

function reasonOf(error: unknown): { message: string; remedy: string } {
  if (error instanceof LabError) return { message: error.message, remedy: error.remedy };
  return {
    message: error instanceof Error ? error.message : String(error),
    remedy: 'This is a fault in the lab itself: report it with the run’s address.',
  };
}
