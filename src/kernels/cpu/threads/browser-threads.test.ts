// Tests that threads are offered only if shared memory can be created, whatever the page reports about its isolation.
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type MemoryScope, sharesMemory } from '../../../lib/shared-memory.ts';
import { browserThreads } from './browser-threads.ts';

const whole: MemoryScope = { crossOriginIsolated: true, SharedArrayBuffer, WebAssembly };
const refusing = class {
  buffer = null;
  constructor() {
    throw new TypeError('no shared memory');
  }
};
const cases: [string, Partial<MemoryScope>, boolean][] = [
  ['an isolated page with shared memory', {}, true],
  ['an isolated page without SharedArrayBuffer (WebKit)', { SharedArrayBuffer: undefined }, false],
  ['a page that is not isolated', { crossOriginIsolated: false }, false],
  ['a browser without crossOriginIsolated', { crossOriginIsolated: undefined }, false],
  [
    'one that creates unshared memory',
    {
      WebAssembly: {
        Memory: class {
          buffer = new ArrayBuffer(0);
        },
      },
    },
    false,
  ],
  ['one that refuses to create it', { WebAssembly: { Memory: refusing } }, false],
];

afterEach(() => vi.unstubAllGlobals());

describe('shared memory', () => {
  it.each(cases)('%s', (_, change, shares) => {
    expect(sharesMemory({ ...whole, ...change })).toBe(shares);
  });

  it('without it the CPU device gets no threads, even if the page is isolated', () => {
    vi.stubGlobal('crossOriginIsolated', true);
    expect(browserThreads(4)).toMatchObject({ count: 4 });
    vi.stubGlobal('SharedArrayBuffer', undefined);
    expect(browserThreads(4)).toBeUndefined();
  });
});
