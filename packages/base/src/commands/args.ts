// A command's flags as a table: their zod schemas parse and check the text, and their help texts make the help page. An unknown flag is a
// SpecError that names the nearest known one.

import * as z from 'zod/mini';
import { SpecError } from '../errors.ts';
import { enumOf } from '../lists.ts';
import { nearest } from '../nearest.ts';

interface Flag<T> {
  /** Parses the flag's text; a switch gets '' if present. */
  schema: z.ZodMiniType<T, string>;
  /** Placeholder for the value in the help page; '' for a switch. */
  value: string;
  help: string;
  /** Value if the flag is absent. */
  fallback: T;
}
// biome-ignore lint/suspicious/noExplicitAny: a table of flags of different types; each keeps its own in Values.
export type Flags = Readonly<Record<string, Flag<any>>>;
export type Values<F extends Flags> = { [K in keyof F]: F[K] extends Flag<infer T> ? T : never };

export interface Usage<F extends Flags> {
  /** For example `run`. */
  name: string;
  /** One line. */
  summary: string;
  /** Names of positional arguments, if any; one in [brackets] is optional, one that ends in …] may be repeated. */
  positional?: readonly string[];
  flags: F;
  /** Lines printed below the flags. */
  notes?: string;
}

const read = <T>(form: z.ZodMiniType<string, string>, of: (text: string) => T) => z.pipe(form, z.transform(of));

export function text<T extends string | null>(value: string, help: string, fallback: T): Flag<string | T> {
  return { schema: z.string().check(z.minLength(1)), value, help, fallback };
}

export function integer<T extends number | null>(
  help: string,
  fallback: T,
  min = 0,
  max = Number.MAX_SAFE_INTEGER,
): Flag<number | T> {
  const form = z.string().check(z.regex(/^-?\d+$/, 'a whole number'));
  const schema = z.pipe(read(form, Number), z.int().check(z.minimum(min), z.maximum(max)));
  return { schema, value: 'N', help, fallback };
}

export function number<T extends number | null>(help: string, fallback: T, min: number, max: number): Flag<number | T> {
  const form = z.string().check(z.regex(/^-?[\d.]+(e-?\d+)?$/i, 'a number'));
  const schema = z.pipe(read(form, Number), z.number().check(z.minimum(min), z.maximum(max)));
  return { schema, value: 'X', help, fallback };
}

export function oneOf<const C extends string, T extends C | null>(
  choices: readonly C[],
  help: string,
  fallback: T,
): Flag<C | T> {
  const schema = z.pipe(z.string(), enumOf(choices));
  return { schema, value: choices.join('|'), help, fallback };
}

/** A flag with comma-separated values. */
export function list<const C extends string>(choices: readonly C[], help: string): Flag<C[] | null> {
  const parts = read(z.string(), (s) => s.split(',').map((part) => part.trim()));
  const schema = z.pipe(parts, z.array(enumOf(choices)).check(z.minLength(1)));
  return { schema, value: 'A,B,…', help: `${help} Of: ${choices.join(', ')}.`, fallback: null };
}

export function integers(help: string): Flag<number[] | null> {
  const form = z.string().check(z.regex(/^\d+(,\d+)*$/, 'whole numbers, separated by commas'));
  const schema = z.pipe(
    read(form, (s) => s.split(',').map(Number)),
    z.array(z.int()),
  );
  return { schema, value: 'N,N,…', help, fallback: null };
}

export function toggle(help: string): Flag<boolean> {
  return { schema: read(z.string(), () => true), value: '', help, fallback: false };
}

/** Separates the texts of a repeated flag; no command-line argument can contain it. */
const BETWEEN = '\0';

/** A repeatable flag `name=value`; `of` gets all its values, and may refuse one. */
export function named<T>(help: string, fallback: T, of: (given: readonly string[]) => T): Flag<T> {
  return { schema: read(z.string(), (s) => of(s.split(BETWEEN))), value: 'name=value', help, fallback };
}

/** A repeatable flag `name=value`; if a name is repeated, its last value counts. */
export function settings(help: string): Flag<Record<string, string>> {
  return named<Record<string, string>>(help, {}, (given) =>
    Object.fromEntries(
      given.map((line) => {
        const at = line.indexOf('=');
        return at < 0 ? [line, ''] : [line.slice(0, at), line.slice(at + 1)];
      }),
    ),
  );
}

export interface Parsed<F extends Flags> {
  flags: Values<F>;
  positional: string[];
  /** --help or -h was given; nothing else was checked. */
  help: boolean;
}

