// What goes on at a queue, for the pages that are connected to its relay: who is at what, how much waits, what came in, went back or was set
// apart, what it took. Counts begin with the relay and are kept in memory alone; they decide nothing.
import type { Queue, QueueEvents } from 'bullmq';
import { type Board, MOST_SHOWN } from '../../experiments/sweep/relay/messages.ts';
import { checkedBy, type QueuedRun, RunProgress } from '../sweep/queue/redis.ts';

/** Over which the pace is measured, in milliseconds. */
const PACE_MS = 10 * 60_000;

interface BoardPorts {
  queue: Pick<Queue, 'getActive' | 'getJobCounts'>;
  events: Pick<QueueEvents, 'on'>;
  /** Results that are not checked yet, and workers that lied. */
  ledger: { readonly held: number; readonly liars: number };
  /** Runs that pages gave back with an error. */
  desk: { readonly failures: number };
  /** Milliseconds of a steady clock. */
  now(): number;
}

export class LiveBoard {
  readonly #ports: BoardPorts;
  readonly #from: number;
  readonly #counts = { made: 0, checks: 0, lost: 0 };
  readonly #apart: { id: string; message: string }[] = [];
  /** Second and third tries that were seen at work. */
  readonly #again = new Set<string>();
  #ends: number[] = [];
  /** Of workers, in seconds: how many are at work, summed up look by look. */
  #spent = 0;
  #lookedAt: number;

  constructor(ports: BoardPorts) {
    this.#ports = ports;
    const { events, now } = ports;
    this.#from = now();
    this.#lookedAt = now();
    events.on('completed', ({ jobId }) => {
      if (checkedBy(jobId) !== jobId) this.#counts.checks++;
      else {
        this.#counts.made++;
        this.#ends.push(now());
      }
    });
    events.on('stalled', () => void this.#counts.lost++);
    events.on('failed', ({ jobId, failedReason }) => {
      this.#apart.unshift({ id: checkedBy(jobId), message: failedReason.slice(0, 500) });
      this.#apart.splice(MOST_SHOWN.apart);
    });
  }

  async look(): Promise<Board> {
    const { queue, ledger, desk, now } = this.#ports;
    const counts = await queue.getJobCounts('waiting', 'prioritized', 'delayed', 'active');
    const active = await queue.getActive(0, MOST_SHOWN.workers - 1);
    const at = now();
    this.#spent += (counts.active * (at - this.#lookedAt)) / 1000;
    this.#lookedAt = at;
    this.#ends = this.#ends.filter((end) => at - end < PACE_MS);
    const waiting = counts.waiting + counts.delayed;
    const perHour = (this.#ends.length / Math.max(1, Math.min(PACE_MS, at - this.#from))) * 3_600_000;
    const workers = active.flatMap((job) => {
      const { key, spec } = job.data as QueuedRun;
      const said = RunProgress.safeParse(job.progress).data;
      if (typeof key !== 'string' || typeof spec?.steps !== 'number') return [];
      const attempt = job.attemptsMade + 1;
      if (attempt > 1) this.#again.add(`${job.id} ${attempt}`);
      return [
        {
          id: job.id as string,
          key,
          worker: said?.worker ?? null,
          of: spec.steps,
          attempt,
          step: said?.step ?? 0,
          reward: said?.reward ?? null,
        },
      ];
    });
    return {
      workers,
      waiting,
      atWork: counts.active,
      toCheck: counts.prioritized,
      held: ledger.held,
      liars: ledger.liars,
      ...this.#counts,
      retried: this.#again.size + desk.failures,
      apart: [...this.#apart],
      spent: this.#spent,
      perHour: this.#ends.length > 0 ? perHour : null,
      left: this.#ends.length > 0 ? ((waiting + counts.active) / perHour) * 3600 : null,
    };
  }
}
