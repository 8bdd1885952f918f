// Errors of a model's store or its server, with remedies for the user.
import { LabError } from '@projected-grpo-lab/base/errors.ts';
import { bytesText } from '../lib/numbers.ts';
import { StorageError } from './kv.ts';

/** The Hub, or a mirror, did not answer a request as expected. */
export class HubError extends LabError {
  /** HTTP status; null without an answer. */
  readonly status: number | null;

  constructor(message: string, remedy: string, status: number | null, options?: ErrorOptions) {
    super(message, remedy, options);
    this.status = status;
  }
}

/** Throws StorageError before the first byte if there is no room for the missing bytes. */
export function checkRoom(what: string, missing: number, room: number | null): void {
  if (room === null || missing <= room) return;
  throw new StorageError(
    `${what} needs ${bytesText(missing)} more, and there is room for ${bytesText(room)}.`,
    'Delete kept models or old runs, or free disk space; what is here already stays.',
  );
}

/** Turns a write error of a browser or Node into a StorageError with numbers. Other errors are returned as they are. */
export function writeError(error: unknown, path: string, at: number, adding: number, room: number | null): unknown {
  const { name, code } = (error ?? {}) as { name?: string; code?: string };
  if (name === 'QuotaExceededError' || code === 'ENOSPC' || code === 'EDQUOT') {
    const left = room === null ? '' : ` (${bytesText(room)} are said to be free)`;
    return new StorageError(
      `There was no room for ${bytesText(adding)} more of ${path} after its first ${bytesText(at)}${left}.`,
      'Delete kept models or old runs, or free disk space; then go on: what is here stays.',
      { cause: error },
    );
  }
  if (name === 'NoModificationAllowedError') {
    return new StorageError(
      `${path} is being written by another tab of the lab.`,
      'Wait for the other tab to end, or close it.',
      { cause: error },
    );
  }
  const isDenied = name === 'SecurityError' || name === 'InvalidStateError';
  if (isDenied || ['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST', 'EISDIR'].includes(code ?? '')) {
    return new StorageError(
      `${path} cannot be written (${code ?? name}).`,
      'Leave private browsing, or allow storage for this site; on the command line choose a folder that can be written.',
      { cause: error },
    );
  }
  return error;
}
