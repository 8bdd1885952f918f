// A binary heap with the same internal order as Python's heapq: the reference's event log is a stable sort of such a heap by time only, so
// events of the same second are in the order of the heap.

export class Heap<T> {
  private readonly items: T[] = [];

  /** @param isLess strict order; ties keep the heap's order */
  constructor(private readonly isLess: (a: T, b: T) => boolean) {}

  get size(): number {
    return this.items.length;
  }

  peek(): T | undefined {
    return this.items[0];
  }

  push(item: T): void {
    this.items.push(item);
    this.rise(0, this.items.length - 1);
  }

  pop(): T | undefined {
    const last = this.items.pop();
    const first = this.items[0];
    if (last === undefined || first === undefined) return last;
    this.items[0] = last;
    this.sink();
    return first;
  }

  /** Sorted items; equal ones in the order of the heap. */
  sorted(): T[] {
    return [...this.items].sort((a, b) => (this.isLess(a, b) ? -1 : this.isLess(b, a) ? 1 : 0));
  }

  private rise(from: number, place: number): void {
    const item = this.items[place] as T;
    let at = place;
    while (at > from) {
      const parent = (at - 1) >> 1;
      const above = this.items[parent] as T;
      if (!this.isLess(item, above)) break;
      this.items[at] = above;
      at = parent;
    }
    this.items[at] = item;
  }

  /** Moves down along the smaller children to a leaf, then up again, as heapq does. */
  private sink(): void {
    const item = this.items[0] as T;
    const end = this.items.length;
    let at = 0;
    let child = 1;
    while (child < end) {
      const right = child + 1;
      if (right < end && !this.isLess(this.items[child] as T, this.items[right] as T)) child = right;
      this.items[at] = this.items[child] as T;
      at = child;
      child = 2 * at + 1;
    }
    this.items[at] = item;
    this.rise(0, at);
  }
}
