// A page that works for a relay: takes a run, trains it as an experiment of this lab (so that it is kept, has a checkpoint and can be looked
// at while it runs), and sends what it came to. A relay's word is data: a run that is not what its key says is not begun.
import { LabError, SpecError } from '@projected-grpo-lab/base/errors.ts';
import { runIdOf } from '../../experiments/config/run-spec.ts';
import { EMBEDDED_MODELS, type ExperimentSpec, experimentOf, resolveRuns } from '../../experiments/config/spec.ts';
import { runKey } from '../../experiments/kinds/study/key.ts';
import { studyId } from '../../experiments/kinds/study/runner.ts';
import {
  type FromRelay,
  type FromWorker,
  PROTOCOL,
  readFromRelay,
  type WorkLink,
} from '../../experiments/sweep/relay/messages.ts';
import type { Numerics } from '../../kernels/device.ts';
import type { WorkerEvent } from '../protocol/protocol.ts';
import type { RelayState } from '../protocol/relay.ts';
import type { Records } from '../records/records.ts';
import type { LabSession } from './session.ts';

/** As much of a WebSocket as is used. */
export interface Socket {
  send(text: string): void;
  close(): void;
  onopen: (() => void) | null;
  onmessage: ((event: { data: unknown }) => void) | null;
  onclose: ((event: { code: number; reason: string }) => void) | null;
}

interface RelayPorts {
  session: Pick<LabSession, 'start' | 'resume' | 'stop' | 'delete'>;
  records: Pick<Records, 'has' | 'experiment' | 'run'>;
  appVersion: string;
  /** It hears what goes on, and takes no run. */
  isWatching: boolean;
  devices: readonly Numerics[];
  connect(url: string, protocols: string[]): Socket;
  /** Milliseconds. */
  wait(ms: number, work: () => void): () => void;
  tell(state: RelayState): void;
}

interface Current {
  id: string;
  experimentId: string;
  runId: string;
  of: number;
  step: number;
  reward: number | null;
  /** Kept before it was asked for: it stays. */
  isOwn: boolean;
  quiet(): void;
}

/** Closes that mean: do not come again. */
const FINAL = 1008;
/** Connections that came to nothing, after which it is given up. */
const MOST_TRIES = 5;
const RETRY_MS = [1000, 2000, 5000, 10_000, 30_000];
const SIGNS_PER_LEASE = 6;

export class RelayWork {
  readonly #ports: RelayPorts;
  readonly #link: WorkLink;
  #socket: Socket | null = null;
  #state: RelayState;
  #current: Current | null = null;
  #cancelWait = () => {};
  #tries = 0;
  #hasOpened = false;

  constructor(link: WorkLink, ports: RelayPorts) {
    this.#ports = ports;
    this.#link = link;
    const relay = new URL(link.relay).host;
    this.#state = { relay, phase: 'connecting', run: null, made: 0, board: null, message: null };
    this.#connect();
  }

  get hasEnded(): boolean {
    return this.#state.phase === 'ended';
  }

  get isWatching(): boolean {
    return this.#ports.isWatching;
  }

  stop(): void {
    this.#end('Stopped.');
  }

  /** Every event of the lab, as the page hears it. */
  see(event: WorkerEvent): void {
    const current = this.#current;
    if (!current) return;
    if (event.type === 'lab' && event.experimentId === current.experimentId && event.event.type === 'step') {
      const { row } = event.event;
      current.step = row.step;
      current.reward = row.reward;
      this.#sign(current);
      this.#tell({ run: this.#state.run && { ...this.#state.run, step: row.step } });
      return;
    }
    if (event.type !== 'experiment' || event.summary.id !== current.experimentId) return;
    const { status, error } = event.summary;
    if (status === 'done') void this.#deliver(current);
    else if (status === 'failed') this.#giveBack(current, error ? `${error.message} ${error.remedy}` : 'It failed.');
    else if (status === 'stopped') this.#end('The run was stopped here. Open the link again to go on.');
  }

