// Number inputs that are no settings of a run (for a pool, a probe, a question to the model), as data: each one's label, help and bounds
// stand in a table beside what it fills in, and draw the field.

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

/** Largest seed of counter-based random numbers. */
export const MAX_SEED = 2 ** 31;

/** Whether a field accepts the number. */
export const acceptsNumber = (
  { min, max, step }: Pick<NumberField<string>, 'min' | 'max' | 'step'>,
  value: number,
): boolean => value >= min && value <= max && (step !== 1 || Number.isInteger(value));
