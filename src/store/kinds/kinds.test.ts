import { expect, it } from 'vitest';
import { KIND_IDS } from '../../experiments/records/kind.ts';
import { initialState } from '../page/initial-state.ts';
import { KEPT_ON_PAGE } from './kinds.ts';

it('has words and a list for every kind that is stored', () => {
  expect(Object.keys(KEPT_ON_PAGE)).toEqual([...KIND_IDS]);
  expect(Object.keys(initialState().kept)).toEqual([...KIND_IDS]);
});

it('exports two runs of a sweep under two names, although their ids start with the same characters', () => {
  const name = (id: string) => KEPT_ON_PAGE.run.fileName({ id, name: 'Sweep: lr 0.01, seed 41' } as never);
  expect(name('study-12aaaaaaaaaaaaaa')).not.toBe(name('study-12bbbbbbbbbbbbbb'));
});
