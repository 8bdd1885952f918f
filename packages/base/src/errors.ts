// Base class of every error that the lab raises intentionally: what happened (with its numbers) and how to fix it. Lowest layer: anything
// may import it.

/** Most characters: names come from files, whose contents must not flood a message. */
const MAX_MESSAGE = 1500;

export class LabError extends Error {
  /** One sentence on what the user can do now. */
  readonly remedy: string;

  constructor(message: string, remedy: string, options?: ErrorOptions) {
    super(message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)}…` : message, options);
    this.name = new.target.name;
    this.remedy = remedy;
  }
}

/**
 * Whether the lab raised the error intentionally, with a message and a remedy for the user. Any other error (a TypeError, a RangeError of
 * the stack) is a bug of the lab, whatever the input was.
 */
export function isNamed(error: unknown): error is LabError {
  return error instanceof LabError && error.message.trim() !== '' && error.remedy.trim() !== '';
}

/** A shape, length or index does not fit; raised before anything is dispatched. */
export class ShapeError extends LabError {}
/** A device is missing, too small, or was lost. */
export class DeviceError extends LabError {}
/** A file (weights, basis, tokenizer, pool, run) is not as expected. */
export class FormatError extends LabError {}
/** No room left, or storage is switched off. */
export class StorageError extends LabError {
  /** Whether no room is left, as opposed to no access. */
  get isFull(): boolean {
    return (this.cause as { name?: string } | undefined)?.name === 'QuotaExceededError';
  }
}
/** A run spec, a flag or a URL that the schema refuses. */
export class SpecError extends LabError {}
/** The user (or a signal) stopped the work; results stored so far are preserved. */
export class StoppedError extends LabError {
  constructor(message = 'stopped', remedy = 'Resume from the last checkpoint.') {
    super(message, remedy);
  }
}
