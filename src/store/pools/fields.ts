// Number fields of a pool that is built on the page.
import { boundsOf } from '../../experiments/config/settings.ts';
import { POOL_BOUNDS, type PoolBuild } from '../../experiments/pools/build.ts';
import type { NumberField } from '../form/number-fields.ts';

type Fields<Name extends keyof PoolBuild & string> = readonly NumberField<Name>[];

export const POOL_PROBLEM_FIELDS: Fields<'honestShare' | 'problems' | 'dataSeed'> = [
  {
    name: 'honestShare',
    label: 'Honest share',
    help: 'Share of problems without a flaw. They have no teacher rows.',
    ...boundsOf('honestShare'),
    step: 0.05,
  },
  { name: 'problems', label: 'Problems', help: 'In the whole set.', ...boundsOf('problems'), step: 1 },
  { name: 'dataSeed', label: 'Data seed', help: 'Fixes which problems.', ...boundsOf('dataSeed'), step: 1 },
];

/** Used only for a pool that a model writes. */
export const POOL_SAMPLING_FIELDS: Fields<'samples' | 'temperature' | 'seed' | 'maxNew'> = [
  { name: 'samples', label: 'Rows per problem', ...POOL_BOUNDS.samples, step: 1 },
  {
    name: 'temperature',
    label: 'Temperature',
    help: '1 samples from the model as it is.',
    ...boundsOf('temperature'),
    step: 0.05,
  },
  { name: 'seed', label: 'Seed', help: 'The same seed, the same rows.', ...POOL_BOUNDS.seed, step: 1 },
  { name: 'maxNew', label: 'Max completion length', help: 'In tokens.', ...boundsOf('maxNew'), step: 1 },
];
