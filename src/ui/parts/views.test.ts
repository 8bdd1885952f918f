import { describe, expect, it } from 'vitest';
import { KIND_IDS } from '../../experiments/records/kind.ts';
import { KIND_ROUTES, OWN_PARAMS, VIEWS } from './views.ts';

describe('where kinds are on the page', () => {
  it('is a view that there is, for every kind', () => {
    expect(Object.keys(KIND_ROUTES)).toEqual([...KIND_IDS]);
    for (const view of Object.values(KIND_ROUTES)) expect(VIEWS.map(({ id }) => id)).toContain(view);
  });
});

describe('what an address says within a view', () => {
  it('has each name once', () => {
    expect(new Set(OWN_PARAMS).size).toBe(OWN_PARAMS.length);
  });
});
