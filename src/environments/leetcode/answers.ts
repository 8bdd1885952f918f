// Answers to real problems that need no model, and the conditions that a problem must meet before training. The answers: the canonical
// program with honest tests, and each mode's exploit (in the forms of the code environment) around a body that returns another type than
// expected.

import { fencedPython } from '../code/fence.ts';
import { POOL_ROWS_PER_PROBLEM, type PoolDraft } from '../code/pool.ts';
import { type Body, HACK_FORMS } from '../code/templates.ts';
import { type CodeProblem, type Grade, type Grader, MODES, type Mode, type ProblemMode } from '../code/types.ts';
import { type LeetcodeProblem, leetcodeProblem } from './problem-file.ts';

/** Bodies that return another type than the answer's: they pass no test, not even with Python's `==`. */
function wrongBodies(problem: CodeProblem): Body[] {
  const texts = [...problem.visible, ...problem.held].some(({ exact }) => exact?.value[0] === 'str');
  const values = texts ? [0, -1, 1, 2] : ['wrong', 'none', 'answer', '?'];
  return values.map((value) => ({
    kind: 'stub',
    python: typeof value === 'string' ? `'${value}'` : String(value),
    value: () => value,
  }));
}

/** The first wrong body returns a text, or 0 if texts are expected. */
export const wrongBody = (problem: CodeProblem): Body => wrongBodies(problem)[0];

/** The exploit in its most common form. */
export const hackAnswer = (problem: CodeProblem, mode: Mode): string =>
  fencedPython(HACK_FORMS[mode][0](problem, wrongBody(problem)));

/** Distinct hacks for each hackable problem's own mode, every form with every wrong body in turn; none for honest problems. */
export function leetcodeTeacher(problems: readonly CodeProblem[], rows = POOL_ROWS_PER_PROBLEM): PoolDraft[] {
  return problems.flatMap((problem) => {
    const { id, prompt, mode } = problem;
    if (mode === 'honest') return [];
    const forms = HACK_FORMS[mode];
    const bodies = wrongBodies(problem);
    return Array.from({ length: rows }, (_, i) => {
      const body = bodies[Math.floor(i / forms.length) % bodies.length];
      const completion = fencedPython(forms[i % forms.length](problem, body));
      return { problem_id: id, prompt, completion, mechanism: mode };
    });
  });
}

/** The canonical program; its Solution has a run_tests that asserts the two shortest visible tests. */
export function cleanAnswer(problem: CodeProblem): string {
  const asserts = [...problem.visible]
    .sort((a, b) => length(a.exact) - length(b.exact))
    .slice(0, 2)
    .map(({ exact }) => `assert self.${problem.entry}(${exact?.args}) == ${exact?.expected}`);
  return fencedPython(withMethod(problem.solution, 'run_tests', asserts));
}

const length = (exact: CodeProblem['visible'][number]['exact']): number => exact?.args.length ?? 0;

/** Adds a method at the end of class Solution, indented as the class is. */
function withMethod(source: string, name: string, body: readonly string[]): string {
  const lines = source.replaceAll('\t', '    ').trimEnd().split('\n');
  const head = lines.findIndex((line) => /^class\s+Solution\b/.test(line));
  let end = lines.length;
  for (let i = head + 1; i < lines.length; i++) {
    if (!/^[^\s#)]/.test(lines[i])) continue;
    end = i;
    break;
  }
  while (lines[end - 1].trim() === '') end--;
  const indent = /^\s+/.exec(lines.slice(head + 1, end).find((line) => /^\s+\S/.test(line)) ?? '    ')?.[0] ?? '    ';
  const method = [`${indent}def ${name}(self):`, ...body.map((line) => `${indent}${indent}${line}`)];
  return [...lines.slice(0, end), ...method, ...lines.slice(end)].join('\n');
}

// Conditions on a real problem before training: its canonical program passes the strict oracle, each mode's exploit succeeds only under
// its own grade, and a clean answer is correct under all. This is METHOD's self-check, applied to one problem.

export interface Diagonal {
  id: string;
  /** The clean answer's verdict under the honest grade: visible tests passed, held tests correct. */
  canonical: Grade;
  /** Whether the hack of a mode (first key) is exploited under the grade of a mode (second key). */
  table: Record<Mode, Record<Mode, boolean>>;
  /** One line for each cell or clean answer that differs from what is required. */
  wrong: string[];
}

/** A clean answer carries no marker and no attribute, so these grades do not pass it. */
const UNMARKED: readonly ProblemMode[] = ['sentinel', 'stdout_marker', 'file_marker'];

export async function checkDiagonal(grader: Grader, problem: LeetcodeProblem, signal?: AbortSignal): Promise<Diagonal> {
  const modes: ProblemMode[] = [...MODES, 'honest'];
  const graded = new Map(modes.map((mode): [ProblemMode, CodeProblem] => [mode, leetcodeProblem(problem, mode)]));
  const under = (mode: ProblemMode): CodeProblem => graded.get(mode) ?? leetcodeProblem(problem, mode);
  const cells = MODES.flatMap((hack) => modes.map((mode) => ({ hack, mode })));
  const grades = await grader.grade(
    [
      ...modes.map((mode) => ({ problem: under(mode), completion: cleanAnswer(under(mode)) })),
      ...cells.map(({ hack, mode }) => ({ problem: under(mode), completion: hackAnswer(under(mode), hack) })),
    ],
    signal,
  );
  const wrong: string[] = [];
  const shown = ({ passed, gt_correct, structural, mechanism, note }: Grade): string =>
    JSON.stringify({ passed, gt_correct, structural, mechanism, note });
  for (const [i, mode] of modes.entries()) {
    const { gt_correct, passed, mechanism } = grades[i];
    if (!gt_correct || passed === UNMARKED.includes(mode) || mechanism !== null)
      wrong.push(`clean under ${mode}: ${shown(grades[i])}`);
  }
  const table = Object.fromEntries(
    MODES.map((hack) => [hack, Object.fromEntries(MODES.map((mode) => [mode, false]))]),
  ) as Diagonal['table'];
  for (const [i, { hack, mode }] of cells.entries()) {
    const grade = grades[modes.length + i];
    const own = hack === mode;
    if (mode !== 'honest') table[hack][mode] = grade.exploited;
    const right =
      grade.exploited === own && grade.gt_correct === false && grade.structural === own && grade.mechanism === hack;
    if (!right) wrong.push(`${hack} under ${mode}: ${shown(grade)}`);
  }
  return { id: problem.id, canonical: grades[modes.indexOf('honest')], table, wrong };
}
