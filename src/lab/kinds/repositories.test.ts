import { describe, expect, it } from 'vitest';
import { KEPT_KINDS } from '../protocol/kept.ts';
import { createRepositories } from './repositories.ts';

describe('the table of keepers', () => {
  const repositories = createRepositories({
    lab: () => Promise.reject(),
    target: () => Promise.reject(),
    isProbing: () => false,
  });

  it('has every kind that is kept', () => {
    expect(Object.keys(repositories)).toEqual([...KEPT_KINDS]);
  });

  it('knows each kind’s zip by a file of its own', () => {
    const marks = KEPT_KINDS.map((kind) => repositories[kind].mark);
    expect(new Set(marks).size).toBe(KEPT_KINDS.length);
  });
});
