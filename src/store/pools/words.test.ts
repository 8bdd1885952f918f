import { describe, expect, it } from 'vitest';
import type { PoolUse } from '../../experiments/records/pool.ts';
import type { PoolReport } from '../../lab/protocol/protocol.ts';
import { poolName, poolOptions, poolUseText } from './words.ts';

const hash = (letter: string) => letter.repeat(64);
const pool = (sha256: string, changes: Partial<PoolReport> = {}): PoolReport => ({
  id: `file-${sha256}`,
  sha256,
  createdAt: 0,
  bytes: 1,
  rows: 8,
  problems: 4,
  exploited: 1,
  lucky: 0,
  solved: 2,
  mechanisms: {},
  graderVersion: null,
  origin: 'file',
  name: null,
  teacher: null,
  withLogprobs: 0,
  ...changes,
});

describe('teacher pools in words', () => {
  it('are named by their file, their writer, or their kind', () => {
    expect(poolName(pool(hash('a'), { name: 'mine.jsonl' }))).toBe('mine.jsonl');
    expect(poolName(pool(hash('a'), { teacher: 'tiny-coder as it is' }))).toBe('tiny-coder as it is');
    expect(poolName(pool(hash('a'), { origin: 'built' }))).toBe('Templates aaaaaaaa');
  });

  it('can be chosen once each, with templates first; a chosen pool stays in the list even if it is not stored', () => {
    const templates = pool(hash('t'), { id: 'key', origin: 'built' });
    const pools = [pool(hash('a'), { name: 'new' }), pool(hash('b')), pool(hash('a'), { name: 'old' }), templates];
    const values = (chosen: string) => poolOptions(pools, chosen).map(({ value }) => value);
    expect(values('')).toEqual(['', hash('a'), hash('b')]);
    expect(poolOptions(pools, '')[1].label).toBe('new (8 rows, aaaaaaaa)');
    expect(values(hash('t'))).toEqual(['', hash('a'), hash('b'), hash('t')]);
    expect(poolOptions(pools, hash('c')).at(-1)).toEqual({ value: hash('c'), label: 'not kept here: cccccccc' });
  });

  it('describe accurately what a run used from a pool', () => {
    const use: PoolUse = {
      sha256: hash('a'),
      rows: 8,
      problems: 4,
      ofProblems: 4,
      unused: 0,
      cut: 0,
      retokenised: 0,
      withLogprobs: 0,
      graderKnown: true,
    };
    expect(poolUseText(use, 48)).toBe('8 rows for 4 of 4 problems');
    const odd = { ...use, problems: 3, unused: 2, cut: 1, retokenised: 5, withLogprobs: 6, graderKnown: false };
    for (const part of [
      /3 of 4/,
      /live rollouts/,
      /2 rows belong/,
      /1 are longer than 48/,
      /5 were/,
      /6 with/,
      /not say/,
    ])
      expect(poolUseText(odd, 48)).toMatch(part);
  });
});
