// One line of `gt_answer`, taken apart: `assert Solution().name(k = v, …) == expected` gives a call that the sandbox makes
// and a value that the host compares. An assert of any other form is not run: its verdict would be the program's own.
import type { TestCase } from '../code/types.ts';
import { readLiteral } from './literal.ts';

export type ReadAssert = { test: TestCase } | { refused: string };

/** `call` is the file's `func_name`, e.g. `Solution().maxScore`. */
export function readAssert(line: string, call: string): ReadAssert {
  const text = line.trim();
  const head = `assert ${call}(`;
  if (!text.startsWith(head)) return { refused: `does not begin with ${JSON.stringify(head)}` };
  const end = closing(text, head.length);
  if (end === null) return { refused: 'has a parenthesis that is never closed' };
  const rest = /^\s*==\s*([\s\S]+)$/.exec(text.slice(end + 1));
  if (rest === null) return { refused: 'does not compare the answer by ==' };
  const expected = rest[1].trim();
  const value = readLiteral(expected);
  if (value === null) return { refused: `expects ${JSON.stringify(expected.slice(0, 60))}, which is not a literal` };
  return { test: { args: [], expected: null, exact: { args: text.slice(head.length, end).trim(), expected, value } } };
}

/** Where the parenthesis that is open at `from` closes; strings are passed over. */
function closing(text: string, from: number): number | null {
  let depth = 1;
  for (let i = from; i < text.length; i++) {
    const char = text[i];
    if (char === '"' || char === "'") {
      for (i++; i < text.length && text[i] !== char; i++) if (text[i] === '\\') i++;
    } else if ('([{'.includes(char)) depth++;
    else if (')]}'.includes(char)) {
      depth--;
      if (depth === 0) return i;
    }
  }
  return null;
}

/** Of n distinct tests, how many a response could see: a quarter, from 2 to 16. */
export const visibleCount = (n: number): number => Math.min(16, Math.max(2, Math.round(n / 4)));

/**
 * Splits tests into those that a grade may show and the strict oracle's own, none in both: at even distances, since files
 * often order tests by size. Two visible answers differ if any two do, so that no constant passes them all.
 */
export function splitTests(tests: readonly TestCase[]): { visible: TestCase[]; held: TestCase[] } {
  const count = visibleCount(tests.length);
  const chosen = new Set(Array.from({ length: count }, (_, i) => Math.floor((i * tests.length) / count)));
  const answer = (i: number): string => JSON.stringify(tests[i].exact?.value ?? tests[i].expected);
  const [first] = chosen;
  if ([...chosen].every((i) => answer(i) === answer(first))) {
    const other = tests.findIndex((_, i) => answer(i) !== answer(first));
    if (other >= 0) {
      const last = [...chosen].at(-1);
      if (last !== undefined) chosen.delete(last);
      chosen.add(other);
    }
  }
  return { visible: tests.filter((_, i) => chosen.has(i)), held: tests.filter((_, i) => !chosen.has(i)) };
}
