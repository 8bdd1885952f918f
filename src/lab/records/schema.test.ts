// Tests checkpoints of an imported archive: the sampler's state and the returns are checked if present, and may be missing.

import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { describe, expect, it } from 'vitest';
import { COMMON } from '../../experiments/config/settings.ts';
import { readCheckpoint } from './schema.ts';

const spec = { ...COMMON, schema: 1, preset: 'smoke', arm: 'none', seed: 41, shadows: [] };
const checkpoint = {
  schema: 1,
  runId: 'a/none/41',
  context: 'c',
  step: 1,
  rows: [],
  timings: [],
  evals: [],
  t: 1,
  hackT: null,
  spec: { ...spec, projection: 'none', projectTarget: 'update' },
  history: { p: [0.5] },
};

describe('an archived checkpoint', () => {
  it('opens with and without returns and a sampler’s state, which older versions did not store', () => {
    // Keys keep their order: an export of the import has the same bytes.
    const same = (given: object) => expect(JSON.stringify(readCheckpoint(given, 'x'))).toBe(JSON.stringify(given));
    same(checkpoint);
    const today = { ...checkpoint, returns: { p: [[0.25, 0.75], []] }, sampler: '{"next":3}' };
    same(today);
  });

  it.each([
    ['sampler', { next: 3 }],
    ['returns', { p: [0.5] }],
    ['returns', { p: [['0.5']] }],
    ['returns', [[0.5]]],
  ])('with %s = %j is refused', (name, value) => {
    expect(() => readCheckpoint({ ...checkpoint, [name]: value }, 'x')).toThrow(FormatError);
    expect(() => readCheckpoint({ ...checkpoint, [name]: value }, 'x')).toThrow(name);
  });
});
