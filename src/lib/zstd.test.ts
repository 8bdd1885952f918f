// Tests Zstandard: frames of the reference implementation (zstd 1.5), frames of Node's if it supports it, and hostile data.
import { readFileSync } from 'node:fs';
import * as zlib from 'node:zlib';
import { expect, it } from 'vitest';
import { rawFrame, SMALL } from './testing/zstd-frames.ts';
import { unzstd } from './zstd.ts';

const WORDS = 'the hack pays and test passes while a true answer fails where nobody looks at what was asked'.split(' ');
const lines = (count: number, hasThird: boolean): string =>
  Array.from(
    { length: count },
    (_, i) => `${i}: ${WORDS[i % 17]} ${WORDS[i ** 2 % 17]}${hasThird ? ` ${i ** 3 % 9973}` : ''}\n`,
  ).join('');

/** A block with matches, and run-length blocks. */
const ZEROS = 'KLUv/QRYVAAAEAAAAQD7/znAAgIAEAADnwQALSjeJg==';
/** Four streams of literals, and blocks that reuse earlier tables. */
const LINES = readFileSync(new URL('testing/lines.zst', import.meta.url));
const bytesOf = (base64: string) => new Uint8Array(Buffer.from(base64, 'base64'));
const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

it('reads zstd’s frames one after another, and skips skippable frames', () => {
  const small = lines(600, false).slice(0, 1200);
  expect(textOf(unzstd(SMALL, 1200))).toBe(small);
  expect(textOf(unzstd(LINES, 100_000))).toBe(lines(1000, true));
  const zeros = unzstd(bytesOf(ZEROS), 300_000);
  expect([zeros.length, zeros.some((byte) => byte !== 0)]).toEqual([300_000, false]);
  const passedOver = [0x53, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3];
  const series = Uint8Array.from([...SMALL, ...passedOver, ...rawFrame(new TextEncoder().encode('end'))]);
  expect(textOf(unzstd(series, 1203))).toBe(`${small}end`);
  expect(unzstd(new Uint8Array(0), 10)).toHaveLength(0);
});

it('never produces more bytes than the limit, whatever a file claims', () => {
  for (const [packed, size] of [
    [SMALL, 1200],
    [bytesOf(ZEROS), 300_000],
    [LINES, 20_047],
  ] as const) {
    expect(unzstd(packed, size)).toHaveLength(size);
    expect(() => unzstd(packed, size - 1)).toThrow(RangeError);
  }
  // Half a gigabyte from 16 kB: run-length blocks, each of which produces 128 KiB.
  const block = [((0x20000 << 3) & 255) | 2, ((0x20000 << 3) >> 8) & 255, (0x20000 << 3) >> 16, 7];
  const bomb = Uint8Array.from([
    0x28,
    0xb5,
    0x2f,
    0xfd,
    0,
    7 << 3,
    ...Array.from({ length: 4096 }, () => block).flat(),
  ]);
  expect(() => unzstd(bomb, 2 ** 20)).toThrow('holds more than 1048576 bytes');
  // A block of 74 bytes that claims 98,047 matches of 65,539 bytes each, after a block of a thousand bytes.
  const body = [0, 255, 255, 255, 0b01010100, 0, 3, 52, ...new Array<number>(65).fill(0), 1];
  const before = rawFrame(new Uint8Array(1000)).map((byte, at) => (at === 6 ? byte & 254 : byte));
  const many = Uint8Array.from([...before, ((body.length << 3) | 5) & 255, body.length >> 5, 0, ...body]);
  expect(() => unzstd(many, 2 ** 30)).toThrow('a block makes more than 128 KiB');
});

it('refuses truncated data; damaged data gives wrong bytes or an error in words', () => {
  for (const packed of [SMALL, new Uint8Array(LINES)]) {
    for (let end = 1; end < packed.length; end += 7)
      expect(() => unzstd(packed.subarray(0, end), 1e6), `${end}`).toThrow();
    for (let at = 0; at < packed.length; at += 3) {
      const changed = packed.slice();
      changed[at] ^= 1 << (at % 8);
      // A changed literal is not detected here, since the container has the checksum; but no error may be a TypeError.
      let error: unknown = null;
      try {
        expect(unzstd(changed, 1e5).length).toBeLessThanOrEqual(1e5);
      } catch (caught) {
        error = caught;
      }
      expect(error).not.toBeInstanceOf(TypeError);
    }
  }
  const frame = rawFrame(new TextEncoder().encode('end'));
  const changed = (at: number, byte: number) => frame.map((own, i) => (i === at ? byte : own));
  expect(() => unzstd(changed(4, 8), 10)).toThrow('reserved bit');
  expect(() => unzstd(Uint8Array.from([...frame.subarray(0, 4), 1, 56, 9, ...frame.subarray(6)]), 10)).toThrow(
    'dictionary',
  );
  expect(() => unzstd(changed(0, 0x29), 10)).toThrow('no frame begins at byte 0');
  expect(() => unzstd(changed(6, frame[6] | 6), 10)).toThrow('reserved kind');
});

type Packer = (content: Uint8Array) => Uint8Array;
const { zstdCompressSync: ownPacker } = zlib as { zstdCompressSync?: Packer };
if (!ownPacker) console.log('zstd.test.ts: this Node has no Zstandard of its own; its frames are not read.');

it.skipIf(!ownPacker)('reads frames written by Node', () => {
  for (const count of [1, 50, 20_000]) {
    const text = lines(count, true);
    expect(textOf(unzstd(ownPacker!(new TextEncoder().encode(text)), text.length))).toBe(text);
  }
});
