// Tests the allocator of the WebAssembly memory: blocks never overlap, growth is announced, and invalid requests are refused.
import { describe, expect, it } from 'vitest';
import { CounterRng, STREAMS } from '../../rng/index.ts';
import { createMemory, WasmHeap } from './heap.ts';

const newHeap = () => new WasmHeap(new WebAssembly.Memory({ initial: 1, maximum: 2000 }), 1000, 1999 * 65536);

describe('WasmHeap', () => {
  it('keeps live blocks disjoint, aligned and zeroed, and reclaims all memory', () => {
    const heap = newHeap();
    const rng = CounterRng.of(1, STREAMS.test);
    const living = new Map<number, number>();
    for (let round = 0; round < 3000; round++) {
      if (living.size > 0 && rng.uniform() < 0.48) {
        const at = rng.choice([...living.keys()]);
        const bytes = new Uint8Array(heap.memory.buffer, at, living.get(at));
        expect(bytes.every((byte) => byte === (at >> 6) % 251)).toBe(true); // not overwritten
        living.delete(at);
        heap.release(at);
      } else {
        const size = rng.int(rng.uniform() < 0.1 ? 100_000 : 300);
        const at = heap.allocate(size);
        expect(at % 64).toBe(0);
        expect(at).toBeGreaterThanOrEqual(1000);
        const bytes = new Uint8Array(heap.memory.buffer, at, size);
        expect(bytes.every((byte) => byte === 0)).toBe(true);
        bytes.fill((at >> 6) % 251);
        expect(living.has(at)).toBe(false);
        living.set(at, size);
      }
    }
    for (const at of living.keys()) heap.release(at);
    // All spans have merged: a block as large as the whole memory fits without growth.
    const { generation } = heap;
    expect(heap.allocate(heap.memory.buffer.byteLength - 1024)).toBe(1024);
    expect(heap.generation).toBe(generation);
  });

  it('merges a block with free neighbours on both sides', () => {
    for (const order of [
      [0, 1, 2],
      [0, 2, 1],
      [1, 0, 2],
      [1, 2, 0],
      [2, 0, 1],
      [2, 1, 0],
    ]) {
      const heap = newHeap();
      const blocks = [0, 1, 2].map(() => heap.allocate(64));
      heap.allocate(64); // keeps the free span inside the heap
      for (const i of order) heap.release(blocks[i]);
      expect(heap.allocate(192)).toBe(blocks[0]);
    }
  });

  it('announces growth, and refuses what cannot fit and a double release', () => {
    const heap = newHeap();
    const at = heap.allocate(100);
    expect(heap.generation).toBe(0);
    heap.allocate(200_000);
    expect(heap.generation).toBe(1);
    expect(() => heap.allocate(2000 * 65536)).toThrow(RangeError);
    expect(createMemory().limit).toBeGreaterThan(2 ** 26);
    heap.release(at);
    expect(() => heap.release(at)).toThrow(/not allocated/);
    expect(heap.allocate(100)).toBe(at);
  });

  it('keeps its scratch region until a larger one is requested', () => {
    const heap = newHeap();
    const first = heap.scratch(1000);
    expect(heap.scratch(500)).toBe(first);
    const block = heap.allocate(64);
    expect(block).toBeGreaterThanOrEqual(first + 1000);
    const second = heap.scratch(5000);
    expect(second).not.toBe(first);
    expect(heap.allocate(64)).toBe(first); // the old region was released
  });
});