  #tell(changes: Partial<RelayState>): void {
    this.#state = { ...this.#state, ...changes };
    this.#ports.tell(this.#state);
  }

  #send(message: FromWorker): void {
    this.#socket?.send(JSON.stringify(message));
  }

  #connect(): void {
    const socket = this.#ports.connect(this.#link.relay, [PROTOCOL, this.#link.token]);
    this.#socket = socket;
    this.#tell({ phase: this.#hasOpened ? 'away' : 'connecting' });
    let isOpen = false;
    socket.onopen = () => {
      isOpen = true;
      this.#hasOpened = true;
      this.#tries = 0;
      this.#ask();
    };
    socket.onmessage = ({ data }) => {
      const message = typeof data === 'string' ? readFromRelay(data) : null;
      if (message === null)
        this.#end('The relay sent an unknown message; it may run another version of the lab. Reload the page.');
      else void this.#hear(message);
    };
    socket.onclose = ({ code, reason }) => {
      if (this.#socket !== socket) return;
      this.#socket = null;
      this.#cancelWait();
      if (code === FINAL) return this.#end(reason || 'The relay has closed this link. Ask its host for a new link.');
      this.#tries++;
      if (!isOpen && this.#tries >= MOST_TRIES)
        return this.#end(
          this.#hasOpened
            ? 'The relay has ended. Close this tab.'
            : 'The relay does not answer, or refuses this link: it has expired, was revoked, or this page’s address is not on its list. Ask its host for a new link.',
        );
      this.#tell({ phase: 'away' });
      this.#cancelWait = this.#ports.wait(RETRY_MS[Math.min(this.#tries, RETRY_MS.length) - 1], () => this.#connect());
    };
  }

  #ask(): void {
    this.#tell({ phase: this.isWatching ? 'watching' : 'waiting', run: null });
    if (this.isWatching) return;
    this.#send({ type: 'take', app: this.#ports.appVersion, devices: [...this.#ports.devices] });
  }

  async #hear(message: FromRelay): Promise<void> {
    if (message.type === 'status') this.#tell({ board: message.board });
    else if (this.isWatching) this.#end('The relay sent an answer that was not asked for. Reload the page.');
    else if (message.type === 'run') await this.#begin(message);
    else if (message.type === 'wait') this.#cancelWait = this.#ports.wait(message.seconds * 1000, () => this.#ask());
    else if (message.type === 'refused') this.#end(message.message);
    else if (message.type === 'taken') {
      this.#tell({ made: this.#state.made + 1, message: null });
      await this.#forget();
      this.#ask();
    } else {
      const current = this.#current;
      if (current?.id !== message.id) return;
      await this.#ports.session.stop(current.experimentId);
      await this.#forget();
      this.#ask();
    }
  }

  async #begin(message: Extract<FromRelay, { type: 'run' }>): Promise<void> {
    const { session, records } = this.#ports;
    // Asked for again after the relay was away: it goes on.
    if (this.#current?.id === message.id) {
      this.#tell({ phase: 'training', run: this.#runOf(this.#current, message.key) });
      if ((await records.experiment(this.#current.experimentId)).status === 'done') await this.#deliver(this.#current);
      return;
    }
    const before = this.#current;
    await this.#forget();
    if (before) await session.stop(before.experimentId);
    try {
      const spec = experimentFor(message);
      const [run] = resolveRuns(spec);
      const experimentId = await studyId(message.key);
      const isThere = await records.has(experimentId);
      const status = isThere ? (await records.experiment(experimentId)).status : null;
      const current: Current = {
        id: message.id,
        experimentId,
        runId: runIdOf(experimentId, run),
        of: run.steps,
        step: 0,
        reward: null,
        isOwn: status === 'done',
        quiet: () => {},
      };
      this.#current = current;
      this.#tell({ phase: 'training', run: this.#runOf(current, message.key), message: null });
      this.#beat(current, (message.lease * 1000) / SIGNS_PER_LEASE);
      if (status === 'done') await this.#deliver(current);
      else if (status === null) await session.start(experimentId, spec);
      else if (status === 'stopped' || status === 'failed') await session.resume(experimentId);
    } catch (error) {
      if (!(error instanceof LabError)) throw error;
      const text = `${error.message} ${error.remedy}`;
      this.#tell({ message: text });
      if (this.#current) this.#giveBack(this.#current, text);
      else {
        this.#send({ type: 'release', id: message.id, error: text.slice(0, 4000) });
        this.#cancelWait = this.#ports.wait(1000, () => this.#ask());
      }
    }
  }

  #runOf({ experimentId, step, of }: Current, key: string): RelayState['run'] {
    return { experimentId, key, step, of };
  }

  #sign({ id, step, reward }: Current): void {
    this.#send({ type: 'at', id, step, reward });
  }

  /** A long step is no silence. */
  #beat(current: Current, ms: number): void {
    current.quiet = this.#ports.wait(ms, () => {
      if (this.#current !== current) return;
      this.#sign(current);
      this.#beat(current, ms);
    });
  }

  async #deliver(current: Current): Promise<void> {
    const record = await this.#ports.records.run(current.runId);
    if (record) this.#send({ type: 'done', id: current.id, record });
    else this.#giveBack(current, 'Its record is gone.');
  }

  #giveBack(current: Current, error: string): void {
    this.#send({ type: 'release', id: current.id, error: error.slice(0, 4000) });
    this.#tell({ message: error });
    current.quiet();
    this.#current = null;
    this.#cancelWait = this.#ports.wait(1000, () => this.#ask());
  }

  /** What the relay has is not kept here too. */
  async #forget(): Promise<void> {
    const current = this.#current;
    this.#current = null;
    current?.quiet();
    if (current && !current.isOwn) await this.#ports.session.delete(current.experimentId).catch(() => {});
  }

  #end(message: string): void {
    if (this.hasEnded) return;
    this.#cancelWait();
    const current = this.#current;
    this.#current = null;
    current?.quiet();
    if (current) this.#send({ type: 'release', id: current.id });
    const socket = this.#socket;
    this.#socket = null;
    this.#tell({ phase: 'ended', run: null, message });
    socket?.close();
    if (current) void this.#ports.session.stop(current.experimentId);
  }
}

/** Throws SpecError for what this lab would not train. */
function experimentFor({ key, spec, device }: Extract<FromRelay, { type: 'run' }>): ExperimentSpec {
  if (!EMBEDDED_MODELS.includes(spec.model))
    throw new SpecError(
      `The model ${spec.model} is not one of the lab’s own.`,
      'A relay trains only the lab’s own models.',
    );
  const experiment = { ...experimentOf(spec), device };
  const runs = resolveRuns(experiment);
  if (runs.length !== 1 || runKey(runs[0]) !== key)
    throw new SpecError(
      'The relay’s run is not the one that was announced.',
      'Reload the page: its lab may be another version.',
    );
  return experiment;
}
