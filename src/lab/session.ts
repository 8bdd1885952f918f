// The queue of experiments: one at a time, kept from its first step, stopped and resumed, its events passed on. Knows no
// page and no worker; worker.ts gives it its ports, a test gives its own.
import type { LabEvent, RunRecord } from '../experiments/events.ts';
import { runExperiment } from '../experiments/experiment.ts';
import { type ExperimentSpec, parseExperimentSpec, resolveRuns } from '../experiments/spec.ts';
import { DeviceError, LabError, SpecError, StoppedError } from '../lib/errors.ts';
import type { Equipment } from './equipment.ts';
import { ProgressTracker } from './progress.ts';
import type { WorkerEvent } from './protocol.ts';
import { type Records, type StoredExperiment, summaryOf } from './records.ts';

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
  #current: { id: string; stop: AbortController } | null = null;

  constructor(ports: SessionPorts) {
    this.#ports = ports;
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
      else await this.#abandon(id);
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
    await this.#save({ ...record, status: 'stopped' });
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

  async resume(id: string): Promise<number> {
    const record = await this.#ports.records.experiment(id);
    if (this.#current?.id === id || this.#queue.includes(id))
      throw new SpecError(`Experiment ${id} is at work already.`, 'Wait for it.');
    if (record.status === 'done') throw new SpecError(`Experiment ${id} is finished.`, 'Start a new one.');
    return this.#enqueue({ ...record, status: 'waiting', error: null });
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
      this.#current = { id, stop };
      try {
        const release = await this.#ports.locks.hold(id);
        if (release) await this.#run(id, stop.signal).finally(release);
        else this.#ports.emit({ type: 'warning', message: 'This experiment is at work in another tab.' });
      } catch (error) {
        this.#ports.emit({ type: 'warning', message: error instanceof Error ? error.message : String(error) });
      }
      this.#current = null;
    }
  }

  async #run(id: string, signal: AbortSignal): Promise<void> {
    const { records, equipment, emit } = this.#ports;
    let record: StoredExperiment = { ...(await records.experiment(id)), status: 'running' };
    try {
      const equipped = await equipment.open(record.spec.device, signal);
      record = { ...record, device: equipped.chosen.report.name };
      await this.#save(record);
      const target = { layout: equipped.policy.knobs, modelSha256: equipped.model.sha256 };
      const stream = runExperiment(record.spec, {
        experimentId: id,
        policy: equipped.policy,
        device: equipped.chosen.device,
        codec: equipped.codec,
        grader: equipped.grader,
        about: { modelId: equipped.model.id, modelSha256: equipped.model.sha256, appVersion: this.#ports.appVersion },
        checkpoints: records.checkpoints,
        artifacts: records.artifacts(target),
        finishedRun: (runId) => records.run(runId),
        date: this.#ports.date,
        now: this.#ports.now,
        signal,
      });
      await this.#follow(record, stream);
      record = { ...record, status: 'done' };
    } catch (error) {
      const stopped = error instanceof StoppedError || signal.aborted;
      const lost = error instanceof DeviceError && equipment.current?.chosen.report.kind === 'webgpu';
      record.status = stopped || lost ? 'stopped' : 'failed';
      record.error = stopped ? null : reasonOf(error);
      if (lost && !stopped) {
        // Whatever is wrong with the GPU, the next start opens a fresh device.
        equipment.close();
        emit({ type: 'device-lost', message: (error as DeviceError).message });
      }
    }
    await this.#save(record);
  }

  /** Passes every event on, and keeps what it says. `record` is changed in place. */
  async #follow(record: StoredExperiment, stream: ReturnType<typeof runExperiment>): Promise<void> {
    const { records, emit, now, breathe } = this.#ports;
    const experimentId = record.id;
    const tracker = new ProgressTracker(experimentId, record.spec, now);
    let run: RunRecord | null = null;
    let saved = Number.NEGATIVE_INFINITY;
    let told = Number.NEGATIVE_INFINITY;
    for (;;) {
      const next = await stream.next();
      await breathe();
      if (next.done) {
        record.result = next.value;
        return;
      }
      const event: LabEvent = next.value;
      run = fold(run, event);
      if (event.type === 'run-start') this.#count(record, event.run);
      if (event.type === 'step') {
        record.stepsDone++;
        if (event.rollouts.length > 0) await records.saveRollouts(event.runId, event.row.step, event.rollouts);
      }
      if (event.type === 'run-end' && event.run.status === 'done') record.runsDone++;
      const isMilestone = event.type === 'run-start' || event.type === 'run-end' || event.type === 'checkpoint';
      const isDue = isMilestone || (event.type === 'step' && now() - saved > SAVE_MS);
      if (run && isDue) {
        await records.saveRun(run);
        await records.saveExperiment(record);
        saved = now();
        if (isMilestone) emit({ type: 'experiment', summary: summaryOf(record) });
      }
      emit({ type: 'lab', experimentId, event });
      if (tracker.see(event) && (now() - told > PROGRESS_MS || event.type === 'step' || event.type === 'result')) {
        emit({ type: 'progress', experimentId, ...tracker.standing() });
        told = now();
      }
    }
  }

  /** A run begins, anew or from its checkpoint: the steps that count are those behind it. */
  #count(record: StoredExperiment, run: RunRecord): void {
    if (!record.runIds.includes(run.id)) record.runIds.push(run.id);
    record.runsDone = record.runIds.indexOf(run.id);
    const before = resolveRuns(record.spec)
      .slice(0, record.runsDone)
      .reduce((sum, spec) => sum + spec.steps, 0);
    record.stepsDone = before + run.rows.length;
  }

  async #save(record: StoredExperiment): Promise<void> {
    await this.#ports.records.saveExperiment(record);
    this.#ports.emit({ type: 'experiment', summary: summaryOf(record) });
  }
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
