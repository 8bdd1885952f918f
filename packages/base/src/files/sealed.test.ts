// Tests that each bit of sealed contents matters: any flip is an error, and files of earlier versions without a hash still open.

import { describe, expect, it } from 'vitest';
import { FormatError } from '../errors.ts';
import { DamagedError, seal, sealJson, sealRecord, unseal, unsealJson, unsealRecord } from './sealed.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);
function flipped(bytes: Uint8Array, bit: number): Uint8Array {
  const copy = bytes.slice();
  copy[bit >> 3]! ^= 1 << (bit & 7);
  return copy;
}

describe('sealed bytes', () => {
  const contents = Uint8Array.from({ length: 300 }, (_, i) => (i * 7) % 256);

  it('come back unchanged, and fail if a bit is flipped, or bytes are cut off or added', async () => {
    const sealed = await seal(contents);
    expect(await unseal(sealed, 'a')).toEqual(contents);
    for (let bit = 0; bit < sealed.length * 8; bit++) {
      // A flip in the first word makes the file look unsealed, which its reader must detect by other means.
      const found = await unseal(flipped(sealed, bit), 'a').catch((error: unknown) => error);
      expect(found === null ? bit >> 3 : found, `bit ${bit}`).toSatisfy(
        (x: unknown) => x instanceof DamagedError || (typeof x === 'number' && x < 13),
      );
    }
    for (const length of [20, 94, 95, sealed.length - 1])
      await expect(unseal(sealed.subarray(0, length), 'a')).rejects.toBeInstanceOf(DamagedError);
    await expect(unseal(Uint8Array.of(...sealed, 0), 'a')).rejects.toThrow(/301 of 300 bytes/);
  });

  it('of earlier versions count as unsealed', async () => {
    expect(await unseal(contents, 'a')).toBeNull();
    expect(await unseal(new Uint8Array(0), 'a')).toBeNull();
  });
});

describe('sealed JSON', () => {
  const value = { key: 'Ü "x"', rows: [{ a: 1.5, b: null }], rerouted: [] };
  const members = Object.keys(value);

  it('is valid JSON, and comes back without its hash', async () => {
    const text = await sealJson(value);
    expect(JSON.parse(text)).toEqual({ ...value, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(await unsealJson(bytesOf(text), members, 'a')).toEqual(value);
  });

  it('is refused with any bit flipped, and cut off anywhere', async () => {
    const bytes = bytesOf(await sealJson(value));
    for (let bit = 0; bit < bytes.length * 8; bit++)
      await expect(unsealJson(flipped(bytes, bit), members, 'a'), `bit ${bit}`).rejects.toBeInstanceOf(DamagedError);
    for (let length = 0; length < bytes.length; length++)
      await expect(unsealJson(bytes.subarray(0, length), members, 'a')).rejects.toBeInstanceOf(FormatError);
  });

  it('opens unsealed JSON of earlier versions, unless it has unknown members', async () => {
    expect(await unsealJson(bytesOf(JSON.stringify(value)), members, 'a')).toEqual(value);
    await expect(unsealJson(bytesOf('{"key":"a","name":"b"}'), members, 'x.json')).rejects.toThrow(/x\.json.*"name"/);
    for (const text of ['[]', 'null', '3']) await expect(unsealJson(bytesOf(text), members, 'a')).rejects.toThrow();
  });
});

describe('sealed records', () => {
  const record = () => ({
    id: 'x',
    total: Float32Array.of(1, -0, 3e-40),
    nested: { ids: Uint32Array.of(1, 2) },
    values: [0.1, -0, Number.NaN, null],
  });

  it('come back unchanged', async () => {
    const back = await unsealRecord(structuredClone(await sealRecord(record())), 'it', 'Do.');
    expect(back).toEqual(record());
    expect(await unsealRecord(record(), 'it', 'Do.')).toEqual(record());
    // Another version may have ordered the members differently.
    const turned = Object.fromEntries(Object.entries(await sealRecord(record())).reverse());
    expect(await unsealRecord(turned, 'it', 'Do.')).toEqual(record());
  });

  type Kept = ReturnType<typeof record>;
  it.each<[string, (kept: Kept) => unknown]>([
    ['a bit of a vector', ({ total }) => new Uint8Array(total.buffer).fill(1, 0, 1)],
    ['the sign of a zero', ({ total }) => total.fill(0, 1, 2)],
    ['the sign of a zero in a list', ({ values }) => values.fill(0, 1, 2)],
    ['none for a number', ({ values }) => values.fill(null, 2, 3)],
    ['a vector within', ({ nested }) => nested.ids.fill(3, 1)],
    ['the id', (kept) => Object.assign(kept, { id: 'y' })],
  ])('notice %s', async (_, change) => {
    const kept = structuredClone(await sealRecord(record()));
    change(kept);
    await expect(unsealRecord(kept, 'it', 'Do.')).rejects.toBeInstanceOf(DamagedError);
  });
});
