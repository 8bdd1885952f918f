import { describe, expect, it } from 'vitest';
import { KIND_IDS } from '../../experiments/records/kind.ts';
import { KIND_ROUTES, OWN_PARAMS, VIEWS } from './views.ts';

describe('the views of record kinds', () => {
  it('exist for every kind', () => {
    expect(Object.keys(KIND_ROUTES)).toEqual([...KIND_IDS]);
    for (const view of Object.values(KIND_ROUTES)) expect(VIEWS.map(({ id }) => id)).toContain(view);
  });
});

describe('the parameters of a view in an address', () => {
  it('have unique names', () => {
    expect(new Set(OWN_PARAMS).size).toBe(OWN_PARAMS.length);
  });
});
