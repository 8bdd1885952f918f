// The events that are due some day, by time and then id. An action or an oracle's event is queued once in a run, also after it has
// been taken out: a join is found again by each event that it waits for.
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

  /** Its time is set. */
  put(event: ScenarioEvent): void {
    const isOnce = event.kind === 'action' || event.kind === 'oracle';
    if (isOnce && this.queued.has(event.id)) return;
    this.queued.add(event.id);
    this.heap.push(event);
  }

  /** Back into the queue, whatever it is: it was taken out and not yet processed. */
  putBack(event: ScenarioEvent): void {
    this.heap.push(event);
  }

  peek(): ScenarioEvent | undefined {
    return this.heap.peek();
  }

  /** All that are due at `time`, in order. */
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
