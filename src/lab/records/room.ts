// The message when the browser's storage is full: what of the run is stored, and what to delete.
import { bytesText } from '../../lib/numbers.ts';
import { StorageError } from '../../storage/kv.ts';
import type { StoredExperiment } from '../protocol/experiments.ts';

export function isFull(error: unknown): error is StorageError {
  return error instanceof StorageError && error.isFull;
}

/** Names the largest stored experiments, as in the list of runs; `id` is the stopped one. */
export function roomNeeded(
  { message }: StorageError,
  id: string,
  kept: readonly StoredExperiment[],
): { message: string; remedy: string } {
  const largest = kept
    .filter((other) => other.id !== id && other.approxBytes)
    .sort((a, b) => (b.approxBytes ?? 0) - (a.approxBytes ?? 0))
    .slice(0, 3)
    .map(({ name, spec, approxBytes, createdAt }) => {
      const date = new Date(createdAt).toISOString().slice(0, 16).replace('T', ' ');
      return `${name || spec.preset} of ${date} (${bytesText(approxBytes ?? 0)})`;
    });
  return {
    message: `${message} The run was stopped; everything up to its last kept step is still there.`,
    remedy: `${largest.length > 0 ? `Delete what takes the most: ${largest.join('; ')}.` : 'Free disk space.'} Then resume it.`,
  };
}
