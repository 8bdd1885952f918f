// The numbers of a pool that is built in the page.
import { MAX_POOL_SAMPLES, type PoolBuild } from '../../experiments/pools/build.ts';
import { MAX_SEED, type NumberField } from '../form/number-fields.ts';

type Fields<Name extends keyof PoolBuild & string> = readonly NumberField<Name>[];

export const POOL_PROBLEM_FIELDS: Fields<'honestShare' | 'problems' | 'dataSeed'> = [
  {
    name: 'honestShare',
    label: 'Honest share',
    help: 'Share of problems without a flaw. They have no teacher rows.',
    min: 0,
    max: 1,
    step: 0.05,
  },
  { name: 'problems', label: 'Problems', help: 'In the whole set.', min: 1, max: 100_000, step: 1 },
  { name: 'dataSeed', label: 'Data seed', help: 'Fixes which problems.', min: 0, max: MAX_SEED, step: 1 },
];

/** Of a pool that a model writes. */
export const POOL_SAMPLING_FIELDS: Fields<'samples' | 'temperature' | 'seed' | 'maxNew'> = [
  { name: 'samples', label: 'Rows per problem', min: 1, max: MAX_POOL_SAMPLES, step: 1 },
  {
    name: 'temperature',
    label: 'Temperature',
    help: '1 samples from the model as it is.',
    min: 0.05,
    max: 4,
    step: 0.05,
  },
  { name: 'seed', label: 'Seed', help: 'The same seed, the same rows.', min: 0, max: MAX_SEED, step: 1 },
  { name: 'maxNew', label: 'Max completion length', help: 'In tokens.', min: 1, max: 4096, step: 1 },
];
