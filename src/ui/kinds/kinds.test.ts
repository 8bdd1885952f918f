import { describe, expect, it } from 'vitest';
import { KIND_IDS } from '../../experiments/records/kind.ts';
import { KEPT_KINDS } from '../../lab/protocol/kept.ts';
import { VIEWS } from '../parts/views.ts';
import { KIND_ROUTES } from './routes.ts';
import { KIND_ROWS } from './rows.tsx';

describe('the tables of kinds', () => {
  it('have every kind, a view that there is, and a row for those that are kept', () => {
    expect(Object.keys(KIND_ROUTES)).toEqual([...KIND_IDS]);
    expect(Object.keys(KIND_ROWS)).toEqual([...KIND_IDS]);
    expect(KIND_IDS.filter((kind) => KIND_ROWS[kind] !== null)).toEqual(KEPT_KINDS);
    for (const { view } of Object.values(KIND_ROUTES)) expect(VIEWS.map(({ id }) => id)).toContain(view);
  });

  it('share no name in an address', () => {
    const names = Object.values(KIND_ROUTES).flatMap(({ params }): readonly string[] => params);
    expect(new Set(names).size).toBe(names.length);
  });
});
