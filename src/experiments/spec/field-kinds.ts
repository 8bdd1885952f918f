// The kinds of setting that there are: each with its check at the door, its bounds for a form, and how a message names them.
import * as z from 'zod/mini';
import { MODES, type Mode } from '../../environments/code/types.ts';
import type { SettingName } from './settings.ts';

export const GROUPS = [
  'Training',
  'Teacher',
  'Optimizer',
  'Adapter',
  'Hack basis',
  'Projection',
  'Baselines',
  'Problems',
  'Evaluation',
] as const;
export type FieldGroup = (typeof GROUPS)[number];

export type FieldKind =
  | { type: 'integer' | 'number'; min: number; max: number }
  | { type: 'boolean' }
  | { type: 'choice'; options: readonly string[] }
  | { type: 'choices'; options: readonly string[] }
  /** `of`: what it must be, for messages; any text of at most 200 characters where absent. */
  | { type: 'text'; of?: string };

export interface FieldInfo {
  name: SettingName;
  label: string;
  /** Empty where the number is a plain count or ratio. */
  unit: string;
  /** One line for a person who meets the word for the first time. */
  help: string;
  group: FieldGroup;
  level: 'basic' | 'advanced';
  kind: FieldKind;
}

export interface Words {
  label: string;
  help: string;
  unit?: string;
  level?: 'basic' | 'advanced';
}
export interface Field<T> {
  schema: z.ZodMiniType<T>;
  kind: FieldKind;
  words: Words;
}

export const integer = (min: number, max: number, words: Words): Field<number> => ({
  schema: z.int().check(z.minimum(min), z.maximum(max)),
  kind: { type: 'integer', min, max },
  words,
});
export const number = (min: number, max: number, words: Words): Field<number> => ({
  schema: z.number().check(z.minimum(min), z.maximum(max)),
  kind: { type: 'number', min, max },
  words,
});
export const choice = <const T extends string>(options: readonly T[], words: Words): Field<T> => ({
  schema: z.enum(options as readonly [T, ...T[]]) as unknown as z.ZodMiniType<T>,
  kind: { type: 'choice', options },
  words,
});
export const boolean = (words: Words): Field<boolean> => ({ schema: z.boolean(), kind: { type: 'boolean' }, words });
export const text = (words: Words): Field<string> => ({
  schema: z.string().check(z.maxLength(200)),
  kind: { type: 'text' },
  words,
});

/** A mode twice would count twice in every share. */
export const eachOnce = z.refine<readonly Mode[]>((modes) => new Set(modes).size === modes.length);

/** Some modes of the run; empty for all of them. */
export const modeList = (label: string, help: string): Field<readonly Mode[]> => ({
  schema: z.readonly(z.array(z.enum(MODES)).check(eachOnce)),
  kind: { type: 'choices', options: MODES },
  words: { label, help, level: 'advanced' },
});

/** "an integer from 1 to 4096", for messages. */
export function expectation(kind: FieldKind): string {
  if (kind.type === 'integer' || kind.type === 'number')
    return `${kind.type === 'integer' ? 'an integer' : 'a number'} from ${kind.min} to ${kind.max}`;
  if (kind.type === 'choice') return `one of ${kind.options.join(', ')}`;
  if (kind.type === 'choices') return `a list of some of ${kind.options.join(', ')}, each once`;
  if (kind.type === 'boolean') return 'true or false';
  return (kind.type === 'text' && kind.of) || 'a text of at most 200 characters';
}
