// Searches with a pattern from an agent or a scenario. RE2 takes time linear in the text; JavaScript's own engine backtracks, so that
// `(a+)+$` on sixty letters never ends. The work of a call is also limited: the pattern's size times the characters that it reads.
import { RE2JS } from 're2js';
import { PythonError } from '../../python-error.ts';
import { translatedPattern } from './python-regex.ts';

/** Most characters of a pattern, and most instructions of its compiled form. */
const MOST_CHARACTERS = 1000;
const MOST_INSTRUCTIONS = 4000;
/** Most instructions × characters in one call. The worst case takes some seconds. */
const MOST_WORK = 2e7;

interface Pattern {
  /** Whether the pattern occurs in a text. Case is ignored by default. Throws if all texts together are too long for the pattern. */
  test(text: string): boolean;
  /** Number of non-overlapping matches. Throws as `test` does. */
  count(text: string): number;
}

/** Throws Python's re.error. */
export function pythonPattern(pattern: string, ignoresCase = true): Pattern {
  if (pattern.length > MOST_CHARACTERS)
    throw tooMuch(`the pattern has ${pattern.length} characters, ${MOST_CHARACTERS} are allowed`);
  const compiled = compile(translatedPattern(pattern, ignoresCase));
  const size = compiled.programSize();
  if (size > MOST_INSTRUCTIONS)
    throw tooMuch(`the pattern compiles to ${size} instructions, ${MOST_INSTRUCTIONS} are allowed`);
  let work = 0;
  const read = (text: string) => {
    work += size * text.length;
    if (work > MOST_WORK)
      throw tooMuch(
        `the pattern (${size} instructions) is too large for the ${Math.round(work / size)} characters read`,
      );
  };
  return {
    test(text) {
      read(text);
      return compiled.test(text);
    },
    count(text) {
      // Each search starts where the last match ended, and at worst reads the rest of the text.
      const found = compiled.matcher(text);
      let count = 0;
      for (; ; count++) {
        read(count === 0 ? text : text.slice(found.end()));
        if (!found.find()) return count;
      }
    },
  };
}

const tooMuch = (what: string): PythonError =>
  new PythonError('error', `${what}: write a shorter pattern, with smaller repeats, or search a shorter span of time`);

function compile(source: string): RE2JS {
  try {
    return RE2JS.compile(source);
  } catch (error) {
    throw new PythonError('error', (error as Error).message);
  }
}
