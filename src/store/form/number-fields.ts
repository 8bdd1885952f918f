// Number inputs that are not settings of a run (for a pool, a probe, a question to the model), as data. The label, help text and bounds of
// each are in a table beside the code that uses the value, and the field is drawn from them.

export interface NumberField<Name extends string> {
  name: Name;
  label: string;
  unit?: string;
  help?: string;
  min: number;
  max: number;
  /** 1 allows whole numbers only. */
  step: number;
}

/** Largest seed of the counter-based random numbers. */
export const MAX_SEED = 2 ** 31;

/** Whether a field accepts the number. */
export const acceptsNumber = (
  { min, max, step }: Pick<NumberField<string>, 'min' | 'max' | 'step'>,
  value: number,
): boolean => value >= min && value <= max && (step !== 1 || Number.isInteger(value));
