import { expect, it } from 'vitest';
import { KEPT_KINDS } from '../../lab/protocol/kept.ts';
import { initialState } from '../page/initial-state.ts';
import { KEPT_ON_PAGE } from './kinds.ts';

it('has words and a list for every kind that is kept', () => {
  expect(Object.keys(KEPT_ON_PAGE)).toEqual([...KEPT_KINDS]);
  expect(Object.keys(initialState().kept)).toEqual([...KEPT_KINDS]);
});

it('exports two runs of a sweep under two names, whose ids begin alike', () => {
  const name = (id: string) => KEPT_ON_PAGE.run.fileName({ id, name: 'Sweep: lr 0.01, seed 41' } as never);
  expect(name('study-12aaaaaaaaaaaaaa')).not.toBe(name('study-12bbbbbbbbbbbbbb'));
});
