// What a sequence's summed token loss is divided by, over the batch that makes one gradient. Only trained tokens count: a masked
// token is context and makes a text neither longer nor shorter.
import { SpecError } from '@projected-grpo-lab/base/errors.ts';

/** `token`: the mean over all trained tokens of the batch, so that a long document weighs more; `document`: the mean over
 *  documents of each one's mean, so that all weigh the same and a short one's tokens weigh more. */
export const NORMALISERS = ['token', 'document'] as const;
export type Normaliser = (typeof NORMALISERS)[number];

/** lengths: trained tokens of each sequence, all of the batch's, over however many passes. Throws SpecError where one is empty. */
export function denominators(lengths: readonly number[], normaliser: Normaliser): number[] {
  const empty = lengths.findIndex((length) => !(length > 0));
  if (lengths.length === 0 || empty >= 0) {
    throw new SpecError(
      lengths.length === 0 ? 'a batch without documents' : `document ${empty} has no trained token`,
      'Give documents of two tokens at least, of which the mask leaves one.',
    );
  }
  const tokens = lengths.reduce((sum, length) => sum + length, 0);
  return lengths.map((length) => (normaliser === 'token' ? tokens : lengths.length * length));
}
