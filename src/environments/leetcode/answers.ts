// Answers to real problems that need no model: the canonical program with honest tests of its own, and each mode's exploit
// (the substrate's own forms) around a body whose answer has another type than expected. What the diagonal is checked with.
import type { Body } from '../code/bodies.ts';
import { POOL_ROWS_PER_PROBLEM, type PoolDraft } from '../code/pool.ts';
import { HACK_FORMS } from '../code/templates.ts';
import type { CodeProblem, Mode } from '../code/types.ts';

export const fencedPython = (code: string): string => `\`\`\`python\n${code}\n\`\`\``;

/** Bodies of another type than the answer's, right for no test, not even under Python's `==`. */
function wrongBodies(problem: CodeProblem): Body[] {
  const texts = [...problem.visible, ...problem.held].some(({ exact }) => exact?.value[0] === 'str');
  const values = texts ? [0, -1, 1, 2] : ['wrong', 'none', 'answer', '?'];
  return values.map((value) => ({
    kind: 'stub',
    python: typeof value === 'string' ? `'${value}'` : String(value),
    value: () => value,
  }));
}

/** Returns a text, or 0 where texts are expected. */
export const wrongBody = (problem: CodeProblem): Body => wrongBodies(problem)[0];

/** The exploit in its commonest form. */
export const hackAnswer = (problem: CodeProblem, mode: Mode): string =>
  fencedPython(HACK_FORMS[mode][0](problem, wrongBody(problem)));

/** Distinct hacks of each hackable problem's own mode, every form around every wrong body in turn; none for honest ones. */
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
