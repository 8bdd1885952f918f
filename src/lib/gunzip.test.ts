// Tests gzip files of other programs: several members, padding, and refusals with reasons.
import { deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { gunzip } from './gunzip.ts';

const joined = (...parts: Uint8Array[]) => new Uint8Array(Buffer.concat(parts));
const text = (packed: Uint8Array, most = 1e6) => new TextDecoder().decode(gunzip(packed, most));
const a = gzipSync('first\n');
const b = gzipSync('second\n');
const zeros = new Uint8Array(512);
const flipped = (bytes: Uint8Array, at: number) => bytes.map((byte, i) => (i === bytes.length + at ? byte ^ 1 : byte));

describe('gzip', () => {
  it.each([
    ['one member', a, 'first\n'],
    ['two members', joined(a, b), 'first\nsecond\n'],
    ['an empty member between two', joined(a, gzipSync(''), b), 'first\nsecond\n'],
    ['one empty member', gzipSync(''), ''],
    ['zeros after the last member', joined(a, b, zeros), 'first\nsecond\n'],
    ['a zero after an empty member', joined(gzipSync(''), new Uint8Array(1)), ''],
    // Every member exceeds the library's chunk size.
    [
      'large members',
      joined(gzipSync('x'.repeat(70_000)), gzipSync('y'.repeat(65_536))),
      'x'.repeat(70_000) + 'y'.repeat(65_536),
    ],
  ])('is read whole: %s', (_, packed, expected) => {
    expect(text(packed)).toBe(expected);
  });

  it.each([
    ['nothing', new Uint8Array(0), 'it is empty'],
    ['text', new TextEncoder().encode('{"a": 1}'), 'it is no gzip'],
    ['zlib’s other form', new Uint8Array(deflateSync('first')), 'it is no gzip'],
    ['zeros alone', zeros, 'it is no gzip'],
    ['one byte more', joined(a, new TextEncoder().encode('j')), 'it is cut off'],
    [
      'other bytes after it',
      joined(a, new TextEncoder().encode('junk')),
      `at byte ${a.length}, is neither another one`,
    ],
    ['other bytes after padding', joined(a, zeros, new TextEncoder().encode('junk')), 'byte 538 is not zero'],
    // zlib itself would stop at the padding and miss the second member.
    ['a member after padding', joined(a, zeros, b), 'byte 538 is not zero'],
    ['a first member cut off', a.subarray(0, -3), 'it is cut off'],
    ['a second member cut off', joined(a, b.subarray(0, -1)), 'it is cut off'],
    ['a second header cut off', joined(a, b.subarray(0, 7)), 'it is cut off'],
    ['a wrong checksum', flipped(a, -8), 'incorrect data check'],
    ['a wrong length', flipped(joined(a, b), -1), 'incorrect length check'],
  ])('is refused with a reason: %s', (_, packed, why) => {
    expect(() => gunzip(packed, 1e6)).toThrow(why);
  });

  it('stops at the first byte beyond the limit, over all members', () => {
    expect(text(joined(a, b), 13)).toBe('first\nsecond\n');
    expect(() => gunzip(joined(a, b), 12)).toThrow(RangeError);
    expect(() => gunzip(gzipSync(new Uint8Array(10_000_000)), 1000)).toThrow(/more than 1000 bytes/);
  });
});