/** Message for an unknown name, with similar known names, which are prefixed by `lead`. */
export function unknownName(
  said: string,
  name: string,
  known: readonly string[],
  remedy: string,
  lead = '',
): SpecError {
  const guess = nearest(name, known);
  return new SpecError(`${said}${guess ? `; did you mean ${lead}${guess}?` : '.'}`, remedy);
}

/** The program that has the command. */
export interface Program {
  /** Text typed before a command's name: `npm run lab --`. */
  readonly lead: string;
  /** Renamed flags by their former names, which are still read. */
  readonly renamed?: ReadonlyMap<string, string>;
}

/** Parses `--name value`, `--name=value` and `--switch`; `--` ends the flags. Throws SpecError. */
export function parseArgs<F extends Flags>(
  usage: Usage<F>,
  argv: readonly string[],
  { lead, renamed }: Program,
): Parsed<F> {
  const remedy = `See: ${lead} ${usage.name} --help`;
  const presentName = (name: string) => (Object.hasOwn(usage.flags, name) ? name : (renamed?.get(name) ?? name));
  const given = new Map<string, string>();
  const positional: string[] = [];
  const values = Object.fromEntries(
    Object.entries(usage.flags).map(([name, flag]) => [name, flag.fallback]),
  ) as Values<F>;
  if (argv.includes('--help') || argv.includes('-h')) return { flags: values, positional, help: true };
  for (let i = 0; i < argv.length; i++) {
    const arg = argv[i] as string;
    if (arg === '--') {
      positional.push(...argv.slice(i + 1));
      break;
    }
    if (!arg.startsWith('-') || arg === '-') {
      positional.push(arg);
      continue;
    }
    const [, written, inline] = /^--?([^=]+)(?:=(.*))?$/s.exec(arg) ?? [];
    const name = written === undefined ? undefined : presentName(written);
    const flag = name === undefined ? undefined : usage.flags[name];
    if (!flag || name === undefined || arg[1] !== '-')
      throw unknownName(`Unknown flag ${arg.split('=')[0]}`, written ?? arg, Object.keys(usage.flags), remedy, '--');
    const value = flag.value === '' ? inline : (inline ?? argv[++i]);
    if (flag.value === '' && inline !== undefined) throw new SpecError(`--${name} takes no value.`, remedy);
    if (flag.value !== '' && value === undefined)
      throw new SpecError(`--${name} needs a value (${flag.value}).`, remedy);
    const repeats = flag.value === 'name=value';
    if (given.has(name) && !repeats) throw new SpecError(`--${name} is given twice.`, remedy);
    const before = given.get(name);
    given.set(name, before === undefined ? (value ?? '') : `${before}${BETWEEN}${value}`);
  }
  for (const [name, value] of given) {
    const { schema, value: shown } = usage.flags[name]!;
    const parsed = schema.safeParse(value);
    if (!parsed.success) {
      const expected = shown.includes('|') ? shown : parsed.error.issues[0]?.message;
      throw new SpecError(`--${name} ${value.slice(0, 60)}: ${expected}.`, remedy);
    }
    values[name as keyof F] = parsed.data as Values<F>[keyof F];
  }
  const { positional: names = [] } = usage;
  const required = names.filter((name) => !name.startsWith('['));
  const most = names.at(-1)?.endsWith('…]') ? Number.POSITIVE_INFINITY : names.length;
  if (positional.length < required.length || positional.length > most) {
    const wanted = names.length ? names.join(' ') : 'no arguments besides flags';
    throw new SpecError(
      `\`${usage.name}\` takes ${wanted}, got ${positional.length ? positional.join(' ') : 'none'}.`,
      remedy,
    );
  }
  return { flags: values, positional, help: false };
}

export function helpText(usage: Usage<Flags>, { lead }: Program): string {
  const rows = Object.entries(usage.flags).map(([name, flag]) => {
    const known = flag.fallback !== null && flag.fallback !== false && typeof flag.fallback !== 'object';
    return [
      `  --${name}${flag.value ? ` ${flag.value}` : ''}`,
      `${flag.help}${known ? ` Default: ${flag.fallback}.` : ''}`,
    ] as const;
  });
  const width = Math.min(34, Math.max(0, ...rows.map(([left]) => left.length)) + 2);
  const lines = rows.map(([left, right]) =>
    left.length + 1 < width ? left.padEnd(width) + right : `${left}\n${' '.repeat(width)}${right}`,
  );
  return [
    `${lead} ${[usage.name, ...(usage.positional ?? [])].join(' ')} [flags]`,
    '',
    usage.summary,
    '',
    ...lines,
    ...(usage.notes ? ['', usage.notes] : []),
  ].join('\n');
}
