// Whether a response follows its instructions: strictly, or loosely (one of eight variants of the response does, without asterisks, first
// or last line). Instructions are read and checked before any response; an unknown kind or a wrong argument is reported with its field.

import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import * as z from 'zod/mini';
import { END_KINDS, FORMAT_KINDS } from './kinds/formats.ts';
import { ArgumentError, type Check, type Kind, type Tool, type Tools } from './kinds/kind.ts';
import { isBlank, strip } from './kinds/python-text.ts';
import { LENGTH_KINDS, WORD_KINDS } from './kinds/words.ts';

/** Instructions in the form of the benchmark's files. */
export interface Instructions {
  instruction_id_list: readonly string[];
  kwargs: readonly Readonly<Record<string, unknown>>[];
}

export interface Verdicts {
  /** One for each instruction, in order. */
  strict: boolean[];
  loose: boolean[];
}

export const REMEDY =
  'Give kinds and arguments as IFEval’s input_data.jsonl has them; docs/instructions.md lists them all.';

/** A longer text is not a plausible answer. */
export const MOST_CHARACTERS = 200_000;

export interface Checker {
  judge(response: string): Verdicts;
}

/** Makes a checker for each row, and loads the tools that they need once. `where` begins the message of an error. */
export async function openCheckers(rows: readonly { asked: Instructions; where: string }[]): Promise<Checker[]> {
  const read = rows.map(({ asked, where }) => ({ asked: readInstructions(asked, where), where }));
  const needed = new Set(read.flatMap(({ asked }) => asked.flatMap(({ id }) => KINDS.get(id)?.needs ?? [])));
  const tools = await openTools(needed);
  return read.map(({ asked, where }) => {
    const checks = asked.map(({ id, args }, i) => {
      const field = (argument: string) => `${where}: kwargs[${i}].${argument} of ${id}`;
      const named = <T>(work: () => T): T => {
        try {
          return work();
        } catch (error) {
          if (error instanceof ArgumentError)
            throw new FormatError(`${field(error.argument)}: ${error.message}.`, REMEDY, { cause: error });
          throw error;
        }
      };
      const check = named(() => KINDS.get(id)!.check(args, tools));
      return (text: string) => named(() => check(text));
    });
    return {
      judge(response) {
        if (response.length > MOST_CHARACTERS)
          throw new FormatError(
            `${where}: response has ${response.length} characters, and ${MOST_CHARACTERS} are read.`,
            'Leave the row out, or cut its response.',
          );
        return judge(checks, response);
      },
    };
  });
}

async function openTools(needed: ReadonlySet<Tool>): Promise<Tools> {
  const detector = needed.has('language') ? await (await import('./language/detect.ts')).openDetector() : null;
  const splitter = needed.has('sentences') ? await import('./sentences.ts') : null;
  return {
    languages: detector?.languages ?? [],
    language: (text) => detector!.detect(text),
    sentences: (text) => splitter!.sentencesOf(text),
  };
}

interface Read {
  id: string;
  args: unknown;
}

/** Throws FormatError, naming the field. */
function readInstructions({ instruction_id_list: ids, kwargs }: Instructions, where: string): Read[] {
  if (ids.length !== kwargs.length)
    throw new FormatError(
      `${where}: kwargs has ${kwargs.length} entries, and instruction_id_list ${ids.length}.`,
      'Give each instruction its arguments, {} where it has none.',
    );
  return ids.map((id, i) => {
    const kind = KINDS.get(id);
    if (!kind)
      throw new FormatError(
        `${where}: instruction_id_list[${i}] is ${JSON.stringify(id.slice(0, 80))}, which is not a known instruction.`,
        `Known instructions: ${[...KINDS.keys()].join(', ')}.`,
      );
    const args = given(kwargs[i]);
    const parsed = kind.args.safeParse(args);
    if (!parsed.success) throw new FormatError(`${where}: ${complaint(parsed.error.issues[0], args, i, id)}`, REMEDY);
    return { id, args: parsed.data };
  });
}

/** Arguments that are null, 0 or empty are missing here; the reference drops them and draws random ones. */
const given = (kwargs: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(kwargs).filter(([, value]) => Boolean(value) && !(Array.isArray(value) && value.length === 0)),
  );

