import { describe, expect, it } from 'vitest';
import { KIND_IDS } from '../../experiments/records/kind.ts';
import { createRepositories } from './repositories.ts';

describe('the table of keepers', () => {
  const repositories = createRepositories({
    lab: () => Promise.reject(),
    target: () => Promise.reject(),
    isProbing: () => false,
  });

  it('has every kind that is kept', () => {
    expect(Object.keys(repositories)).toEqual([...KIND_IDS]);
  });

  it('knows each kind’s zip by a file of its own', () => {
    const marks = KIND_IDS.map((kind) => repositories[kind].mark);
    expect(new Set(marks).size).toBe(KIND_IDS.length);
  });
});
