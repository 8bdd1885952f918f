// The queue of experiments: one at a time, stopped and resumed; follow.ts passes on and stores its events. It depends on neither page nor
// worker; worker.ts or a test passes its ports.

import { DeviceError, LabError, SpecError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { EMBEDDED_MODELS } from '../../experiments/config/preset-in.ts';
import { type RunSpec, runIdOf } from '../../experiments/config/run-spec.ts';
import {
  type ExperimentSpec,
  parseExperimentSpec,
  resolveExperiment,
  resolveRuns,
} from '../../experiments/config/spec.ts';
import { KINDS } from '../../experiments/kinds/kinds.ts';
import { choiceFor } from '../../experiments/records/numerics.ts';
import { isEquipped, writingAs } from '../equipment/equipment.ts';
import type { OnProgress } from '../equipment/loaded.ts';
import { Estimator } from '../estimate/estimate.ts';
import type { StoredExperiment } from '../protocol/experiments.ts';
import type { Pace, RunEstimate } from '../protocol/protocol.ts';
import { summaryOf } from '../records/records.ts';
import { isFull, roomNeeded } from '../records/room.ts';
import type { Ahead } from './ahead.ts';
import { Grid } from './grid.ts';
import { Pacer } from './pacer.ts';
import { isHeldElsewhere, type SessionPorts } from './ports.ts';

export class LabSession {
  readonly #ports: SessionPorts;
  readonly #queue: string[] = [];
  readonly #estimator: Estimator;
  /** For a queued experiment with a single requested run: that run. */
  readonly #alone = new Map<string, string>();
  /** Releases the lock of each experiment queued here: no other tab may take it, or regard it as abandoned. */
  readonly #held = new Map<string, () => void>();
  /** Paces set before their experiment began. */
  readonly #wished = new Map<string, Pace>();
  /** Starts that are still being stored, so that a stop can wait for them. */
  readonly #starts = new Map<string, Promise<number>>();
  #current: { id: string; stop: AbortController; pacer: Pacer } | null = null;
  /** Results made before the runs began; null before the first estimate. */
  #ahead: Ahead | null = null;
  /** The experiment that the form described last. */
  #described: ExperimentSpec | null = null;
  /** The current measurement; experiments wait for its end. */
  #measuring: Promise<unknown> = Promise.resolve();
  #measureStop = new AbortController();

  constructor(ports: SessionPorts) {
    this.#ports = ports;
    this.#estimator = new Estimator(
      ports.now,
      (environment) => ports.real?.promptsOf(environment) ?? null,
      ports.workers,
    );
  }

  get isBusy(): boolean {
    return this.#current !== null;
  }

  /** Marks experiments that a closed tab left running as stopped; those of an open tab once it releases them. */
  async recover(): Promise<void> {
    const { records, locks } = this.#ports;
    const held = await locks.held();
    for (const { id, status } of await records.experiments()) {
      if (status !== 'running' && status !== 'waiting') continue;
      // A page that is being reloaded may hold its lock a moment longer.
      if (held.has(id)) void locks.freed(id).then(() => this.#abandon(id));
      // A full store must not prevent the lab from opening, since things can be deleted there.
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

  start(id: string, input: ExperimentSpec): Promise<number> {
    return this.#begin(id, this.#start(id, input));
  }

  /** @param runId trains this run alone, from its checkpoint if it has one. */
  resume(id: string, runId?: string): Promise<number> {
    return this.#begin(id, this.#resume(id, runId));
  }

  async #begin(id: string, begun: Promise<number>): Promise<number> {
    this.#starts.set(id, begun);
    try {
      return await begun;
    } finally {
      this.#starts.delete(id);
    }
  }

  async #start(id: string, input: ExperimentSpec): Promise<number> {
    const { records, date, appVersion, equipment } = this.#ports;
    const spec = parseExperimentSpec(input);
    if (!/^[\w-]{1,64}$/.test(id))
      throw new SpecError(`An experiment's id is not ${JSON.stringify(id)}.`, 'Use letters, digits and dashes.');
    if (await records.has(id))
      throw new SpecError(`There is an experiment ${id} already.`, 'Resume it, or start under a new id.');
    const now = date();
    const record: StoredExperiment = {
      schema: KINDS.run.schema,
      id,
      spec,
      status: 'waiting',
      createdAt: now,
      updatedAt: now,
      // The open device may not be the requested one, which may fail to open: its name is set when the experiment runs.
      device: equipment.current?.chosen.report.choice === spec.device ? equipment.current.chosen.report.name : '',
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

  async #resume(id: string, runId?: string): Promise<number> {
    const isHere = () => this.#current?.id === id || this.#queue.includes(id);
    if (!isHere() && (await isHeldElsewhere(this.#ports.locks, id))) throw runsElsewhere(id);
    const record = await this.#ports.records.experiment(id);
    if (isHere()) throw new SpecError(`Experiment ${id} is already running.`, 'Wait for it.');
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

  /** Returns whether there was something to stop. */
  async stop(id: string): Promise<boolean> {
    await this.#starts.get(id)?.catch(() => undefined);
    if (this.#current?.id === id) {
      this.#current.stop.abort(new StoppedError());
      return true;
    }
    const place = this.#queue.indexOf(id);
    if (place < 0) return false;
    this.#queue.splice(place, 1);
    await this.#save({ ...(await this.#ports.records.experiment(id)), status: 'stopped' });
    this.#letGo(id);
    return true;
  }

  /** Takes effect between two steps. Returns false if the experiment is not running; then the pace is stored for its start. */
  pace(id: string, pace: Pace): boolean {
    if (this.#current?.id !== id) {
      this.#wished.set(id, pace);
      return false;
    }
    this.#current.pacer.set(pace);
    return true;
  }

  /**
   * Runs work that restores the model afterwards: at once, or between two steps of a running training. `signal` ends the wait, and the
   * work.
   */
  async between<T>(work: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
    for (;;) {
      if (!this.#current) return work(signal);
      const served = await this.#current.pacer.between(work, signal);
      if (served) return served.value;
    }
  }

  /**
   * Memory and time of an experiment on the open device. The first estimate on a device measures for about two seconds, unless an
   * experiment is running; `alone` keeps other uses of the engine away meanwhile, or ends the measurement for them.
   */
  async estimate(
    input: ExperimentSpec,
    alone: (measure: (signal?: AbortSignal) => Promise<void>) => Promise<unknown> = (measure) => measure(),
  ): Promise<RunEstimate> {
    const spec = parseExperimentSpec(input);
    const { equipment, real } = this.#ports;
    const experiment = resolveExperiment(spec);
    const [first] = experiment.runs;
    await real?.learnPrompts(first.environment);
    await this.#measuring;
    const opened = equipment.current ?? (await equipment.ready(spec.device, undefined, first));
    // A model must be factored to be measured, which is fast only for embedded ones.
    const canMeasure = isEquipped(opened) || EMBEDDED_MODELS.includes(opened.model.id);
    if (!this.isBusy && canMeasure && !this.#estimator.knows(opened)) {
      await alone(async (signal) => {
        if (this.isBusy) return;
        this.#measureStop = new AbortController();
        const own = this.#measureStop.signal;
        const work = this.#measure(experiment.runs, signal ? AbortSignal.any([own, signal]) : own);
        this.#measuring = work.catch(() => {});
        await work;
      });
    }
    return this.#estimator.estimate(experiment, await writingAs(equipment.current ?? opened, first));
  }

  /** Computes ahead the shared data of the runs of the last estimated experiment, if they would be trained in parallel. */
  async prepareAhead(
    input: ExperimentSpec,
    alone: (make: (signal: AbortSignal) => Promise<void>) => Promise<unknown>,
  ): Promise<void> {
    const spec = parseExperimentSpec(input);
    this.#described = spec;
    await alone(async (signal) => {
      const { current } = this.#ports.equipment;
      if (this.isBusy || this.#described !== spec || !current || !isEquipped(current)) return;
      const { Ahead } = await import('./ahead.ts');
      this.#ahead ??= new Ahead(this.#ports);
      await this.#ahead.prepare(resolveExperiment(spec).runs, current, signal);
    });
  }

  /** Factors the open model first if needed. The model may have changed or been closed since the request. */
  async #measure(runs: readonly RunSpec[], signal: AbortSignal): Promise<void> {
    const { equipment } = this.#ports;
    const [first] = runs;
    const { current } = equipment;
    if (!current) return;
    const quietly = () => {};
    const equipped = isEquipped(current)
      ? current
      : await equipment.open(current.chosen.report.choice, signal, first, quietly);
    // Another estimate may have measured it while this one waited.
    if (!this.#estimator.knows(equipped)) await this.#estimator.measure(equipped, runs, signal);
  }

  /** Ends a measurement and resolves when none is running. Its caller gets a StoppedError. */
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

  /** Throws SpecError if another tab was faster, whose record is then left unchanged. */
  async #enqueue(record: StoredExperiment): Promise<number> {
    const release = await this.#ports.locks.hold(record.id);
    if (!release) throw runsElsewhere(record.id);
    this.#held.set(record.id, release);
    await this.#save(record, 'refuse').catch((error) => {
      this.#letGo(record.id);
      throw error;
    });
    this.#queue.push(record.id);
    const position = this.#queue.length - 1 + (this.#current ? 1 : 0);
    // Failures are reported by events, so the promise is not awaited.
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
        await this.#run(id, this.#current.pacer, stop.signal);
      } catch (error) {
        this.#warn(error);
      }
      this.#letGo(id);
      this.#alone.delete(id);
      this.#current.pacer.end();
      this.#current = null;
    }
  }

  #letGo(id: string): void {
    this.#held.get(id)?.();
    this.#held.delete(id);
  }

  async #run(id: string, pacer: Pacer, signal: AbortSignal): Promise<void> {
    const { records, equipment, emit, real } = this.#ports;
    let record: StoredExperiment = { ...(await records.experiment(id)), status: 'running' };
    try {
      const before = equipment.current?.chosen.report.choice;
      const experiment = resolveExperiment(record.spec);
      const [first] = experiment.runs;
      // A resumed experiment stays on the CPU kind it began on, so that its numbers stay the same.
      const choice = record.runIds.length > 0 ? choiceFor(record.spec.device, record.device) : record.spec.device;
      await real?.learnPrompts(first.environment);
      await this.#bringModel(id, first.model, signal);
      this.#estimator.checkModel(first, equipment.modelId);
      // Checks that it fits before minutes of factoring.
      this.#estimator.check(experiment, await writingAs(await equipment.ready(choice, signal, first), first));
      const equipped = await writingAs(await equipment.open(choice, signal, first, this.#preparing(id)), first);
      // A queued experiment may need another device than the page shows.
      if (before !== choice) emit({ type: 'device', report: equipped.chosen.report });
      this.#estimator.check(experiment, equipped);
      const grader = (await real?.graderFor(first.environment)) ?? equipped.grader;
      record = { ...record, device: equipped.chosen.report.name };
      await this.#save(record);
      const grid = new Grid(id, experiment.runs, await records.runs(record), this.#alone.get(id) ?? null);
      // The training code is loaded with the first run, so that the page opens sooner.
      const { followExperiment } = await import('./follow.ts');
      let failure: unknown = null;
      while (failure === null || grid.hasMore) {
        try {
          await followExperiment(this.#ports, {
            record,
            equipped,
            made: this.#ahead?.madeFor(equipped, first) ?? new Map(),
            grader,
            grid,
            pacer,
            estimator: this.#estimator,
            signal,
          });
          break;
        } catch (error) {
          // After a failed run the others are still trained; an error that belongs to no run ends them all.
          if (isStopError(error) || signal.aborted || isFull(error)) throw error;
          if (error instanceof DeviceError || !grid.excludeFailed()) throw error;
          failure ??= error;
        }
      }
      record.status = grid.status;
      record.error = record.status === 'failed' ? (failure ? reasonOf(failure) : grid.error) : null;
    } catch (error) {
      const stopped = isStopError(error) || signal.aborted;
      const lost = error instanceof DeviceError && equipment.current?.chosen.report.kind === 'webgpu';
      record.status = stopped || lost || isFull(error) ? 'stopped' : 'failed';
      record.error = isFull(error)
        ? roomNeeded(error, id, await records.experiments())
        : stopped
          ? null
          : reasonOf(error);
      if (lost && !stopped) {
        // Whatever is wrong with the GPU, the next start opens a new device.
        equipment.close();
        emit({ type: 'device-lost', message: (error as DeviceError).message });
      }
    }
    await this.#save(record).catch((error) => {
      // A full store refuses even this record, but the page must learn of the end.
      emit({ type: 'experiment', summary: summaryOf(record) });
      if (!isFull(error)) throw error;
    });
  }

  /**
   * Loads the small model of the experiment's environment if another embedded one is loaded. A third-party model is the user's choice and
   * stays.
   */
  async #bringModel(experimentId: string, wanted: string, signal: AbortSignal): Promise<void> {
    const { equipment, embedded, emit } = this.#ports;
    // The page may be loading the model at this moment.
    await equipment.settled();
    const isEmbedded = (id: string) => EMBEDDED_MODELS.includes(id);
    if (!embedded || wanted === equipment.modelId || !isEmbedded(wanted) || !isEmbedded(equipment.modelId)) return;
    const place = wanted === equipment.own.id ? null : { id: wanted, source: embedded(wanted) };
    const { model } = await equipment.use(place, signal, this.#preparing(experimentId));
    emit({ type: 'model-opened', model });
  }

  #preparing(experimentId: string): OnProgress {
    return (what, done, total, etaSeconds) =>
      this.#ports.emit({ type: 'lab', experimentId, event: { type: 'prepare', what, done, total, etaSeconds } });
  }

  #warn(error: unknown): void {
    this.#ports.emit({ type: 'warning', message: error instanceof Error ? error.message : String(error) });
  }

  async #save(record: StoredExperiment, whenFull: 'hold' | 'refuse' = 'hold'): Promise<void> {
    await this.#ports.records.saveExperiment(record, whenFull);
    this.#ports.emit({ type: 'experiment', summary: summaryOf(record) });
  }
}

const runsElsewhere = (id: string) =>
  new SpecError(`Experiment ${id} is running in another tab.`, 'Wait for it, or stop it there.');

const isStopError = (error: unknown) => error instanceof StoppedError;

function reasonOf(error: unknown): { message: string; remedy: string } {
  if (error instanceof LabError) return { message: error.message, remedy: error.remedy };
  return {
    message: error instanceof Error ? error.message : String(error),
    remedy: 'This is a fault in the lab itself: report it with the run’s address.',
  };
}
