import { describe, expect, it } from 'vitest';
import { digest, KIND_IDS } from '../records/kind.ts';
import { KINDS } from './kinds.ts';

describe('the table of record types', () => {
  it('has every type once, with distinct names', () => {
    expect(Object.keys(KINDS)).toEqual([...KIND_IDS]);
    const names = KIND_IDS.flatMap((kind) => [KINDS[kind].label, KINDS[kind].plural]);
    expect(new Set(names).size).toBe(2 * KIND_IDS.length);
  });
});

describe('a digest', () => {
  it('is 22 URL characters, independent of the order of keys, and changes with any value', async () => {
    const one = await digest({ a: 1, b: [{ c: 2, d: 3 }] });
    expect(one).toMatch(/^[\w-]{22}$/);
    expect(await digest({ b: [{ d: 3, c: 2 }], a: 1 })).toBe(one);
    expect(await digest({ a: 1, b: [{ c: 2, d: 3.0000001 }] })).not.toBe(one);
    expect(await digest([1, 2])).not.toBe(await digest([2, 1]));
  });
});
