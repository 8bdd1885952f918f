import { expect, it } from 'vitest';
import { compareInAddress, compareParams, experimentOfGroup } from './compare-link.ts';

const read = (params: Record<string, string | null>) => {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) if (value !== null) search.set(name, value);
  return compareInAddress(`?view=compare&${search}`);
};

it('round-trips picks, reference, colours and smoothing of a comparison', () => {
  const picked = ['a-1/erase/total', 'b/random_V_matched-route/deployed'];
  for (const choice of [
    { picked, reference: picked[1], by: 'k', beta: 0 },
    { picked: picked.slice(1), reference: null, by: '', beta: 0.6 },
  ])
    expect(read(compareParams(choice))).toEqual(choice);
  expect(picked.map(experimentOfGroup)).toEqual(['a-1', 'b']);
  // Before any choice the address is empty.
  expect(compareParams(compareInAddress('?view=compare'))).toEqual({ of: null, against: null, by: null, smooth: null });
});

it('omits parameters that do not belong to a comparison', () => {
  const of = 'a/erase/total,a/erase/total,<b>,../x/y,/erase/total,none';
  expect(read({ of, against: 'b/erase/total', by: '<script>', smooth: '7' })).toEqual({
    picked: ['a/erase/total'],
    reference: null,
    by: '',
    beta: 0.6,
  });
  expect(read({ of: Array.from({ length: 99 }, (_, i) => `a/arm${i}/total`).join() }).picked).toHaveLength(64);
});
