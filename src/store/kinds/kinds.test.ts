import { describe, expect, it } from 'vitest';
import { KIND_IDS } from '../../experiments/records/kind.ts';
import { KEPT_KINDS } from '../../lab/protocol/kept.ts';
import { initialState } from '../page/initial-state.ts';
import { KINDS_ON_PAGE } from './kinds.ts';

describe('the page’s table of kinds', () => {
  it('has every kind, and words for those that are kept', () => {
    expect(Object.keys(KINDS_ON_PAGE)).toEqual([...KIND_IDS]);
    expect(KIND_IDS.filter((kind) => KINDS_ON_PAGE[kind] !== null)).toEqual(KEPT_KINDS);
    expect(Object.keys(initialState().kept)).toEqual(KEPT_KINDS);
  });
});
