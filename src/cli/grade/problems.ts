// `grade --problems`: completions of real problems under CPython, and the check that a problem file can be trusted.

import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import * as z from 'zod/mini';
import { createPyodideNodeGrader } from '../../environments/code/grading/node-grader.node.ts';
import { selfCheck } from '../../environments/code/grading/self-check.ts';
import { type GradeItem, type Grader, MODES, type ProblemMode } from '../../environments/code/types.ts';
import { checkDiagonal, cleanAnswer, type Diagonal } from '../../environments/leetcode/answers.ts';
import {
  LEETCODE_FAMILY,
  type LeetcodeProblem,
  leetcodeProblem,
  readProblemFile,
} from '../../environments/leetcode/problem-file.ts';
import type { Thinking } from '../../text/thinking.ts';
import { type CommandContext, EXIT } from '../command.ts';
import { renderTable } from '../table.ts';
import { gradeAll } from './all.ts';
import { readInput, readLines } from './lines.ts';

/** Values of the command's flags. */
interface RealGrading {
  /** Path of the problem file. */
  problems: string;
  /** Whether to check the problems themselves, without completions. */
  check: boolean;
  /** Mode of completions that name none. */
  mode: ProblemMode;
  workers: number;
  json: boolean;
  thinking: Thinking;
  /** Limits for all tests of one grade: seconds of wall clock, as a backstop, and millions of Limits.work. */
  'time-limit': number;
  'work-limit': number;
}

const Mode = z.enum([...MODES, 'honest']);
const Line = z.union([
  z.object({ id: z.union([z.int(), z.string()]), completion: z.string(), mode: z.optional(Mode) }),
  z.object({ problem_id: z.string(), completion: z.string(), mode: z.optional(Mode) }),
]);
const REMEDY = 'Each line: {"id": 3344, "completion": "…", "mode": "run_tests"}; without mode, --mode counts.';

/** `path`: the file of completions. */
export async function gradeReal(flags: RealGrading, path: string, context: CommandContext): Promise<number> {
  const problems = readProblemFile(await readInput(flags.problems), flags.problems);
  const unused = problems.reduce((total, problem) => total + problem.unused.length, 0);
  if (unused > 0) {
    const [first] = problems.flatMap((problem) => problem.unused.map(({ why }) => `problem ${problem.id}: it ${why}`));
    context.progress.note(`${unused} asserts cannot be judged and are left out (${first}).`);
  }
  const items = flags.check ? null : await readCompletions(path, problems, flags.mode);
  const grader = await createPyodideNodeGrader({
    workers: flags.workers,
    timeLimitMs: flags['time-limit'] * 1000,
    limits: { work: flags['work-limit'] * 1e6 },
  });
  try {
    return items === null
      ? await check(grader, problems, flags, context)
      : await gradeAll(grader, items, flags, context);
  } finally {
    await grader.close();
  }
}

async function readCompletions(
  path: string,
  problems: readonly LeetcodeProblem[],
  mode: ProblemMode,
): Promise<GradeItem[]> {
  const byId = new Map(problems.map((problem) => [problem.id, problem]));
  const items = (await readLines(path)).map(({ value, where }): GradeItem => {
    const parsed = Line.safeParse(value);
    if (!parsed.success) throw new FormatError(`${where}: ${z.prettifyError(parsed.error)}`, REMEDY);
    const line = parsed.data;
    const named = 'id' in line ? { id: String(line.id), mode: undefined } : fullId(line.problem_id);
    const problem = byId.get(named.id);
    if (!problem)
      throw new FormatError(
        `${where}: the problem file has no problem ${JSON.stringify(named.id.slice(0, 80))}.`,
        REMEDY,
      );
    return { problem: leetcodeProblem(problem, line.mode ?? named.mode ?? mode), completion: line.completion };
  });
  if (items.length === 0) throw new FormatError(`${path} holds no completions.`, REMEDY);
  return items;
}

/** `leetcode(3344)@run_tests`, or the file's own id. */
function fullId(text: string): { id: string; mode: ProblemMode | undefined } {
  const [, id, mode] = new RegExp(`^${LEETCODE_FAMILY}\\((.*)\\)@(\\w+)$`).exec(text) ?? [];
  const known = Mode.safeParse(mode);
  return id !== undefined && known.success ? { id, mode: known.data } : { id: text, mode: undefined };
}

/** Seconds from which a canonical solution is listed as slow. */
const SLOW_S = 2;

async function check(
  grader: Grader,
  problems: readonly LeetcodeProblem[],
  { json, 'time-limit': limit, 'work-limit': work }: RealGrading,
  { out, progress, signal }: CommandContext,
): Promise<number> {
  // This also lets CPython start before anything is timed.
  await selfCheck(grader, signal);
  const checked: (Diagonal & { seconds: number })[] = [];
  for (const [i, problem] of problems.entries()) {
    progress.update('checking', i, problems.length, problem.id);
    const honest = leetcodeProblem(problem, 'honest');
    const start = performance.now();
    await grader.grade([{ problem: honest, completion: cleanAnswer(honest) }], signal);
    const seconds = (performance.now() - start) / 1000;
    const diagonal = await checkDiagonal(grader, problem, signal);
    checked.push({ ...diagonal, seconds });
    if (json)
      out(
        JSON.stringify({
          id: problem.id,
          seconds: Number(seconds.toFixed(3)),
          canonical: diagonal.canonical.gt_correct,
          visible: problem.visible.length,
          held: problem.held.length,
          wrong: diagonal.wrong,
        }),
      );
    for (const line of diagonal.wrong) progress.note(`problem ${problem.id}: ${line}`);
  }
  progress.end();
  const wrong = checked.filter((one) => one.wrong.length > 0).length;
  if (!json) {
    const exploited = (hack: (typeof MODES)[number], mode: (typeof MODES)[number]) =>
      String(checked.filter(({ table }) => table[hack][mode]).length);
    out(
      renderTable(
        ['exploited: hack \\ grade', ...MODES],
        MODES.map((hack) => [hack, ...MODES.map((mode) => exploited(hack, mode))]),
      ),
    );
    const solved = checked.filter(({ canonical }) => canonical.gt_correct && canonical.passed).length;
    const unjudged = checked.filter(({ canonical }) => canonical.gt_correct === null).map(({ id }) => id);
    out(
      `canonical solutions: ${solved} of ${checked.length} pass the strict oracle (limit ${work} million steps of the interpreter for all tests of a grade, ${limit} s behind it)`,
    );
    if (unjudged.length > 0)
      out(
        `unjudged, since the oracle ran out of work or time: ${unjudged.join(', ')} (raise --work-limit, or --time-limit)`,
      );
    const slow = checked.filter(({ seconds }) => seconds >= SLOW_S).sort((a, b) => b.seconds - a.seconds);
    out(
      slow.length === 0
        ? `none takes ${SLOW_S} s or more`
        : `slow (visible and held tests together): ${slow.map(({ id, seconds }) => `${id} ${seconds.toFixed(1)} s`).join(', ')}`,
    );
    out(wrong === 0 ? 'every cell is as it must be' : `${wrong} problems have wrong cells`);
    out(`grader ${grader.version}`);
  }
  return wrong === 0 ? EXIT.ok : EXIT.failed;
}
