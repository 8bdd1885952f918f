// Tests that the lists of arms, options and states name every method that has some, in the methods' order.
import { expect, it } from 'vitest';
import { METHOD_ARMS, METHOD_OPTIONS, METHOD_STATES, METHODS } from './index.ts';
import type { Method } from './method.ts';

const all: readonly Method[] = METHODS;

it('has the arms, the options and the states of all methods', () => {
  expect(Object.keys(METHOD_ARMS)).toEqual(all.flatMap(({ arms }) => Object.keys(arms)));
  expect(METHOD_OPTIONS).toEqual(all.flatMap(({ options }) => options ?? []));
  expect(METHOD_STATES).toEqual(Object.assign({}, ...all.map(({ stored }) => stored)));
});
