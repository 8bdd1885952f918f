// A sweep's configurations in words: arms by their names in the charts, other options by their own values. Files contain the ids.
import { armLabel } from '../../experiments/analysis/names.ts';
import { type AxisValue, valueText } from '../../experiments/sweep/spec.ts';

export const valueWords = (option: string, value: unknown): string =>
  option === 'arm' ? armLabel(String(value)) : valueText(value);

/** `lr 0.03, arm route (update)`. */
export const configurationWords = (values: Readonly<Partial<Record<string, AxisValue>>>): string =>
  Object.entries(values)
    .map(([name, value]) => `${name} ${valueWords(name, value)}`)
    .join(', ');
