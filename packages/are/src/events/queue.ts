// Scheduled events by time and then id. An action or an oracle's event is queued only once in a run, even after it was taken out: each
// dependency of a join queues the join again.
import { Heap } from '../heap.ts';
import type { ScenarioEvent } from './types.ts';

export class EventQueue {
  private readonly heap = new Heap<ScenarioEvent>((a, b) => {
    const [first, second] = [a.time as number, b.time as number];
    return first < second || (first === second && a.id < b.id);
  });
  private readonly queued = new Set<string>();

  get size(): number {
    return this.heap.size;
  }

  /** Requires that the event's time is set. */
  put(event: ScenarioEvent): void {
    const isOnce = event.kind === 'action' || event.kind === 'oracle';
    if (isOnce && this.queued.has(event.id)) return;
    this.queued.add(event.id);
    this.heap.push(event);
  }

  /** Puts an event back that was taken out and not yet processed. */
  putBack(event: ScenarioEvent): void {
    this.heap.push(event);
  }

  peek(): ScenarioEvent | undefined {
    return this.heap.peek();
  }

  /** Takes out all events due by `time`, in order. */
  take(time: number): ScenarioEvent[] {
    const due: ScenarioEvent[] = [];
    for (;;) {
      const next = this.heap.peek();
      if (next === undefined || (next.time as number) > time) return due;
      due.push(this.heap.pop() as ScenarioEvent);
    }
  }

  list(): ScenarioEvent[] {
    return this.heap.sorted();
  }
}