function complaint(issue: z.core.$ZodIssue, args: object, index: number, id: string): string {
  const at = `kwargs[${index}]`;
  if (issue.code === 'unrecognized_keys') return `${at} has ${issue.keys.join(', ')}, which ${id} does not take.`;
  const [name, ...inner] = issue.path;
  const field = `${at}.${String(name)}${inner.map((place) => `[${String(place)}]`).join('')}`;
  if (!Object.hasOwn(args, name)) return `${field} of ${id} is missing.`;
  return `${field} of ${id}: ${issue.message}.`;
}

function judge(checks: readonly Check[], response: string): Verdicts {
  const [whole, ...others] = variantsOf(response);
  const follows = (text: string) => checks.map((check) => check(text));
  const nothing = checks.map(() => false);
  const strict = isBlank(whole) ? nothing : follows(whole);
  const loose = [...strict];
  for (const text of new Set(others)) {
    if (isBlank(text)) continue;
    for (const [i, check] of checks.entries()) loose[i] ||= check(text);
  }
  return { strict, loose };
}

/** The text itself, and without its asterisks; the text without its first line, last line, and both; these three without asterisks. */
export function variantsOf(response: string): string[] {
  const lines = response.split('\n');
  const cut = [lines.slice(1), lines.slice(0, -1), lines.slice(1, -1)].map((left) => strip(left.join('\n')));
  const bare = (text: string) => text.replaceAll('*', '');
  return [response, bare(response), ...cut, ...cut.map(bare)];
}

// The 25 kinds of verifiable instructions of IFEval, by family.

export const KINDS: ReadonlyMap<string, Kind> = new Map(
  [...WORD_KINDS, ...LENGTH_KINDS, ...FORMAT_KINDS, ...END_KINDS].map((kind) => [kind.id, kind]),
);

// Rows of the benchmark's files, one JSON object per line: prompts, and responses to them; and the four scores that are published for a model.

/** The benchmark's prompts have less than 3,000 characters. */
const MOST_PROMPT = 100_000;

export const Problem = z.object({
  key: z.union([z.int(), z.string().check(z.maxLength(200))]),
  prompt: z.string().check(z.maxLength(MOST_PROMPT, `has more than ${MOST_PROMPT} characters`)),
  instruction_id_list: z.array(z.string()).check(z.minLength(1), z.maxLength(100)),
  kwargs: z.array(z.record(z.string(), z.unknown())).check(z.maxLength(100)),
});
export type Problem = z.infer<typeof Problem>;

export const Answered = z.extend(Problem, {
  response: z.string().check(z.maxLength(MOST_CHARACTERS, `has more than ${MOST_CHARACTERS} characters`)),
  /** The answer within the response, if a thinking model wrote it. */
  judged: z.optional(z.string().check(z.maxLength(MOST_CHARACTERS, `has more than ${MOST_CHARACTERS} characters`))),
});
export type Answered = z.infer<typeof Answered>;

const ROWS_REMEDY =
  'Each line: {"key": 1, "prompt": "…", "instruction_id_list": ["punctuation:no_comma"], "kwargs": [{}], "response": "…"}, as in IFEval.';

/** Throws FormatError, naming the field. */
export function readRow<T>(schema: z.ZodMiniType<T>, value: unknown, where: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const { path, message } = parsed.error.issues[0];
  const field = path.map((place, i) =>
    typeof place === 'number' ? `[${place}]` : `${i > 0 ? '.' : ''}${String(place)}`,
  );
  throw new FormatError(`${where}: ${field.length > 0 ? `${field.join('')}: ` : ''}${message}.`, ROWS_REMEDY);
}

export interface Scores {
  prompts: number;
  instructions: number;
  /** Shares of prompts all of whose instructions are followed, and of instructions. */
  prompt: { strict: number; loose: number };
  instruction: { strict: number; loose: number };
}

/** Needs at least one row. */
export function scoresOf(rows: readonly Verdicts[]): Scores {
  const share = (verdicts: readonly boolean[]) => verdicts.filter(Boolean).length / verdicts.length;
  const whole = (how: keyof Verdicts) => share(rows.map((row) => row[how].every(Boolean)));
  const single = (how: keyof Verdicts) => share(rows.flatMap((row) => row[how]));
  return {
    prompts: rows.length,
    instructions: rows.reduce((total, { strict }) => total + strict.length, 0),
    prompt: { strict: whole('strict'), loose: whole('loose') },
    instruction: { strict: single('strict'), loose: single('loose') },
  };
}
