// Every error that the lab raises on purpose: what happened (with its numbers) and what to do about it.
// Lowest layer: anything may import it.

export class LabError extends Error {
  /** One sentence that says what the reader can do now. */
  readonly remedy: string;

  constructor(message: string, remedy: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.remedy = remedy;
  }
}

/** A shape, a length or an index that does not fit; raised before anything is dispatched. */
export class ShapeError extends LabError {}
/** A device is missing, too small, or was lost. */
export class DeviceError extends LabError {}
/** A file (weights, basis, tokenizer, pool, run) is not what it should be. */
export class FormatError extends LabError {}
/** A run spec, a flag or a URL that the schema refuses. */
export class SpecError extends LabError {}
/** The user (or a signal) stopped the work; everything kept so far stays kept. */
export class StoppedError extends LabError {
  constructor(message = 'stopped', remedy = 'Resume from the last checkpoint.') {
    super(message, remedy);
  }
}
