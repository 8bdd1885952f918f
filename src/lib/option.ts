// Declares an option of a run in one entry: type and bounds, default, texts, glossary, role, and when it has no effect. The type `Settings`
// (settings.ts), the form, links, the command line, stored records, comparisons and docs/reference/options.md are derived from the entries.
import { enumOf } from '@projected-grpo-lab/base/lists.ts';
import * as z from 'zod/mini';

/** Text shown by the question mark beside an option or a metric. */
export interface GlossaryEntry {
  title: string;
  /** One sentence. */
  meaning: string;
  formula: string;
  range: string;
  /** Value without an effect: for a random gradient, for the untrained base, … */
  nullValue: string;
  /** A conclusion that it does not support. */
  notShown: string;
}

/** The headings of the form, in order. */
export const HEADINGS = [
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
export type Heading = (typeof HEADINGS)[number];

/**
 * Role of an option in a comparison. `training`: the task, the model and how it is trained; `intervention`: changes to plain GRPO on the
 * environment's own reward; `projection`: the basis and how it is used; `logging`: what is evaluated and saved during training.
 * Compared runs share the first two, except for what their arm fixes (analysis/vanilla.ts).
 */
const ROLES = ['training', 'intervention', 'projection', 'logging'] as const;
export type Role = (typeof ROLES)[number];

/** An environment capability (environments/entry.ts) that an option needs to have an effect. */
export type Capability =
  | 'pairs'
  | 'teacher'
  | 'loopholes'
  | 'clauses'
  | 'references'
  | 'rubrics'
  | 'messages'
  | 'improves'
  | 'teaches'
  | 'instructs';

/** Why an option has no effect in an arm, given the other options' entered texts (`of`); null if it has. */
export type DisabledBecause = (of: (name: string) => string, arm: { projection: string }) => string | null;

/** The type of an option, from which its schema, error messages and form field are derived. */
export type OptionKind =
  | { type: 'integer' | 'number'; min: number; max: number }
  | { type: 'boolean' }
  | { type: 'choice'; options: readonly string[] }
  /** A list of at least `least` options without repetition. */
  | { type: 'choices'; options: readonly string[]; least: number }
  /** `of` describes the allowed texts in messages; without it, any text of at most MOST_TEXT characters is allowed. */
  | { type: 'text'; of?: string };

const MOST_TEXT = 200;

/** What is declared about an option besides its type. */
interface Declared<T> {
  /** Value in presets that do not set it, and in runs stored before the option existed. */
  default: T;
  /** Records of runs omit the option at its default, so that older records keep their bytes. */
  isAbsentAtDefault?: true;
  label: string;
  /** One line for a newcomer, at most twelve words (config/options.test.ts). */
  help: string;
  /** Effects of values, exceptions or examples, shown by the question mark and in the reference. */
  helpMore?: string;
  /** Absent for plain counts and ratios. */
  unit?: string;
  /** A glossary entry, or the id of one: a concept of a group, or a metric. */
  glossary: GlossaryEntry | string;
  /** Default: the group's role. */
  role?: Role;
  /** Default: the group's capability. */
  needs?: Capability;
  disabledBecause?: DisabledBecause;
  /** The effective value, given the other options' entered texts (`of`); default: the value itself. */
  means?: (of: (name: string) => string) => T;
}
export interface Option<T> extends Declared<T> {
  schema: z.ZodMiniType<T>;
  kind: OptionKind;
}

export interface OptionGroup {
  heading: Heading;
  role: Role;
  /** Capability that all options of the group need. */
  needs?: Capability;
  options: Readonly<Record<string, Option<unknown>>>;
  /** Glossary entries shared by several options. */
  concepts?: Readonly<Record<string, GlossaryEntry>>;
}

function schemaOf(kind: OptionKind): z.ZodMiniType {
  switch (kind.type) {
    case 'integer':
      return z.int().check(z.minimum(kind.min), z.maximum(kind.max));
    case 'number':
      return z.number().check(z.minimum(kind.min), z.maximum(kind.max));
    case 'boolean':
      return z.boolean();
    case 'choice':
      return enumOf(kind.options);
    case 'choices': {
      // A repeated choice would be counted twice in shares.
      const eachOnce = z.refine<readonly string[]>((chosen) => new Set(chosen).size === chosen.length);
      return z.readonly(z.array(enumOf(kind.options)).check(z.minLength(kind.least), eachOnce));
    }
    case 'text':
      return z.string().check(z.maxLength(MOST_TEXT));
  }
}

/** The functions below ensure that a kind's schema has type `T`, hence the cast. */
const option = <T>(kind: OptionKind, declared: Declared<T>): Option<T> => ({
  ...declared,
  schema: schemaOf(kind) as z.ZodMiniType<T>,
  kind,
});

export const integer = (min: number, max: number, declared: Declared<number>): Option<number> =>
  option({ type: 'integer', min, max }, declared);
export const number = (min: number, max: number, declared: Declared<number>): Option<number> =>
  option({ type: 'number', min, max }, declared);
export const choice = <const T extends string>(options: readonly T[], declared: Declared<NoInfer<T>>): Option<T> =>
  option<T>({ type: 'choice', options }, declared);
export const boolean = (declared: Declared<boolean>): Option<boolean> => option({ type: 'boolean' }, declared);
export const text = (declared: Declared<string>): Option<string> => option({ type: 'text' }, declared);
/** `of` describes the texts that `schema` accepts. */
export const textOf = (of: string, schema: z.ZodMiniType<string>, declared: Declared<string>): Option<string> => ({
  ...declared,
  schema,
  kind: { type: 'text', of },
});
export const choices = <const T extends string>(
  options: readonly T[],
  declared: Declared<readonly NoInfer<T>[]>,
  least = 0,
): Option<readonly T[]> => option<readonly T[]>({ type: 'choices', options, least }, declared);

/** Parses a text in this kind's notation. Returns the text itself if that fails, which the kind's schema then refuses. */
export function valueOfText(kind: OptionKind, text: string, separator = ','): unknown {
  switch (kind.type) {
    case 'integer':
    case 'number':
      return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
    case 'boolean':
      return text === 'true' || (text === 'false' ? false : text);
    case 'choices':
      return text.split(separator).flatMap((item) => item.trim() || []);
    case 'choice':
    case 'text':
      return text;
  }
}

/** Describes the allowed values: "an integer from 1 to 4096". */
export function expectation(kind: OptionKind): string {
  if (kind.type === 'integer' || kind.type === 'number')
    return `${kind.type === 'integer' ? 'an integer' : 'a number'} from ${kind.min} to ${kind.max}`;
  if (kind.type === 'choice') return `one of ${kind.options.join(', ')}`;
  if (kind.type === 'choices') return `a list of some of ${kind.options.join(', ')}, each once`;
  if (kind.type === 'boolean') return 'true or false';
  return (kind.type === 'text' && kind.of) || `a text of at most ${MOST_TEXT} characters`;
}
