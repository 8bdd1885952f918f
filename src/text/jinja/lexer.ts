// Splits a template's text into tokens, by the rules of Jinja2's lexer with `trim_blocks` and `lstrip_blocks`.
import { isSpace, SPACE, strip } from './strings.ts';
import type { Value } from './values.ts';
import { LIMITS, TemplateError, unsupported } from './work.ts';

export type TokenKind = 'data' | 'name' | 'string' | 'integer' | 'float' | 'operator' | 'begin' | 'end' | 'eof';

export interface Token {
  kind: TokenKind;
  /** The text of a name, an operator, or the delimiter that begins or ends a tag (`{{`, `{%`, `}}`, `%}`). */
  text: string;
  /** The value of a literal. */
  value: Value;
  line: number;
}

const WHITE = new RegExp(`[${SPACE}]*`, 'y');
const FLOAT = /(?:\d+_)*\d+(?:(?:\.(?:\d+_)*\d+)?e[+-]?(?:\d+_)*\d+|\.(?:\d+_)*\d+)/iy;
const INTEGER = /0b(?:_?[01])+|0o(?:_?[0-7])+|0x(?:_?[\da-f])+|[1-9](?:_?\d)*|0(?:_?0)*/iy;
const NAME = /[\p{L}\p{N}\p{M}_]+/uy;
const IDENTIFIER = /^[\p{L}\p{Nl}_][\p{L}\p{N}\p{M}_]*$/u;
const STRING = /'[^'\\]*(?:\\[\s\S][^'\\]*)*'|"[^"\\]*(?:\\[\s\S][^"\\]*)*"/y;
const OPERATOR = /\/\/|\*\*|==|!=|>=|<=|[-+/*%~[\](){}><=.:|,;]/y;
const RAW = new RegExp(`\\{%[-+]?[${SPACE}]*raw[${SPACE}]*(?:-%\\}[${SPACE}]*|%\\})`, 'y');
const RAW_END = new RegExp(`\\{%([-+]?)[${SPACE}]*endraw[${SPACE}]*(?:\\+%\\}|-%\\}[${SPACE}]*|%\\}\\n?)`, 'y');

const CLOSING: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

export function tokenize(template: string): Token[] {
  // Jinja2 removes one newline at the end of a template.
  return new Lexer(template.replace(/\r\n?/g, '\n').replace(/\n$/, '')).read();
}

class Lexer {
  private readonly tokens: Token[] = [];
  private at = 0;
  private line = 1;
  /** Index in the source up to which line ends are counted in `line`. */
  private counted = 0;
  /** Whether the text before `at` ends with a newline, or is empty. */
  private lineStarts = true;

  constructor(private readonly source: string) {}

  read(): Token[] {
    while (this.at < this.source.length) {
      const brace = this.nextTag(this.at);
      if (brace < 0) {
        this.push('data', this.source.slice(this.at));
        break;
      }
      const block = this.source[brace + 1] !== '{';
      const sign = '-+'.includes(this.source[brace + 2] ?? ' ') ? this.source[brace + 2] : '';
      this.data(this.source.slice(this.at, brace), sign, block);
      this.at = brace;
      const isRaw = this.match(RAW, brace);
      const inner = brace + 2 + sign.length;
      if (isRaw !== null) this.raw(brace + isRaw.length);
      else if (this.source[brace + 1] === '#') this.comment(inner);
      else {
        this.moveTo(inner);
        this.tag(block);
      }
    }
    this.push('eof', 'end of template');
    return this.tokens;
  }

  private fail(what: string): never {
    throw new TemplateError(`line ${this.lineAt(this.at)}: ${what}`);
  }

  private lineAt(place: number): number {
    for (; this.counted < place; this.counted++) if (this.source.charCodeAt(this.counted) === 10) this.line++;
    return this.line;
  }

  private push(kind: TokenKind, text: string, value: Value = null): void {
    this.tokens.push({ kind, text, value, line: this.lineAt(this.at) });
  }

  private match(pattern: RegExp, from = this.at): string | null {
    pattern.lastIndex = from;
    return pattern.exec(this.source)?.[0] ?? null;
  }

  private moveTo(end: number): void {
    this.at = end;
    this.lineStarts = this.source[end - 1] === '\n';
  }

  private skipWhite(from: number): number {
    return from + (this.match(WHITE, from) ?? '').length;
  }

  /** Emits the text before a tag, with white space stripped by the tag's sign (`-` or `+`) and by `lstrip_blocks`. */
  private data(text: string, sign: string, block: boolean): void {
    let kept = text;
    if (sign === '-') kept = strip(text, null, false, true);
    else if (sign !== '+' && block) {
      const last = text.lastIndexOf('\n') + 1;
      if ((last > 0 || this.lineStarts) && isSpace(text.slice(last))) kept = text.slice(0, last);
    }
    if (kept !== '') this.push('data', kept);
  }

  /** Index of the next tag or comment from `from` on; -1 if there is none. */
  private nextTag(from: number): number {
    for (let brace = this.source.indexOf('{', from); brace >= 0; brace = this.source.indexOf('{', brace + 1))
      if ('{%#'.includes(this.source[brace + 1] ?? ' ')) return brace;
    return -1;
  }

  private comment(from: number): void {
    const end = this.source.indexOf('#}', from);
    if (end < 0) this.fail('Missing end of comment tag');
    const sign = end > from ? this.source[end - 1] : '';
    const past = end + 2;
    this.moveTo(sign === '-' ? this.skipWhite(past) : sign !== '+' && this.source[past] === '\n' ? past + 1 : past);
  }

  private raw(from: number): void {
    this.moveTo(from);
    for (let brace = this.source.indexOf('{%', this.at); brace >= 0; brace = this.source.indexOf('{%', brace + 1)) {
      const end = this.match(RAW_END, brace);
      if (end === null) continue;
      this.data(this.source.slice(this.at, brace), '-+'.includes(end[2]) ? end[2] : '', true);
      this.moveTo(brace + end.length);
      return;
    }
    this.fail('Missing end of raw directive');
  }

  /** Index after the closing delimiter and the white space that it strips, if the tag ends at `at`; else -1. */
  private tagEnd(block: boolean): number {
    const mark = block ? '%}' : '}}';
    if (this.source.startsWith(`-${mark}`, this.at)) return this.skipWhite(this.at + 3);
    if (block && this.source.startsWith('+%}', this.at)) return this.at + 3;
    if (!this.source.startsWith(mark, this.at)) return -1;
    return block && this.source[this.at + 2] === '\n' ? this.at + 3 : this.at + 2;
  }

  private tag(block: boolean): void {
    const open: string[] = [];
    this.push('begin', block ? '{%' : '{{');
    for (;;) {
      const end = open.length === 0 ? this.tagEnd(block) : -1;
      if (end >= 0) {
        this.push('end', block ? '%}' : '}}');
        this.moveTo(end);
        return;
      }
      const blank = this.match(WHITE);
      if (blank) {
        this.at += blank.length;
        continue;
      }
      if (this.at >= this.source.length) return;
      const float = this.source[this.at - 1] === '.' ? null : this.match(FLOAT);
      const integer = float === null ? this.match(INTEGER) : null;
      const name = float === null && integer === null ? this.match(NAME) : null;
      const text = float ?? integer ?? name ?? this.match(STRING);
      if (text !== null) {
        if (float !== null)
          this.push(
            'float',
            text,
            finite(Number(float.replaceAll('_', '')), (what) => this.fail(what)),
          );
        else if (integer !== null && integer.length > LIMITS.digits) this.fail('a number of too many digits');
        else if (integer !== null) this.push('integer', text, BigInt(integer.replaceAll('_', '')));
        else if (name === null)
          this.push(
            'string',
            text,
            unescaped(text.slice(1, -1), (what) => this.fail(what)),
          );
        else if (IDENTIFIER.test(name)) this.push('name', name);
        else this.fail(`invalid character in identifier '${name}'`);
        this.at += text.length;
        continue;
      }
      const operator = this.match(OPERATOR) ?? this.fail(`unexpected char '${this.source[this.at]}'`);
      if (CLOSING[operator]) open.push(CLOSING[operator]);
      else if (')]}'.includes(operator) && open.pop() !== operator) this.fail(`unexpected '${operator}'`);
      this.push('operator', operator);
      this.at += operator.length;
    }
  }
}

/** Refuses float literals that overflow, which Jinja2 cannot compile. */
function finite(value: number, fail: (what: string) => never): number {
  return Number.isFinite(value) ? value : fail('a number too large for a float');
}

const SINGLE: Readonly<Record<string, string>> = {
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

/** Decodes Python's escape sequences in a string; an unknown one stays as it is written. */
function unescaped(text: string, fail: (what: string) => never): string {
  return text.replace(/\\(x[\s\S]{0,2}|u[\s\S]{0,4}|U[\s\S]{0,8}|[0-7]{1,3}|[\s\S])/g, (found, named: string) => {
    if (/^[0-7]/.test(named)) return String.fromCharCode(Number.parseInt(named, 8));
    if (named === 'N') throw unsupported('a character by its name (\\N)');
    const size = { x: 2, u: 4, U: 8 }[named[0]];
    if (size === undefined) return SINGLE[named] ?? found;
    const hex = named.slice(1);
    if (hex.length !== size || /[^\da-f]/i.test(hex)) fail(`truncated \\${named[0]} escape`);
    const code = Number.parseInt(hex, 16);
    if (code > 0x10ffff) fail('illegal Unicode character');
    if (code >= 0xd800 && code < 0xe000) throw unsupported('half a pair of UTF-16 in a text');
    return String.fromCodePoint(code);
  });
}
