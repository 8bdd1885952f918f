// A user's own single-turn problems and how their answers are judged: one problem per line of JSON, each with checks. A check has a true
// form (what is wanted) and may have a flawed one (what is rewarded): if they differ, an answer can be rewarded without being wanted.

import { FormatError, SpecError } from '@projected-grpo-lab/base/errors.ts';
import { parseJsonNumbersAsTexts } from '@projected-grpo-lab/base/json.ts';
import * as z from 'zod/mini';
import { promptOf, turnOf } from '../../text/chatml.ts';
import { checkOneTurn, checkPromptLength } from '../../text/prompt-length.ts';
import { readProblemLines, shuffledById } from '../problem-lines.ts';
import { CHECK_KINDS, type Check, CheckSchema, problemOf } from './checks.ts';
import { checkAt, roundedIn, withNumberTexts } from './number-texts.ts';

const Name = z.string().check(z.minLength(1), z.maxLength(200));
export const problemLineSchema = z.strictObject({
  id: Name,
  kind: z.optional(Name),
  system: z.optional(z.string()),
  prompt: z.string().check(z.minLength(1)),
  checks: z
    .array(z.strictObject({ true: CheckSchema, flawed: z.optional(CheckSchema) }))
    .check(z.minLength(1), z.maxLength(20)),
  split: z.optional(z.enum(['training', 'held_out'])),
  /** Answers with known verdicts; a file whose checks contradict them is refused. */
  examples: z.optional(
    z.array(z.strictObject({ answer: z.string(), true: z.boolean(), paid: z.boolean() })).check(z.maxLength(50)),
  ),
});

export interface CustomProblem {
  id: string;
  kind: string;
  /** The whole prompt with its chat markup, and the text that the user wrote. */
  prompt: string;
  asked: string;
  checks: readonly { true: Check; flawed: Check }[];
  split: 'training' | 'held_out' | null;
  examples: readonly { answer: string; true: boolean; paid: boolean }[];
  /** `FILE:LINE`. */
  where: string;
}

const REMEDY = `Each line needs id, prompt and checks: [{"true": {"kind": …}, "flawed": {"kind": …}}]; kinds are ${CHECK_KINDS.join(', ')}. See docs/tutorials/your-problems.md.`;
export const MIN_PROBLEMS = 4;
const MOST_PROBLEMS = 20_000;
/** Held-out share of the problems whose line has no split. */
const HELD_OUT_SHARE = 0.25;

/** Throws FormatError with line and field. `name` stands for the file in messages. */
export function readCustomFile(text: string, name: string): CustomProblem[] {
  const problems = readProblemLines(text, name, readLine);
  if (problems.length < MIN_PROBLEMS || problems.length > MOST_PROBLEMS)
    throw new FormatError(
      `${name} holds ${problems.length} problems; ${MIN_PROBLEMS} … ${MOST_PROBLEMS} are read.`,
      'A quarter is kept for evaluation, unless lines say "split".',
    );
  return problems;
}

function readLine(value: unknown, where: string, line: string): CustomProblem {
  const texts = parseJsonNumbersAsTexts(line);
  const parsed = problemLineSchema.safeParse(withNumberTexts(value, texts));
  if (!parsed.success) {
    const { path, message, code } = parsed.error.issues[0];
    const strange =
      code === 'unrecognized_keys' ? `: ${(parsed.error.issues[0] as { keys?: string[] }).keys?.join(', ')}` : '';
    throw new FormatError(`${where}: ${fieldOf(path) || 'the line'}: ${message}${strange}.`, REMEDY);
  }
  const { id, kind, system, prompt, checks, split = null, examples = [] } = parsed.data;
  checkPromptLength({ length: prompt.length + (system?.length ?? 0) }, `${where}: the prompt`);
  checkOneTurn(prompt, `${where}: the prompt`);
  checkOneTurn(system ?? '', `${where}: the system message`);
  for (const [i, pair] of checks.entries())
    for (const form of ['true', 'flawed'] as const) {
      const wrong = pair[form] && (problemOf(pair[form]) ?? roundedIn(pair[form], checkAt(texts, i, form)));
      if (wrong) throw new FormatError(`${where}: checks[${i}].${form}.${wrong.field} ${wrong.why}.`, REMEDY);
    }
  const isFlawed = checks.some(({ flawed }) => flawed !== undefined);
  return {
    id,
    kind: kind ?? (isFlawed ? 'flawed' : 'honest'),
    asked: prompt,
    split,
    examples,
    where,
    prompt: chatOf(prompt, system),
    checks: checks.map(({ true: wanted, flawed }) => ({ true: wanted, flawed: flawed ?? wanted })),
  };
}

const fieldOf = (path: readonly PropertyKey[]): string =>
  path.map((part, i) => (typeof part === 'number' ? `[${part}]` : `${i === 0 ? '' : '.'}${String(part)}`)).join('');

/** ChatML that ends at the beginning of the assistant's turn. */
function chatOf(prompt: string, system: string | undefined): string {
  return (system === undefined ? '' : turnOf('system', system)) + promptOf(prompt);
}

/** Problems for RL and for evaluations. They depend on the data seed and each problem's id, not on the order of the lines. Throws
 *  SpecError, which calls the file `name`, if either set would be empty. */
export function customSets(
  problems: readonly CustomProblem[],
  { dataSeed, count, evaluate }: { dataSeed: number; count: number; evaluate: number },
  name: string,
): { training: CustomProblem[]; evaluation: CustomProblem[] } {
  const order = shuffledById(problems, dataSeed);
  const free = order.filter(({ split }) => split === null);
  const taken = new Set(free.slice(0, Math.round(HELD_OUT_SHARE * free.length)));
  const isHeldOut = (problem: CustomProblem) => problem.split === 'held_out' || taken.has(problem);
  const training = order.filter((problem) => !isHeldOut(problem)).slice(0, count);
  const evaluation = order.filter(isHeldOut).slice(0, evaluate);
  if (training.length === 0 || evaluation.length === 0)
    throw new SpecError(
      `${name} leaves ${training.length} to train on and ${evaluation.length} to evaluate`,
      'Change what its lines say as "split", or leave it out.',
    );
  return { training, evaluation };
}
