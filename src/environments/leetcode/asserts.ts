// Parses one line of `gt_answer`: `assert Solution().name(k = v, …) == expected` becomes a call that the sandbox makes and a value that the
// host compares. An assert of another form is not run, since its verdict would come from the program itself.

import type { Value } from '@projected-grpo-lab/python-sandbox/protocol.ts';
import type { TestCase } from '../code/types.ts';

export type ReadAssert = { test: TestCase } | { refused: string };

/** `call` is the file's `func_name`, for example `Solution().maxScore`. */
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

/** Index at which the parenthesis opened before `from` closes; strings are skipped. */
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

/** Number of tests that a response could see, of n distinct ones: a quarter, from 2 to 16. */
export const visibleCount = (n: number): number => Math.min(16, Math.max(2, Math.round(n / 4)));

/**
 * Splits tests into visible ones and held-out ones for the strict oracle, disjoint and at equal distances, since files often
 * order tests by size. Two visible answers differ if any two answers do, so that no constant passes them all.
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

// Reads the expected Python literal as a value with its exact type, once and on the host, so that the strict oracle compares values and
// Python's `==` has no influence.

/** Null for anything but a literal of None, bool, int, float (also `inf`), str, list, tuple or dict. */
export function readLiteral(source: string): Value | null {
  const reader = new Reader(source);
  try {
    const value = reader.value(0);
    reader.blank();
    return reader.ended ? value : null;
  } catch (error) {
    if (error instanceof NotALiteral) return null;
    throw error;
  }
}

class NotALiteral extends Error {}

const NUMBER = /(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?/y;
const NAME = /[A-Za-z_][\w.]*(?:\(\s*(?:'[^']*'|"[^"]*")\s*\))?/y;
const STRING = /'(?:\\[\s\S]|[^'\\\n])*'|"(?:\\[\s\S]|[^"\\\n])*"/y;
const MAX_DEPTH = 32;
/** Python's own limit; the time for reading grows with the square of the number of digits. */
const MAX_DIGITS = 4300;

const NAMES: Readonly<Record<string, Value>> = {
  None: ['none'],
  True: ['bool', true],
  False: ['bool', false],
  inf: ['float', Number.POSITIVE_INFINITY],
  'math.inf': ['float', Number.POSITIVE_INFINITY],
  "float('inf')": ['float', Number.POSITIVE_INFINITY],
  "float('-inf')": ['float', Number.NEGATIVE_INFINITY],
};

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  v: '\v',
  a: '\x07',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '\n': '',
};

class Reader {
  #at = 0;
  readonly #source: string;

  constructor(source: string) {
    this.#source = source;
  }

  get ended(): boolean {
    return this.#at >= this.#source.length;
  }

  blank(): void {
    while (/\s/.test(this.#source[this.#at] ?? '')) this.#at++;
  }

  #match(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#source)?.[0] ?? null;
    if (found !== null) this.#at += found.length;
    return found;
  }

  #take(text: string): boolean {
    this.blank();
    if (!this.#source.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  value(depth: number): Value {
    if (depth > MAX_DEPTH) throw new NotALiteral();
    this.blank();
    if (this.#take('-')) return negative(this.value(depth + 1));
    if (this.#take('[')) return ['list', this.#items(']', depth).values];
    if (this.#take('(')) {
      const { values, comma } = this.#items(')', depth);
      return values.length === 1 && !comma ? values[0] : ['tuple', values];
    }
    if (this.#take('{')) return ['dict', this.#entries(depth)];
    const text = this.#match(STRING);
    if (text !== null) {
      let whole = unquote(text);
      // Adjacent strings are concatenated.
      for (this.blank(); ; this.blank()) {
        const more = this.#match(STRING);
        if (more === null) return ['str', whole];
        whole += unquote(more);
      }
    }
    const number = this.#match(NUMBER)?.replaceAll('_', '');
    if (number !== undefined) {
      if (/^\d+$/.test(number)) {
        if (number.length > MAX_DIGITS) throw new NotALiteral();
        return ['int', BigInt(number).toString()];
      }
      return ['float', Number(number)];
    }
    const name = this.#match(NAME)?.replaceAll(/\s/g, '').replaceAll('"', "'") ?? '';
    if (!Object.hasOwn(NAMES, name)) throw new NotALiteral();
    return NAMES[name];
  }

  #items(end: string, depth: number): { values: Value[]; comma: boolean } {
    const values: Value[] = [];
    let comma = false;
    while (!this.#take(end)) {
      if (values.length > 0 && !comma) throw new NotALiteral();
      values.push(this.value(depth + 1));
      comma = this.#take(',');
    }
    return { values, comma };
  }

  #entries(depth: number): [Value, Value][] {
    const entries: [Value, Value][] = [];
    let comma = true;
    while (!this.#take('}')) {
      if (!comma) throw new NotALiteral();
      const key = this.value(depth + 1);
      if (!this.#take(':')) throw new NotALiteral();
      entries.push([key, this.value(depth + 1)]);
      comma = this.#take(',');
    }
    return entries;
  }
}

function negative(value: Value): Value {
  if (value[0] === 'int') return ['int', (-BigInt(value[1])).toString()];
  if (value[0] === 'float') return ['float', -value[1]];
  throw new NotALiteral();
}

function unquote(text: string): string {
  return text
    .slice(1, -1)
    .replace(/\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-7]{1,3}|[\s\S])/g, (whole, code: string) => {
      if (/^[xuU]./.test(code)) {
        const point = Number.parseInt(code.slice(1), 16);
        if (point > 0x10ffff) throw new NotALiteral();
        return String.fromCodePoint(point);
      }
      if (/^[0-7]/.test(code)) return String.fromCodePoint(Number.parseInt(code, 8));
      // Python leaves a backslash that escapes nothing.
      return ESCAPES[code] ?? whole;
    });
}
