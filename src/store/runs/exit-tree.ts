// An ExIt buffer as a tree: below each base task its stored answers, each below the answer from which it was revised. Pure functions.
import type { Entry } from '../../environments/exit/sampler.ts';

export interface BufferNode {
  entry: Entry;
  children: BufferNode[];
}

export interface BufferTask {
  task: string;
  /** Highest score of its entries. */
  score: number;
  entries: number;
  roots: BufferNode[];
}

/** Tasks by their highest score, then by name; nodes by score, then by age. A node whose parent is missing is directly below the task. */
export function bufferTree(entries: readonly Entry[]): BufferTask[] {
  const nodes = new Map(entries.map((entry) => [entry.id, { entry, children: [] as BufferNode[] }]));
  const tasks = new Map<string, BufferTask>();
  for (const node of nodes.values()) {
    const { task, parent, score } = node.entry;
    const of = tasks.get(task) ?? { task, score: Number.NEGATIVE_INFINITY, entries: 0, roots: [] };
    tasks.set(task, of);
    of.score = Math.max(of.score, score);
    of.entries += 1;
    // A parent has a lower id than its child, which is checked so that a damaged file cannot form a cycle.
    const above = parent === null || parent >= node.entry.id ? undefined : nodes.get(parent);
    (above ? above.children : of.roots).push(node);
  }
  const order = (a: BufferNode, b: BufferNode) => b.entry.score - a.entry.score || a.entry.id - b.entry.id;
  for (const { children } of nodes.values()) children.sort(order);
  for (const { roots } of tasks.values()) roots.sort(order);
  return [...tasks.values()].sort((a, b) => b.score - a.score || (a.task < b.task ? -1 : 1));
}

/** Number of entries with a history of 1, 2, … answers. */
export function depthCounts(entries: readonly Entry[]): number[] {
  const counts: number[] = [];
  for (const { history } of entries) {
    while (counts.length < history.length) counts.push(0);
    counts[history.length - 1] += 1;
  }
  return counts;
}

/** The counts as a table's data. A cell's shade is its share of the largest count. */
export function depthTable(entries: readonly Entry[]) {
  const counts = depthCounts(entries);
  const most = Math.max(1, ...counts);
  return {
    corner: 'answers before the next revision',
    columns: ['answers in the buffer'],
    rows: counts.map((count, i) => ({
      label: String(i + 1),
      cells: [{ text: String(count), shade: count / most, tone: 'size' as const }],
    })),
  };
}
