// Number inputs that are no settings of a run (of a pool, a probe, a question to the model), as data: label, help and bounds of each
// are in a table beside what they fill in, and are drawn from it.

export interface NumberField<Name extends string> {
  name: Name;
  label: string;
  unit?: string;
  help?: string;
  min: number;
  max: number;
  /** 1: whole numbers alone. */
  step: number;
}

/** The seed of counter-based random numbers. */
export const MAX_SEED = 2 ** 31;

/** Whether a field takes the number. */
export const fits = ({ min, max, step }: Pick<NumberField<string>, 'min' | 'max' | 'step'>, value: number): boolean =>
  value >= min && value <= max && (step !== 1 || Number.isInteger(value));
