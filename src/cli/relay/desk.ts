// Between a queue on Redis and workers that have no access to it: hands runs out, one a worker, keeps their locks while signs of life come,
// and holds what comes back until enough of it has been made again elsewhere (experiments/sweep/relay/checks.ts). What a stranger says is
// data: it names no key, no other run, and fails no run by itself.
import { randomUUID } from 'node:crypto';
import { type Job, type Queue, UnrecoverableError, type Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { runIdOf } from '../../experiments/config/run-spec.ts';
import { DEVICE_CHOICES } from '../../experiments/config/spec.ts';
import { KINDS } from '../../experiments/kinds/kinds.ts';
import { runKey } from '../../experiments/kinds/study/key.ts';
import type { StudyRun } from '../../experiments/kinds/study/results.ts';
import { studyId } from '../../experiments/kinds/study/runner.ts';
import { digest } from '../../experiments/records/kind.ts';
import { numericsOf } from '../../experiments/records/numerics.ts';
import type { Claimed, Ledger, Ruling } from '../../experiments/sweep/relay/checks.ts';
import type { FromRelay, FromWorker } from '../../experiments/sweep/relay/messages.ts';
import { sealJson, unsealJson } from '../../storage/sealed.ts';
import {
  AGAIN,
  checkedBy,
  checkOf,
  DONE,
  jobIdOf,
  LIARS,
  PREFIX,
  type QueuedRun,
  readQueued,
  resultOf,
} from '../sweep/queue/redis.ts';
import { loadResult } from '../sweep/queue/store.ts';

const CLAIMED = `${PREFIX}:claimed`;
const CHECKS = `${PREFIX}:checks`;
const heldOf = (id: string): string => `${PREFIX}:held:${id}`;
/** Different workers that a run must fail for, before it is set apart. */
const MOST_FAILING = 3;
/** Seconds after which a worker that got nothing asks again. */
const WAIT = 2;

type Message<T extends FromWorker['type']> = Extract<FromWorker, { type: T }>;

interface Holding {
  id: string;
  job: Job;
  lock: string;
  run: QueuedRun;
}

interface DeskPorts {
  client: Redis;
  queue: Queue;
  /** Fetches by hand: it processes nothing itself. */
  bull: Worker;
  ledger: Ledger;
  /** Of the lab: a worker of another version may come to other bytes. */
  app: string;
  leaseMs: number;
  note(line: string): void;
  /** A worker that lied is spoken to no more. */
  onLiar(worker: string): void;
}

/** What was claimed before this relay was started. */
export async function loadClaimed(client: Redis): Promise<Claimed[]> {
  return Object.values(await client.hgetall(CLAIMED)).map((text) => JSON.parse(text) as Claimed);
}

export class Desk {
  readonly #ports: DeskPorts;
  readonly #holding = new Map<string, Holding>();
  /** Run → workers that it failed for. */
  readonly #failing = new Map<string, Map<string, string>>();
  /** Runs that workers gave back with an error, and that others try again. */
  failures = 0;

  constructor(ports: DeskPorts) {
    this.#ports = ports;
  }

  async take(worker: string, { app, devices }: Message<'take'>): Promise<FromRelay> {
    const { bull, ledger, leaseMs } = this.#ports;
    if (app !== this.#ports.app)
      return {
        type: 'refused',
        message: `The page is version ${app} of the lab, and the relay ${this.#ports.app}. Reload the page.`,
      };
    await this.leave(worker);
    const lock = randomUUID();
    const job = await bull.getNextJob(lock, { block: false });
    if (!job) {
      await this.#apply(ledger.close(worker));
      return { type: 'wait', seconds: WAIT };
    }
    const id = job.id as string;
    let run: QueuedRun;
    try {
      run = readQueued(job.data, id);
    } catch (error) {
      await job.moveToFailed(new UnrecoverableError((error as Error).message), lock, false);
      return { type: 'wait', seconds: 0 };
    }
    const own = checkedBy(id);
    const isCheck = own !== id;
    if (isCheck ? !ledger.get(own) : ledger.get(own) || (await this.#ports.client.exists(resultOf(own)))) {
      // It was made meanwhile, or nobody wants to know any more.
      await job.moveToCompleted(null, lock, false);
      return { type: 'wait', seconds: 0 };
    }
    const fits = run.device === 'auto' || (devices as string[]).includes(run.device);
    const isOwnCheck = isCheck && !ledger.mayCheck(own, worker);
    if (!fits || isOwnCheck || this.#failing.get(own)?.has(worker)) {
      await job.moveToWait(lock);
      await this.#apply(ledger.close(worker));
      return { type: 'wait', seconds: WAIT };
    }
    this.#holding.set(worker, { id, job, lock, run });
    const { key, spec, device } = run;
    return { type: 'run', id, key, spec, device, lease: leaseMs / 1000 };
  }

  async at(worker: string, { id, step, reward, figures }: Message<'at'>): Promise<FromRelay | null> {
    const held = this.#of(worker, id);
    if (!held || !(await stillHeld(held, this.#ports.leaseMs))) return { type: 'lost', id };
    await held.job.updateProgress({
      step,
      // Labs of before read it.
      of: held.run.spec.steps,
      worker,
      reward: reward ?? null,
      figures: figures ?? {},
    });
    return null;
  }

  async release(worker: string, { id, error }: Message<'release'>): Promise<FromRelay | null> {
    const held = this.#of(worker, id);
    if (!held) return { type: 'lost', id };
    this.#holding.delete(worker);
    const failing = this.#failing.get(checkedBy(id)) ?? new Map<string, string>();
    if (error !== undefined) {
      failing.set(worker, error);
      this.#failing.set(checkedBy(id), failing);
    }
    // One stranger's word sets no run apart.
    if (failing.size < MOST_FAILING) {
      if (error !== undefined) this.failures++;
      await held.job.moveToWait(held.lock);
    } else await held.job.moveToFailed(new UnrecoverableError([...failing.values()].at(-1)), held.lock, false);
    return null;
  }

  /** Its run is anybody's. */
  async leave(worker: string): Promise<void> {
    const held = this.#holding.get(worker);
    this.#holding.delete(worker);
    // Where its lock has run out it is another's already.
    await held?.job.moveToWait(held.lock).catch(() => {});
  }

  async done(worker: string, { id, record }: Message<'done'>): Promise<FromRelay> {
    const { client, ledger, leaseMs } = this.#ports;
    const held = this.#of(worker, id);
    if (!held || !(await stillHeld(held, leaseMs))) return { type: 'lost', id };
    this.#holding.delete(worker);
    const { run, job, lock } = held;
    const why = await mismatch(run, record);
    if (why !== null) {
      await job.moveToWait(lock);
      await this.#apply(ledger.accuse(worker, `what it gave for run ${checkedBy(id)} ${why}`));
      return { type: 'refused', message: `The result ${why}.` };
    }
    const own = checkedBy(id);
    const bits = await digest(KINDS.run.digested(record));
    if (own === id) {
      const result: StudyRun = { key: run.key, record: { ...record, spec: run.spec }, rerouted: [], by: worker };
      await client.set(heldOf(id), await sealJson(result));
      await this.#apply(ledger.claim(id, worker, bits, record.device), id);
    } else await this.#apply(ledger.opinion(own, { worker, digest: bits, device: record.device }), own);
    await job.moveToCompleted(null, lock, false);
    return { type: 'taken', id };
  }

  /** The worker has gone: what it left is checked as it is. */
  async left(worker: string): Promise<void> {
    await this.leave(worker);
    await this.#apply(this.#ports.ledger.close(worker));
  }

  /** Of the workers of before, none is here yet. */
  async begin(): Promise<void> {
    for (const worker of this.#ports.ledger.workers) await this.#apply(this.#ports.ledger.close(worker));
  }

  /** Checks that others than the relay's workers have made. Not twice at once. */
  async look(): Promise<void> {
    const { client, ledger, queue } = this.#ports;
    for (const id of await client.smembers(DONE)) {
      const own = checkedBy(id);
      if (own === id) continue;
      const bytes = await client.getBuffer(heldOf(own));
      const key = bytes && (await readHeld(bytes, own)).key;
      const result = key ? await loadResult(client, id, key) : null;
      if (result) {
        const bits = await digest(KINDS.run.digested(result.record));
        await this.#apply(ledger.opinion(own, { worker: null, digest: bits, device: result.record.device }), own);
      }
      await client.srem(DONE, id);
      await client.del(resultOf(id));
    }
    // A check that failed, or that a server without a memory has forgotten, is asked for again.
    for (const [own, id] of Object.entries(await client.hgetall(CHECKS))) {
      if (ledger.get(own)?.state !== 'held') await client.hdel(CHECKS, own);
      else if (!(await queue.getJob(id)) && !(await client.sismember(DONE, id))) await this.#check(own);
    }
  }

  #of(worker: string, id: string): Holding | null {
    const held = this.#holding.get(worker);
    return held?.id === id ? held : null;
  }

  async #apply({ counts, liars, dropped, checks }: Ruling, changed?: string): Promise<void> {
    const { client, ledger, note, onLiar } = this.#ports;
    for (const id of new Set([...(changed ? [changed] : []), ...counts, ...checks])) {
      const claim = ledger.get(id);
      if (claim) await client.hset(CLAIMED, id, JSON.stringify(claim));
    }
    for (const id of checks) await this.#check(id);
    for (const id of dropped) {
      await client.del(heldOf(id), resultOf(id));
      await client.hdel(CLAIMED, id);
      await client.srem(DONE, id);
      await client.sadd(AGAIN, id);
    }
    for (const { worker, why } of liars) {
      await client.hset(LIARS, worker, why);
      note(`${worker} lied: ${why}. All ${dropped.length} results of it are dropped, and made again.`);
      onLiar(worker);
    }
    for (const id of counts) {
      const bytes = await client.getBuffer(heldOf(id));
      if (bytes === null) continue;
      await client.set(resultOf(id), bytes);
      await client.sadd(DONE, id);
      await client.del(heldOf(id));
      note(`${id}  counts: made by ${ledger.get(id)?.worker}`);
    }
  }

  /** Behind all runs that nobody has made yet. */
  async #check(own: string): Promise<void> {
    const { client, queue } = this.#ports;
    const bytes = await client.getBuffer(heldOf(own));
    if (bytes === null) return;
    const { key, record } = await readHeld(bytes, own);
    const device = DEVICE_CHOICES.find((choice) => jobIdOf({ key, device: choice }) === own);
    if (!device) return;
    const id = checkOf(own, await client.incr(`${PREFIX}:check-count`));
    await client.hset(CHECKS, own, id);
    const options = { jobId: id, attempts: 1, removeOnComplete: true, removeOnFail: true, priority: 1 };
    await queue.add('run', { key, spec: record.spec, device }, options);
  }
}

/** Whether the lock is still this relay's; if so, it is kept. */
const stillHeld = async ({ job, lock }: Holding, leaseMs: number): Promise<boolean> =>
  job.extendLock(lock, leaseMs).then(
    (kept) => kept === 1,
    () => false,
  );

const readHeld = (bytes: Uint8Array, id: string): Promise<StudyRun> =>
  unsealJson(bytes, ['key', 'record', 'rerouted', 'by'], heldOf(id), 'Delete that key.');

/** In what a record is not the run's; null where it is. Its numbers are checked by making it again. */
async function mismatch({ key, spec, device }: QueuedRun, record: StudyRun['record']): Promise<string | null> {
  if (record.status !== 'done') return 'is not finished';
  if (runKey(record.spec) !== key) return 'is another run';
  if (record.id !== runIdOf(await studyId(key), spec)) return 'has another name';
  if (record.rows.length !== spec.steps) return `has ${record.rows.length} of ${spec.steps} steps`;
  if (device !== 'auto' && numericsOf(record.device) !== device)
    return `was made on ${record.device}, not on ${device}`;
  return null;
}
