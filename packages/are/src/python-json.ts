// Reads JSON as Python's json.loads does, and writes it so that it is read the same again: whole floats keep their type (800.0 is no int),
// NaN and Infinity are numbers, and an error has Python's text and position, since agents read it and recorded runs compare it.
import { type Arg, Float, isDict, isList } from './value.ts';

/** `at`: the position (in UTF-16 units) of the error. */
export class JsonTextError extends Error {
  constructor(
    readonly reason: string,
    readonly text: string,
    readonly at: number,
  ) {
    const before = text.slice(0, at);
    const line = before.split('\n').length;
    const column = at - before.lastIndexOf('\n');
    super(`${reason}: line ${line} column ${column} (char ${at})`);
  }
}

/** Nesting beyond which a text is refused: Python gives up near a thousand, and the stack is limited. */
const MAX_DEPTH = 500;

/** @param isStrict whether control characters in strings are refused, json.loads's default */
export function parsePythonJson(text: string, isStrict = true): Arg {
  const reader = new Reader(text, isStrict);
  return reader.whole();
}

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};
const WORDS: readonly (readonly [string, Arg])[] = [
  ['null', null],
  ['true', true],
  ['false', false],
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
];

class Reader {
  private at = 0;
  private depth = 0;

  constructor(
    private readonly text: string,
    private readonly isStrict: boolean,
  ) {}

  whole(): Arg {
    this.space();
    const value = this.value();
    this.space();
    if (this.at < this.text.length) throw this.error('Extra data');
    return value;
  }

  private error(reason: string, at = this.at): JsonTextError {
    return new JsonTextError(reason, this.text, at);
  }

  private space(): void {
    while (this.at < this.text.length && ' \t\n\r'.includes(this.text[this.at] as string)) this.at++;
  }

  private value(): Arg {
    const character = this.text[this.at];
    if (character === '"') return this.string();
    if (character === '{') return this.nested(() => this.object());
    if (character === '[') return this.nested(() => this.array());
    for (const [word, value] of WORDS) {
      if (!this.text.startsWith(word, this.at)) continue;
      this.at += word.length;
      return value;
    }
    return this.number();
  }

  private nested<T>(read: () => T): T {
    if (++this.depth > MAX_DEPTH) throw this.error('Too deeply nested');
    const value = read();
    this.depth--;
    return value;
  }

  private number(): Arg {
    const pattern = /(-?(?:0|[1-9]\d*))(\.\d+)?([eE][-+]?\d+)?/y;
    pattern.lastIndex = this.at;
    const [all, , fraction, exponent] = pattern.exec(this.text) ?? [];
    if (all === undefined) throw this.error('Expecting value');
    this.at += all.length;
    const value = Number(all);
    const isFloat = fraction !== undefined || exponent !== undefined;
    return isFloat && Number.isInteger(value) ? new Float(value) : value;
  }

  private array(): Arg {
    this.at++;
    this.space();
    const items: Arg[] = [];
    if (this.text[this.at] === ']') {
      this.at++;
      return items;
    }
    for (;;) {
      items.push(this.value());
      this.space();
      const next = this.text[this.at];
      if (next !== ',' && next !== ']') throw this.error("Expecting ',' delimiter");
      this.at++;
      if (next === ']') return items;
      this.space();
    }
  }

  private object(): Arg {
    this.at++;
    this.space();
    const entries: [string, Arg][] = [];
    if (this.text[this.at] === '}') {
      this.at++;
      return {};
    }
    for (;;) {
      if (this.text[this.at] !== '"') throw this.error('Expecting property name enclosed in double quotes');
      const key = this.string();
      this.space();
      if (this.text[this.at] !== ':') throw this.error("Expecting ':' delimiter");
      this.at++;
      this.space();
      entries.push([key, this.value()]);
      this.space();
      const next = this.text[this.at];
      if (next !== ',' && next !== '}') throw this.error("Expecting ',' delimiter");
      this.at++;
      if (next === '}') return Object.fromEntries(entries);
      this.space();
    }
  }

  private string(): string {
    const begin = this.at++;
    let out = '';
    for (;;) {
      const character = this.text[this.at];
      if (character === undefined) throw this.error('Unterminated string starting at', begin);
      if (character === '"') {
        this.at++;
        return out;
      }
      if (character === '\\') out += this.escape(begin);
      else {
        if (this.isStrict && character < ' ') throw this.error('Invalid control character at');
        out += character;
        this.at++;
      }
    }
  }

  private escape(begin: number): string {
    const kind = this.text[this.at + 1];
    if (kind === undefined) throw this.error('Unterminated string starting at', begin);
    if (kind === 'u') {
      const digits = this.text.slice(this.at + 2, this.at + 6);
      if (!/^[0-9a-fA-F]{4}$/.test(digits)) throw this.error('Invalid \\uXXXX escape', this.at + 1);
      this.at += 6;
      return String.fromCharCode(Number.parseInt(digits, 16));
    }
    const plain = ESCAPES[kind];
    if (plain === undefined) throw this.error('Invalid \\escape', this.at);
    this.at += 2;
    return plain;
  }
}

/** @param indent of the first line; null: all on one line, without spaces */
export function argJson(value: Arg, indent: string | null = ''): string {
  if (value instanceof Float) return value.value.toFixed(1);
  if (isList(value))
    return within(
      '[',
      value.map((item) => argJson(item, deeper(indent))),
      ']',
      indent,
    );
  if (!isDict(value)) return JSON.stringify(value);
  const colon = indent === null ? ':' : ': ';
  const entries = Object.entries(value).map(
    ([key, item]) => `${JSON.stringify(key)}${colon}${argJson(item, deeper(indent))}`,
  );
  return within('{', entries, '}', indent);
}

const deeper = (indent: string | null): string | null => (indent === null ? null : `${indent}  `);

function within(open: string, items: readonly string[], close: string, indent: string | null): string {
  if (items.length === 0 || indent === null) return open + items.join(',') + close;
  return `${open}\n${items.map((item) => `${indent}  ${item}`).join(',\n')}\n${indent}${close}`;
}
