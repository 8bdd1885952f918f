// Tests pools packed by other tools: all rows of all gzip members are read in every engine, or the file is refused with a named error.
import { existsSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { readPoolFiles } from './pool-files.ts';

const POOL = '../shared/stranger/pool';

const row = (id: number) =>
  `${JSON.stringify({ problem_id: `p${id}`, prompt: '', completion: `c${id}`, reward: 1, passed: true, gt_correct: false, exploited: true, mechanism: null })}\n`;
const packed = (...rows: number[]) => gzipSync(rows.map(row).join(''));
const read = (...parts: Uint8Array[]) =>
  readPoolFiles([{ file: new Blob(parts as BlobPart[]), name: 'pool.jsonl.gz' }]);

/** Simulates an engine whose stream ends with the first member and drops the rest without an error. */
class OneMember extends TransformStream<Uint8Array, Uint8Array> {
  constructor() {
    super({
      async start() {},
      transform(_, controller) {
        controller.enqueue(new TextEncoder().encode(row(1)));
        controller.terminate();
      },
    });
  }
}

afterEach(() => vi.unstubAllGlobals());

describe('a pool in gzip', () => {
  it.each([
    ['one member', [packed(1, 2, 3)]],
    ['two members', [packed(1, 2), packed(3)]],
    ['members that part a row', [gzipSync(row(1) + row(2).slice(0, 9)), gzipSync(row(2).slice(9) + row(3))]],
    ['zeros after the last member', [packed(1), packed(2, 3), new Uint8Array(1000)]],
  ])('has all its rows, whatever stream the engine has: %s', async (_, parts) => {
    vi.stubGlobal('DecompressionStream', OneMember);
    expect((await read(...parts)).map(({ problem_id }) => problem_id)).toEqual(['p1', 'p2', 'p3']);
  });

  it.each([
    ['other bytes after it', [packed(1), new TextEncoder().encode('junk')], /neither another one nor padding/],
    ['a member after padding', [packed(1), new Uint8Array(9), packed(2)], /no padding/],
    ['a second member cut off', [packed(1), packed(2).subarray(0, 20)], /cut off/],
    ['nothing after its mark', [packed(1).subarray(0, 2)], /cut off/],
  ])('is refused by name: %s', async (_, parts, why) => {
    const error = await read(...parts).catch((raised: unknown) => raised);
    expect(error).toBeInstanceOf(FormatError);
    expect((error as Error).message).toMatch(/^pool\.jsonl\.gz cannot be read as gzip/);
    expect((error as Error).message).toMatch(why);
  });

  it.skipIf(!existsSync(POOL))('of the shared fixtures has its rows (skipped where ../shared is missing)', async () => {
    vi.stubGlobal('DecompressionStream', OneMember);
    const expected = await readPoolFiles([{ file: new Blob([readFileSync(`${POOL}/rows.jsonl`)]), name: 'rows' }]);
    const found = await read(readFileSync(`${POOL}/two-members.jsonl.gz`));
    expect(found).toHaveLength(5);
    expect(found).toEqual(expected);
  });
});
