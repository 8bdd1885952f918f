// Tests incremental hashing against published values and the platform's, at every length around the end of a block.
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Sha256 } from './sha256.ts';

const hash = (...parts: Uint8Array[]) => parts.reduce((sha, part) => sha.update(part), new Sha256()).digest();
const text = (s: string) => new TextEncoder().encode(s);

describe('SHA-256 in parts', () => {
  it('returns the published values', () => {
    expect(hash()).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
    expect(hash(text('abc'))).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    expect(hash(text('abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq'))).toBe(
      '248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1',
    );
  });

  it('returns the platform’s hash at every length and for every split', () => {
    const bytes = Uint8Array.from({ length: 200 }, (_, i) => (i * 37 + 11) % 256);
    for (let length = 0; length <= bytes.length; length++) {
      const some = bytes.subarray(0, length);
      const expected = createHash('sha256').update(some).digest('hex');
      expect(hash(some), `${length} bytes`).toBe(expected);
      const cut = (length * 7) % (length + 1);
      expect(hash(some.subarray(0, cut), some.subarray(cut)), `${length} bytes cut at ${cut}`).toBe(expected);
      expect(hash(...Array.from(some, (byte) => Uint8Array.of(byte)))).toBe(expected);
    }
  });
});
