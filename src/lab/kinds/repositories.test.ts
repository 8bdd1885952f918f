import { describe, expect, it } from 'vitest';
import { KIND_IDS } from '../../experiments/records/kind.ts';
import { KEPT_KINDS } from '../protocol/kept.ts';
import { createRepositories } from './repositories.ts';

describe('the table of keepers', () => {
  const repositories = createRepositories({
    lab: () => Promise.reject(),
    target: () => Promise.reject(),
    isProbing: () => false,
  });

  it('has every kind, and a keeper for those that keep something of their own', () => {
    expect(Object.keys(repositories)).toEqual([...KIND_IDS]);
    expect(KIND_IDS.filter((kind) => repositories[kind] !== null)).toEqual(KEPT_KINDS);
  });

  it('knows each kind’s zip by a file of its own', () => {
    const marks = KEPT_KINDS.map((kind) => repositories[kind].mark);
    expect(new Set(marks).size).toBe(KEPT_KINDS.length);
  });
});
