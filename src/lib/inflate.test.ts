// Packed data comes out whole, and no further than allowed.
import { deflateSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { inflateUpTo, roomFor } from './inflate.ts';

const noise = (length: number) => Uint8Array.from({ length }, (_, i) => (Math.imul(i, 2654435761) >>> 13) & 0xff);

describe('unpacking', () => {
  it('gives back what was packed, of any length', () => {
    for (const content of [new Uint8Array(0), noise(1), noise(5000), noise(300_000), new Uint8Array(300_000)]) {
      const most = content.length;
      expect(Buffer.compare(inflateUpTo(deflateSync(content), most), content)).toBe(0);
    }
  });

  it('stops at a byte too many, and at damage', () => {
    const zeros = deflateSync(new Uint8Array(10_000_000));
    expect(() => inflateUpTo(zeros, 9_999_999)).toThrow(/more than 9999999 bytes/);
    expect(() => inflateUpTo(zeros, 1000)).toThrow(RangeError);
    expect(() => inflateUpTo(deflateSync(noise(5000)).slice(0, 600), 5000)).toThrow();
    expect(() => inflateUpTo(noise(5000), 5000)).toThrow();
  });

  it('has room in proportion', () => {
    expect([roomFor(0, 10, 99), roomFor(1, 10, 999), roomFor(1e6, 10, 999)]).toEqual([10, 110, 999]);
  });
});
