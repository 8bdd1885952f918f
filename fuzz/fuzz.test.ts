// Runs a small share of `npm run fuzz`: every reader reads valid input, and damaged or hostile input gives a result or a named error in time.
// Also tests that the judge notices each fault that it should.

import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { describe, expect, it } from 'vitest';
import { judgeSeed, READERS } from './corpus.ts';
import { judge, type Reader } from './judge.ts';
import { Random } from './random.ts';

const SHARE = 12;

describe.each(READERS.map((reader) => [reader.name, reader] as const))('%s', (_, reader) => {
  it('is read where it is whole', async () => {
    await reader.read((await reader.good).slice());
  });

  it(`gives a result or a named error for ${SHARE} bad inputs`, async () => {
    for (let seed = 1; seed <= SHARE; seed++) {
      const { kind, why } = await judgeSeed(reader, seed);
      expect(kind === 'fault' ? `seed ${seed}: ${why}` : null).toBeNull();
    }
  });

  it('has the same input for the same seed', async () => {
    const [one, again] = await Promise.all([
      reader.make(new Random(7, reader.name)),
      reader.make(new Random(7, reader.name)),
    ]);
    expect(Buffer.compare(one, again)).toBe(0);
  });
});

describe('the judge', () => {
  const reader = (read: () => unknown): Reader => ({
    name: 'x',
    what: 'x',
    good: new Uint8Array(1),
    make: () => new Uint8Array(1),
    read,
  });
  const thrown = (error: unknown) => () => {
    throw error;
  };
  const of = async (read: () => unknown) => (await judge(reader(read), new Uint8Array(1))).kind;

  it('takes a result and a named error, and nothing else that is thrown', async () => {
    expect(await of(() => 1)).toBe('result');
    expect(await of(thrown(new FormatError('a', 'b')))).toBe('refused');
    expect(await of(() => Promise.reject(new FormatError('a', 'b')))).toBe('refused');
    for (const error of [new TypeError('x'), new RangeError('x'), new SyntaxError('x'), new FormatError('a', ' '), 'x'])
      expect(await of(thrown(error))).toBe('fault');
  });

  it('sees a property that an input set on everything', async () => {
    expect(await of(() => Object.assign(Object.prototype, { polluted: 1 }))).toBe('fault');
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
    expect(await of(() => Object.assign(Object, { polluted: 1 }))).toBe('fault');
    expect(await of(() => 1)).toBe('result');
  });

  it('sees a reading that takes longer than its bytes allow', async () => {
    const busy = () => {
      const used = () => process.cpuUsage().user + process.cpuUsage().system;
      for (const before = used(); used() - before < 300_000; ) Array.from({ length: 1e5 }, Math.sqrt);
    };
    expect(await of(busy)).toBe('fault');
    expect((await judge(reader(busy), new Uint8Array(3_000_000))).kind).toBe('result');
  });
});
