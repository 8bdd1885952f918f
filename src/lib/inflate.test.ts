// Tests that compressed data is unpacked completely, within the limit.
import { deflateSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { inflateUpTo, roomFor } from './inflate.ts';

const noise = (length: number) => Uint8Array.from({ length }, (_, i) => (Math.imul(i, 2654435761) >>> 13) & 0xff);

describe('unpacking', () => {
  it('restores data of any length', () => {
    for (const content of [new Uint8Array(0), noise(1), noise(5000), noise(300_000), new Uint8Array(300_000)]) {
      const most = content.length;
      expect(Buffer.compare(inflateUpTo(deflateSync(content), most), content)).toBe(0);
    }
  });

  it('stops beyond the limit, and at damage', () => {
    const zeros = deflateSync(new Uint8Array(10_000_000));
    expect(() => inflateUpTo(zeros, 9_999_999)).toThrow(/more than 9999999 bytes/);
    expect(() => inflateUpTo(zeros, 1000)).toThrow(RangeError);
    expect(() => inflateUpTo(deflateSync(noise(5000)).slice(0, 600), 5000)).toThrow();
    expect(() => inflateUpTo(noise(5000), 5000)).toThrow();
  });

  it('limits the size in proportion to the packed size', () => {
    expect([roomFor(0, 10, 99), roomFor(1, 10, 999), roomFor(1e6, 10, 999)]).toEqual([10, 110, 999]);
  });
});
