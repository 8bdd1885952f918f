import { describe, expect, it } from 'vitest';
import type { Entry } from '../../environments/exit/sampler.ts';
import { bufferTree, depthCounts, depthTable } from './exit-tree.ts';

const entry = (id: number, task: string, parent: number | null, score: number, depth = 1): Entry => ({
  id,
  task,
  parent,
  score,
  uses: 0,
  history: Array.from({ length: depth }, (_, i) => ({ text: `${id}.${i}`, quality: i / 10 })),
});
const entries = [
  entry(3, 'b', null, 0.1),
  entry(5, 'a', 4, 0.3, 2),
  entry(6, 'b', 3, 0.2, 2),
  entry(8, 'b', 3, 0.4, 2),
  entry(9, 'b', 8, 0.4, 3),
];

describe('an ExIt buffer as a tree', () => {
  it('has answers below the ones from which they were revised, the highest score first', () => {
    const tree = bufferTree(entries);
    expect(tree.map(({ task, score, entries }) => [task, score, entries])).toEqual([
      ['b', 0.4, 4],
      ['a', 0.3, 1],
    ]);
    const [root] = tree[0].roots;
    expect(root.entry.id).toBe(3);
    expect(root.children.map(({ entry: { id } }) => id)).toEqual([8, 6]);
    expect(root.children[0].children.map(({ entry: { id } }) => id)).toEqual([9]);
    // This node's parent is not in the buffer.
    expect(tree[1].roots.map(({ entry: { id } }) => id)).toEqual([5]);
  });

  it('counts depths', () => {
    expect(depthCounts(entries)).toEqual([1, 3, 1]);
    expect(depthCounts([])).toEqual([]);
  });

  it('shows the depths as a table, shaded relative to the most frequent', () => {
    const { rows } = depthTable(entries);
    expect(rows.map(({ label, cells: [{ text, shade }] }) => [label, text, shade])).toEqual([
      ['1', '1', 1 / 3],
      ['2', '3', 1],
      ['3', '1', 1 / 3],
    ]);
    expect(depthTable([]).rows).toEqual([]);
  });
});
