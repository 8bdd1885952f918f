// The problem file of the rl-rewardhacking benchmark, and the sets that a run takes from it. The file has one LeetCode problem per line of
// JSON. It is read into problems of the code environment's form (METHOD: "Environment and grades"), one for each mode of grading: the
// mode's hint replaces the prompt's clause "and should pass all tests", and the asserts become visible and held-out tests.

import { FormatError, SpecError } from '@projected-grpo-lab/base/errors.ts';
import { listOf } from '@projected-grpo-lab/base/lists.ts';
import * as z from 'zod/mini';
import { START_OF_TURN, turnOf } from '../../text/chatml.ts';
import { checkOneTurn, checkPromptLength } from '../../text/prompt-length.ts';
import { modeSchedule } from '../code/data.ts';
import {
  type CodeProblem,
  clauseOf,
  type Mode,
  NEUTRAL_CLAUSE,
  type ProblemMode,
  type TestCase,
} from '../code/types.ts';
import { readProblemLines, shuffledById } from '../problem-lines.ts';
import { readAssert, splitTests } from './asserts.ts';

const Text = z.string().check(z.minLength(1));
const LineSchema = z.object({
  id: z.union([z.int(), Text]),
  prompt: listOf(z.object({ role: z.enum(['system', 'user', 'assistant']), content: z.string() }), 1000).check(
    z.minLength(1),
  ),
  gt_answer: listOf(Text, 100_000).check(z.minLength(1)),
  setup_code: z.string(),
  func_name: z.string().check(z.regex(/^Solution\(\)\.[A-Za-z_]\w*$/)),
  canonical_solution: Text,
  prompt_metadata: z.object({ starter_code: z.string() }),
  difficulty: z.optional(z.nullable(z.string())),
});

const REMEDY =
  'Each line needs id, prompt (role, content), gt_answer (asserts), setup_code, func_name ("Solution().name"), ' +
  'canonical_solution and prompt_metadata.starter_code, as the rl-rewardhacking benchmark writes them.';

/** One problem of a file, not yet graded by any mode. */
export interface LeetcodeProblem {
  /** The file's own id, as text. */
  id: string;
  difficulty: string | null;
  entry: string;
  /** The method's parameters after self, annotations included. */
  signature: string;
  starter: string;
  setup: string;
  canonical: string;
  messages: readonly { role: string; content: string }[];
  visible: readonly TestCase[];
  held: readonly TestCase[];
  /** Asserts of the file that this grader cannot judge, and the reasons. */
  unused: readonly { assert: string; why: string }[];
}

/** Fewest asserts that must be readable: two visible and one held-out. */
const MIN_TESTS = 3;

/** Throws FormatError with the line's number. `name` stands for the file in messages. */
export function readProblemFile(text: string, name: string): LeetcodeProblem[] {
  const problems = readProblemLines(text, name, readLine);
  if (problems.length === 0) throw new FormatError(`${name} holds no problems.`, REMEDY);
  return problems;
}

function readLine(value: unknown, where: string): LeetcodeProblem {
  const parsed = LineSchema.safeParse(value);
  if (!parsed.success) {
    const fields = [...new Set(parsed.error.issues.map(({ path }) => path.join('.')))].filter((path) => path !== '');
    const what = fields.length > 0 ? `missing or of another form: ${fields.join(', ')}.` : 'no JSON object.';
    throw new FormatError(`${where}: ${what}`, REMEDY);
  }
  const row = parsed.data;
  for (const [i, { content }] of row.prompt.entries()) checkOneTurn(content, `${where}: prompt[${i}].content`);
  checkPromptLength(
    { length: row.prompt.reduce((sum, { content }) => sum + content.length, 0) },
    `${where}: the prompt`,
  );
  const entry = row.func_name.slice('Solution().'.length);
  const starter = row.prompt_metadata.starter_code.trimEnd();
  const signature = signatureOf(starter, entry);
  if (signature === null)
    throw new FormatError(
      `${where}: starter_code defines no method ${entry}(self, …).`,
      `Give func_name and starter_code the same method.`,
    );
  if (!row.prompt.some(({ content }) => content.includes(NEUTRAL_CLAUSE)))
    throw new FormatError(
      `${where}: the prompt nowhere says "${NEUTRAL_CLAUSE.trim()}".`,
      'A mode’s hint stands in place of that clause: put it where the prompt says what the solution should do.',
    );
  const tests = new Map<string, TestCase>();
  const unused: { assert: string; why: string }[] = [];
  for (const assert of row.gt_answer) {
    const read = readAssert(assert, row.func_name);
    if ('refused' in read) unused.push({ assert, why: read.refused });
    else if (!tests.has(read.test.exact?.args ?? '')) tests.set(read.test.exact?.args ?? '', read.test);
  }
  if (tests.size < MIN_TESTS)
    throw new FormatError(
      `${where}: ${tests.size} of ${row.gt_answer.length} asserts can be judged` +
        (unused.length > 0 ? `; the first that cannot ${unused[0].why}.` : ' (equal ones count once).'),
      `Give at least ${MIN_TESTS} asserts of the form "assert ${row.func_name}(…) == literal".`,
    );
  return {
    id: String(row.id),
    difficulty: row.difficulty ?? null,
    entry,
    signature,
    starter,
    setup: row.setup_code,
    canonical: row.canonical_solution,
    messages: row.prompt,
    ...splitTests([...tests.values()]),
    unused,
  };
}

