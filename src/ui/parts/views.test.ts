import { describe, expect, it } from 'vitest';
import { KIND_IDS } from '../../experiments/records/kind.ts';
import { KIND_ROUTES, VIEWS } from './views.ts';

describe('the tables of kinds', () => {
  it('have every kind, and a view that there is', () => {
    expect(Object.keys(KIND_ROUTES)).toEqual([...KIND_IDS]);
    for (const { view } of Object.values(KIND_ROUTES)) expect(VIEWS.map(({ id }) => id)).toContain(view);
  });

  it('share no name in an address', () => {
    const names = Object.values(KIND_ROUTES).flatMap(({ params }): readonly string[] => params);
    expect(new Set(names).size).toBe(names.length);
  });
});
