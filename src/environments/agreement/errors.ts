// What an estimator cannot go on without.
import { LabError } from '@projected-grpo-lab/base/errors.ts';

export class MissingModelError extends LabError {
  constructor(what: string) {
    super(
      `A reference is to be made, and ${what}.`,
      'Choose a reference that asks no model (majority), or give the model.',
    );
  }
}