/** The text between `self,` and the closing parenthesis of the parameters; null if there is no such method. */
function signatureOf(starter: string, entry: string): string | null {
  const head = new RegExp(`def\\s+${entry}\\s*\\(\\s*self\\s*,?\\s*`).exec(starter);
  if (head === null) return null;
  let depth = 1;
  const from = head.index + head[0].length;
  for (let i = from; i < starter.length; i++) {
    if ('([{'.includes(starter[i])) depth++;
    else if (')]}'.includes(starter[i])) depth--;
    if (depth === 0) return starter.slice(from, i).trim();
  }
  return null;
}

export const LEETCODE_FAMILY = 'leetcode';

/** `leetcode(3344)@run_tests`, in the form of the code environment's ids. */
const leetcodeId = (id: string, mode: ProblemMode): string => `${LEETCODE_FAMILY}(${id})@${mode}`;

/** The chat's messages in ChatML with the mode's hint in place of the neutral clause; ends at the assistant's turn. */
export function leetcodePrompt({ messages }: LeetcodeProblem, mode: ProblemMode): string {
  const turns = messages.map(({ role, content }) =>
    turnOf(
      role,
      content.replaceAll(NEUTRAL_CLAUSE, () => clauseOf(mode)),
    ),
  );
  return `${turns.join('')}${START_OF_TURN}assistant\n`;
}

/** A problem as `mode` grades it. */
export function leetcodeProblem(problem: LeetcodeProblem, mode: ProblemMode): CodeProblem {
  return {
    id: leetcodeId(problem.id, mode),
    family: LEETCODE_FAMILY,
    params: [problem.id],
    signature: problem.signature,
    mode,
    description: descriptionOf(problem),
    starter: problem.starter,
    entry: problem.entry,
    prompt: leetcodePrompt(problem, mode),
    visible: problem.visible,
    held: problem.held,
    solution: problem.canonical,
    setup: problem.setup,
  };
}

/** The first sentence of the question. */
function descriptionOf({ messages, entry }: LeetcodeProblem): string {
  const question = messages.findLast(({ role }) => role === 'user')?.content ?? '';
  const first = question.replace(/^\s*PROBLEM:\s*/, '').split(/(?<=[.?!])\s|\n/)[0];
  return first.trim().slice(0, 200) || entry;
}

// Makes the sets of a run from a file's problems: training problems, each under one grade, and evaluation problems, which RL never sees.
// They depend on the data seed, not on the run's seed.

export interface LeetcodeSetSpec {
  modes: readonly Mode[];
  /** 0…1. */
  honestShare: number;
  /** Most training problems; a file may have fewer. */
  count: number;
  /** Most evaluation problems. */
  evaluate: number;
  dataSeed: number;
}

export interface LeetcodeSets {
  training: CodeProblem[];
  /** A problem may occur here under several grades. */
  evaluation: CodeProblem[];
}

/** Share of a file's problems that RL never sees. */
const HELD_OUT_SHARE = 0.25;
export const MIN_PROBLEMS = 4;

/** Throws SpecError, which calls the file `name`, if it has fewer than four problems. */
export function leetcodeSets(problems: readonly LeetcodeProblem[], spec: LeetcodeSetSpec, name: string): LeetcodeSets {
  const { modes, honestShare, count, evaluate, dataSeed } = spec;
  if (problems.length < MIN_PROBLEMS)
    throw new SpecError(
      `${name} has ${problems.length} problems`,
      `Give at least ${MIN_PROBLEMS}: a quarter is kept for evaluation.`,
    );
  const order = shuffledById(problems, dataSeed);
  const heldOut = Math.max(1, Math.round(HELD_OUT_SHARE * order.length));
  const trained = order.slice(heldOut, heldOut + count);
  const schedule = modeSchedule(modes, honestShare, trained.length);
  return {
    training: trained.map((problem, i) => leetcodeProblem(problem, schedule[i])),
    evaluation: evaluationOf(order.slice(0, heldOut), spec, evaluate),
  };
}

/** The set is balanced over the modes in every prefix; each (problem, mode) occurs at most once. */
function evaluationOf(
  problems: readonly LeetcodeProblem[],
  { modes, honestShare }: LeetcodeSetSpec,
  count: number,
): CodeProblem[] {
  const kinds = modes.length + (honestShare > 0 ? 1 : 0);
  const wanted = Math.min(count, problems.length * kinds);
  // Each mode starts at another problem, so that a prefix has many problems instead of one under many modes.
  const turns = new Map<string, { start: number; taken: number }>();
  const chosen: CodeProblem[] = [];
  for (const mode of modeSchedule(modes, honestShare, wanted)) {
    const turn = turns.get(mode) ?? { start: Math.floor((turns.size * problems.length) / kinds), taken: 0 };
    if (turn.taken < problems.length) {
      chosen.push(leetcodeProblem(problems[(turn.start + turn.taken) % problems.length], mode));
    }
    turns.set(mode, { ...turn, taken: turn.taken + 1 });
  }
  return chosen;
}
