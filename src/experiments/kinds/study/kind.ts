// The kind `study`: questions as data, answered from runs that are found again by what decides them (key.ts).
import type { Kind } from '../../records/kind.ts';

export const study = {
  label: 'study',
  plural: 'studies',
  schema: 1,
  /** Its figures are made from its runs, each of which has a digest of its own. */
  digested: null,
} as const satisfies Kind;
