// An option of a run is one entry: type and bounds, default, words, glossary, role, and when it cannot act. The type `Settings`
// (settings.ts), the form, the link, the command line, stored records, comparisons and docs/reference/options.md follow from the entries.
import { enumOf } from '@projected-grpo-lab/base/lists.ts';
import * as z from 'zod/mini';

/** Text behind the question mark beside an option or a metric. */
export interface GlossaryEntry {
  title: string;
  /** One sentence. */
  meaning: string;
  formula: string;
  range: string;
  /** Value without any effect: of a random gradient, of the untrained base, … */
  nullValue: string;
  /** Conclusion that it does not support. */
  notShown: string;
}

/** The headings of a form, in its order. */
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
 * Role of an option in a comparison. `training`: the task, the model and how it is trained; `intervention`: something done in place of
 * plain GRPO on the environment's own reward; `projection`: what a basis is and what is done along it; `logging`: what is evaluated and
 * saved on the way. Compared runs share the first two, except what their arm fixes (analysis/vanilla.ts).
 */
const ROLES = ['training', 'intervention', 'projection', 'logging'] as const;
export type Role = (typeof ROLES)[number];

/** A property of an environment's capabilities (environments/entry.ts) that an option needs to act. */
export type Capability =
  | 'pairs'
  | 'teacher'
  | 'loopholes'
  | 'references'
  | 'rubrics'
  | 'messages'
  | 'improves'
  | 'teaches'
  | 'instructs';

/** Why an option cannot act in one arm, given the other options' typed texts (`of`); null where it can. */
export type DisabledBecause = (of: (name: string) => string, arm: { projection: string }) => string | null;

/** The type of an option: its schema, the messages that refuse a value, and its field in a form follow from it. */
export type OptionKind =
  | { type: 'integer' | 'number'; min: number; max: number }
  | { type: 'boolean' }
  | { type: 'choice'; options: readonly string[] }
  /** A list of options, each once, and at least `least` of them. */
  | { type: 'choices'; options: readonly string[]; least: number }
  /** `of`: the allowed texts in words, for messages; absent for any text of at most MOST_TEXT characters. */
  | { type: 'text'; of?: string };

const MOST_TEXT = 200;

/** Everything declared of an option beside its type. */
interface Declared<T> {
  /** Value of a preset that sets no other, and of a run kept before the option existed. */
  default: T;
  /** A record of a run leaves it out at its default, so that runs without it keep their bytes. */
  isAbsentAtDefault?: true;
  label: string;
  /** One line for a person who meets the word for the first time: at most twelve words (config/options.test.ts). */
  help: string;
  /** Effect of each value, an exception, an example: shown behind the question mark, and in the reference. */
  helpMore?: string;
  /** Absent where the number is a plain count or ratio. */
  unit?: string;
  /** Its own entry, or an entry's id: a concept of its group or another's, or a metric. */
  glossary: GlossaryEntry | string;
  /** The group's role where absent. */
  role?: Role;
  disabledBecause?: DisabledBecause;
  /** The value that this one acts as, given the other options' typed texts (`of`); itself where absent. */
  means?: (of: (name: string) => string) => T;
}
export interface Option<T> extends Declared<T> {
  schema: z.ZodMiniType<T>;
  kind: OptionKind;
}

export interface OptionGroup {
  heading: Heading;
  role: Role;
  /** Capability without which no option of the group can act. */
  needs?: Capability;
  options: Readonly<Record<string, Option<unknown>>>;
  /** Glossary entries that several options share. */
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
      // A repeated choice would count twice in every share.
      const eachOnce = z.refine<readonly string[]>((chosen) => new Set(chosen).size === chosen.length);
      return z.readonly(z.array(enumOf(kind.options)).check(z.minLength(kind.least), eachOnce));
    }
    case 'text':
      return z.string().check(z.maxLength(MOST_TEXT));
  }
}

/** Cast: the functions below show that a kind's schema gives `T`. */
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
/** `of`: the texts that `schema` accepts, in words. */
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

/** Value of a text in this kind's notation; the text itself where it is in no such notation, which the kind's schema refuses. */
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

/** Allowed values in words: "an integer from 1 to 4096". */
export function expectation(kind: OptionKind): string {
  if (kind.type === 'integer' || kind.type === 'number')
    return `${kind.type === 'integer' ? 'an integer' : 'a number'} from ${kind.min} to ${kind.max}`;
  if (kind.type === 'choice') return `one of ${kind.options.join(', ')}`;
  if (kind.type === 'choices') return `a list of some of ${kind.options.join(', ')}, each once`;
  if (kind.type === 'boolean') return 'true or false';
  return (kind.type === 'text' && kind.of) || `a text of at most ${MOST_TEXT} characters`;
}
