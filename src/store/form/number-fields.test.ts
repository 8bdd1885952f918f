// Checks that number fields that are not settings of a run are declared like settings, with a label and one line of at most twelve words.
import { expect, it } from 'vitest';
import { parsePoolBuild } from '../../experiments/pools/build.ts';
import { ASK_FIELDS, CORRECT_FIELD, TRAINING_FIELDS } from '../kinds/probe/fields.ts';
import { askFields } from '../playground/playground.ts';
import { POOL_PROBLEM_FIELDS, POOL_SAMPLING_FIELDS } from '../pools/fields.ts';
import type { NumberField } from './number-fields.ts';

const TABLES: Readonly<Record<string, readonly NumberField<string>[]>> = {
  playground: askFields(null),
  pools: [...POOL_PROBLEM_FIELDS, ...POOL_SAMPLING_FIELDS],
  probe: [CORRECT_FIELD, ...ASK_FIELDS, ...TRAINING_FIELDS],
};

it.each(Object.entries(TABLES))('the fields of the %s have a name and a line of help', (_where, fields) => {
  expect(fields.length).toBeGreaterThan(2);
  expect(new Set(fields.map(({ name }) => name)).size).toBe(fields.length);
  for (const { label, help = '' } of fields) {
    expect(label).toMatch(/^\p{Lu}/u);
    expect(help.split(/\s+/).length).toBeLessThanOrEqual(12);
  }
});

it('a number that is a setting of a run or a pool has the bounds by which it is checked', () => {
  const build = (name: string, value: number) => () => parsePoolBuild({ [name]: value });
  for (const { name, min, max } of [...POOL_PROBLEM_FIELDS, ...POOL_SAMPLING_FIELDS]) {
    const step = name === 'honestShare' || name === 'temperature' ? 0.01 : 1;
    // No pool can be made from honest problems only.
    if (name !== 'honestShare') expect(build(name, min), name).not.toThrow();
    expect(build(name, min - step), name).toThrow(/is not allowed/);
    expect(build(name, max + step), name).toThrow(/is not allowed/);
  }
});
