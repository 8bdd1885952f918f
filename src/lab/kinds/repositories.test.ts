import { describe, expect, it } from 'vitest';
import { KIND_IDS } from '../../experiments/records/kind.ts';
import { createRepositories } from './repositories.ts';

describe('the table of repositories', () => {
  const repositories = createRepositories({
    lab: () => Promise.reject(),
    target: () => Promise.reject(),
    isProbing: () => false,
  });

  it('has every stored kind of record', () => {
    expect(Object.keys(repositories)).toEqual([...KIND_IDS]);
  });

  it('identifies each kind’s zip by its own file', () => {
    const marks = KIND_IDS.map((kind) => repositories[kind].mark);
    expect(new Set(marks).size).toBe(KIND_IDS.length);
  });
});
