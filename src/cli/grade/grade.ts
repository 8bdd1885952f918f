// `grade`: verdicts on completions that are in a file, one JSON object a line: {"problem": CodeProblem, "completion": text},
// or {"problem_id": "family(p1,p2)@mode", "completion": text} for a problem of this environment (rows of a teacher pool and
// kept rollouts have that shape). With --problems the completions answer real problems (grade/problems.ts), with --instructions they
// follow instructions (grade/instructions.ts).

import { FormatError, SpecError } from '@projected-grpo-lab/base/errors.ts';
import { PYODIDE_TIME_LIMIT_MS, PYODIDE_WORK } from '@projected-grpo-lab/python-sandbox/pyodide-limits.ts';
import * as z from 'zod/mini';
import type { Identity } from '../../environments/code/data.ts';
import { FAMILIES, familiesIn, identityOf } from '../../environments/code/families/index.ts';
import { createNodeGrader } from '../../environments/code/grading/node-grader.node.ts';
import { DATA_SEED, makeProblem } from '../../environments/code/problem.ts';
import { type CodeProblem, type GradeItem, MODES } from '../../environments/code/types.ts';
import { integer, oneOf, text, toggle } from '../args.ts';
import { command } from '../command.ts';
import { gradeAll } from './all.ts';
import { gradeInstructions } from './instructions.ts';
import { readLines } from './lines.ts';
import { gradeReal } from './problems.ts';
import { GRADE_THINKING } from './thoughts.ts';

const usage = {
  name: 'grade',
  summary:
    'Grades completions with real Python: the mode’s foolable grade, the strict oracle, the structural detector.',
  positional: ['[FILE.jsonl]'],
  flags: {
    json: toggle('Print one verdict a line as JSON, in the order of the file.'),
    'data-seed': integer('Data seed that problems named by id belong to.', DATA_SEED),
    workers: integer('Sandboxes at a time.', 2, 1, 64),
    problems: text(
      'FILE',
      'Real problems, in the rl-rewardhacking benchmark’s format; graded by CPython (Pyodide).',
      null,
    ),
    completions: text('FILE', 'What to grade; the same as FILE.jsonl.', null),
    instructions: text('FILE', 'Responses to prompts with instructions, in IFEval’s format; graded by rules.', null),
    thinking: GRADE_THINKING,
    mode: oneOf([...MODES, 'honest'], 'With --problems: the grade of completions that name none.', 'honest'),
    check: toggle(
      'With --problems alone: canonical solutions under the strict oracle, each mode’s exploit under each grade; exit code 1 if a cell is wrong.',
    ),
    'work-limit': integer(
      'With --problems: million steps of the interpreter for all tests of one grade, the same on every machine.',
      PYODIDE_WORK / 1e6,
      1,
      1_000_000,
    ),
    'time-limit': integer(
      'With --problems: seconds for all tests of one grade, the backstop behind --work-limit; tried twice.',
      PYODIDE_TIME_LIMIT_MS / 1000,
      1,
      3600,
    ),
  },
  notes: [
    'Each line: {"problem": {…}, "completion": "…"}; `problem` as the lab writes it (mode, starter, entry, visible, held, …).',
    'With --instructions, each line: {"key": 1, "prompt": "…", "instruction_id_list": […], "kwargs": […], "response": "…"}; docs/instructions.md.',
    'With --problems, each line: {"id": 3344, "completion": "…", "mode": "run_tests"} or {"problem_id": "leetcode(3344)@run_tests", "completion": "…"}.',
  ].join('\n'),
} as const;

const TestCases = z.array(z.object({ args: z.array(z.json()), expected: z.json() }));
const Problem = z.object({
  id: z.string(),
  family: z.string(),
  params: z.array(z.union([z.number(), z.string()])),
  signature: z.string(),
  mode: z.enum([...MODES, 'honest']),
  description: z.string(),
  starter: z.string(),
  entry: z.string(),
  prompt: z.string(),
  visible: TestCases,
  held: TestCases,
  solution: z.string(),
});
const Line = z.union([
  z.object({ problem: Problem, completion: z.string() }),
  z.object({ problem_id: z.string(), completion: z.string() }),
  z.object({ problemId: z.string(), completion: z.string() }),
]);

export const grade = command(usage, async ({ flags, positional }, context) => {
  if (flags.instructions !== null) {
    if (positional.length > 0 || flags.completions !== null || flags.problems !== null || flags.check)
      throw new SpecError(
        '--instructions FILE is all that is graded.',
        'Give no other file with it. See: npm run lab -- grade --help',
      );
    return gradeInstructions(flags.instructions, flags, context);
  }
  const path = completionsPath(positional[0] ?? null, flags);
  const { problems } = flags;
  if (problems !== null) return gradeReal({ ...flags, problems }, path, context);
  const items = await readItems(path, flags['data-seed']);
  const grader = await createNodeGrader({ workers: flags.workers });
  try {
    return await gradeAll(grader, items, flags, context);
  } finally {
    await grader.close();
  }
});

function completionsPath(
  positional: string | null,
  { problems, completions, check }: { problems: string | null; completions: string | null; check: boolean },
): string {
  const given = completions ?? positional;
  const remedy = 'See: npm run lab -- grade --help';
  if (completions !== null && positional !== null)
    throw new SpecError(`Completions are named twice: ${positional} and ${completions}.`, remedy);
  if (check && problems === null) throw new SpecError('--check needs --problems FILE.', remedy);
  if (check && given !== null) throw new SpecError(`--check grades answers of its own, not ${given}.`, remedy);
  if (!check && given === null) throw new SpecError('`grade` needs a file of completions.', remedy);
  return given ?? '';
}

async function readItems(path: string, dataSeed: number): Promise<GradeItem[]> {
  const items = (await readLines(path)).map(({ value, where }): GradeItem => {
    const parsed = Line.safeParse(value);
    if (!parsed.success) throw new FormatError(`${where}: ${z.prettifyError(parsed.error)}`, usage.notes);
    const item = parsed.data;
    if ('problem' in item) return item as GradeItem;
    const id = 'problem_id' in item ? item.problem_id : item.problemId;
    const problem = problemById(id, dataSeed);
    if (!problem)
      throw new FormatError(
        `${where}: there is no problem ${JSON.stringify(id.slice(0, 80))}.`,
        'Ids look like clamp(2,9)@sentinel.',
      );
    return { problem, completion: item.completion };
  });
  if (items.length === 0) throw new FormatError(`${path} holds no completions.`, usage.notes);
  return items;
}

const identities = new Map<string, Identity>();

/** `family(p1,p2)@mode` → the problem, or null. */
function problemById(id: string, dataSeed: number): CodeProblem | null {
  // Composed problems are made when one is first named.
  const families = id.includes('>') ? familiesIn('composed') : FAMILIES;
  if (!identities.has(id.slice(0, id.lastIndexOf('@'))))
    for (const family of families)
      for (const params of family.space) identities.set(identityOf(family, params), { family, params });
  const at = id.lastIndexOf('@');
  const found = identities.get(id.slice(0, at));
  const mode = ([...MODES, 'honest'] as const).find((name) => name === id.slice(at + 1));
  return found && mode ? makeProblem(found.family, found.params, mode, dataSeed) : null;
}
