// Tests that the order of the environments does not depend on the names of their exports.
import { expect, it } from 'vitest';
import { CAPABILITIES, inOrder } from '../config/environments.ts';
import { ENVIRONMENTS, PRETRAINED_ENVIRONMENTS } from './registry.ts';

it('has the environments of the docs’ questions first, then the others by id', () => {
  const of = (...ids: string[]) => inOrder(Object.fromEntries(ids.map((id, i) => [`E${9 - i}`, { id }])));
  const ordered = ['one-line-python', 'leetcode', 'arithmetic', 'zoo'];
  expect(of('zoo', 'leetcode', 'arithmetic', 'one-line-python').map(({ id }) => id)).toEqual(ordered);
  expect(of('arithmetic', 'one-line-python', 'zoo', 'leetcode').map(({ id }) => id)).toEqual(ordered);
});

it('fills in what an environment does not declare', () => {
  const [code, own] = inOrder({ A: { id: 'one-line-python', pairs: true }, B: { id: 'own' } });
  expect(code).toMatchObject({ pairs: true, teacher: false, loopholes: false });
  expect(own).toMatchObject({ example: 'own', pairs: false, teacher: false, loopholes: false });
  expect([own.named('own'), own.named('other')]).toEqual([true, false]);
  for (const { pairs, teacher, loopholes } of [...ENVIRONMENTS, ...CAPABILITIES])
    expect([pairs, teacher, loopholes].map((one) => typeof one)).toEqual(['boolean', 'boolean', 'boolean']);
});

it('is the same for capabilities and registry, and begins with the default environment', () => {
  expect(ENVIRONMENTS.map(({ id }) => id)).toEqual(CAPABILITIES.map(({ id }) => id));
  expect(ENVIRONMENTS.slice(0, 2).map(({ id }) => id)).toEqual(['one-line-python', 'leetcode']);
  expect(PRETRAINED_ENVIRONMENTS[0]).toBe('one-line-python');
});
