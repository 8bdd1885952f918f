// Rows of the benchmark's files, a JSON object a line: prompts, and responses to them; and the four scores that are published of a model.
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import * as z from 'zod/mini';
import { MOST_CHARACTERS, type Verdicts } from './check.ts';

/** No prompt of the benchmark has 3,000. */
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
});
export type Answered = z.infer<typeof Answered>;

const REMEDY =
  'Each line: {"key": 1, "prompt": "…", "instruction_id_list": ["punctuation:no_comma"], "kwargs": [{}], "response": "…"}, as in IFEval.';

/** Throws FormatError, naming the field. */
export function readRow<T>(schema: z.ZodMiniType<T>, value: unknown, where: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const { path, message } = parsed.error.issues[0];
  const field = path.map((place, i) =>
    typeof place === 'number' ? `[${place}]` : `${i > 0 ? '.' : ''}${String(place)}`,
  );
  throw new FormatError(`${where}: ${field.length > 0 ? `${field.join('')}: ` : ''}${message}.`, REMEDY);
}

export interface Scores {
  prompts: number;
  instructions: number;
  /** Shares of prompts all of whose instructions are followed, and of instructions. */
  prompt: { strict: number; loose: number };
  instruction: { strict: number; loose: number };
}

/** Of at least one row. */
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
