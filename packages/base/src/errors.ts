// Every error that the lab raises on purpose: what happened (with its numbers) and what to do about it.
// Lowest layer: anything may import it.

/** Characters: names come from files, and a file's contents do not pour into a message. */
const MAX_MESSAGE = 1500;

export class LabError extends Error {
  /** One sentence that says what the reader can do now. */
  readonly remedy: string;

  constructor(message: string, remedy: string, options?: ErrorOptions) {
    super(message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)}…` : message, options);
    this.name = new.target.name;
    this.remedy = remedy;
  }
}

/** Whether an error is one that the lab raises on purpose, with a message and a remedy for a person. What is none (a TypeError, a
 *  RangeError of the stack) is a fault of the lab, whatever the input was. */
export function isNamed(error: unknown): error is LabError {
  return error instanceof LabError && error.message.trim() !== '' && error.remedy.trim() !== '';
}

/** A shape, a length or an index that does not fit; raised before anything is dispatched. */
export class ShapeError extends LabError {}
/** A device is missing, too small, or was lost. */
export class DeviceError extends LabError {}
/** A file (weights, basis, tokenizer, pool, run) is not what it should be. */
export class FormatError extends LabError {}
/** No room left, or storage is switched off. */
export class StorageError extends LabError {
  /** No room left, rather than no access. */
  get isFull(): boolean {
    return (this.cause as { name?: string } | undefined)?.name === 'QuotaExceededError';
  }
}
/** A run spec, a flag or a URL that the schema refuses. */
export class SpecError extends LabError {}
/** The user (or a signal) stopped the work; everything kept so far stays kept. */
export class StoppedError extends LabError {
  constructor(message = 'stopped', remedy = 'Resume from the last checkpoint.') {
    super(message, remedy);
  }
}
