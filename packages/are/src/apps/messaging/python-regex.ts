// Translates a regular expression from Python's syntax to RE2's (github.com/google/re2/wiki/Syntax), whose matching takes time linear in
// the text. Errors name what RE2 does not support. Case is ignored by default, as in the tools that take a pattern.
import { PythonError } from '../../python-error.ts';

const refused = (what: string, at: number): PythonError =>
  new PythonError(
    'error',
    `${what} at position ${at} is not supported: patterns run on a linear-time engine (RE2), which has no lookaround, backreferences, conditionals, atomic groups or possessive repeats. Write the pattern without it.`,
  );
const broken = (what: string, at: number): PythonError => new PythonError('error', `${what} at position ${at}`);

/** Characters of `str.isalnum`, `str.isspace` and `isdecimal`, as parts of a class; Python's classes are Unicode, RE2's are ASCII. */
const WORD = '\\p{L}\\p{N}_';
const NOT_WORD =
  '\\p{M}\\p{S}\\p{Z}\\p{C}\\p{Pd}\\p{Ps}\\p{Pe}\\p{Pi}\\p{Pf}\\p{Po}\\x{203f}\\x{2040}\\x{2054}\\x{fe33}\\x{fe34}\\x{fe4d}-\\x{fe4f}\\x{ff3f}';
const SPACE = '\\t-\\r\\x1c-\\x20\\x{85}\\p{Z}';
const NOT_SPACE =
  '\\x00-\\x08\\x0e-\\x1b\\x21-\\x{84}\\x{86}-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{10ffff}';
const UNICODE: Readonly<Record<string, string>> = {
  d: '\\p{Nd}',
  D: '\\P{Nd}',
  w: WORD,
  W: NOT_WORD,
  s: SPACE,
  S: NOT_SPACE,
};
/** Classes under `(?a)`. They equal RE2's own, except that Python's \s also has the vertical tab. */
const ASCII: Readonly<Record<string, string>> = {
  d: '0-9',
  D: '\\x00-/:-\\x{10ffff}',
  w: 'A-Za-z0-9_',
  W: '\\x00-/:-@\\[-^`{-\\x{10ffff}',
  s: '\\t-\\r\\x20',
  S: '\\x00-\\x08\\x0e-\\x1f\\x21-\\x{10ffff}',
};
const CONTROL: Readonly<Record<string, string>> = { a: '\\x07', f: '\\f', n: '\\n', r: '\\r', t: '\\t', v: '\\v' };
/** Number of hexadecimal digits of an escape, by its letter. */
const HEX: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };
const LARGEST = 0x10ffff;
/** RE2's own limit of repeats. */
const MOST_REPEATS = 1000;
const LOOKAROUND: readonly (readonly [string, string])[] = [
  ['(?=', 'lookahead (?='],
  ['(?!', 'lookahead (?!'],
  ['(?<=', 'lookbehind (?<='],
  ['(?<!', 'lookbehind (?<!'],
  ['(?>', 'atomic group (?>'],
  ['(?(', 'conditional (?('],
  ['(?P=', 'backreference (?P='],
];

/** Throws Python's re.error. */
export const translatedPattern = (pattern: string, ignoresCase = true): string =>
  new Translation(pattern).whole(ignoresCase);

class Translation {
  private at = 0;
  private readonly flags: ReadonlySet<string>;
  /** Whether the last piece of output is a repeat. */
  private isRepeat = false;

  constructor(private readonly text: string) {
    const [head = '', letters = ''] = /^\(\?([aiLmsux]+)\)/.exec(text) ?? [];
    this.flags = new Set(letters);
    if (this.flags.has('L')) throw broken('bad inline flags: cannot use L flag with a str pattern', 3);
    this.at = head.length;
  }

  whole(ignoresCase: boolean): string {
    let out = '';
    while (this.at < this.text.length) out += this.piece();
    const flags = ['i', 'm', 's'].filter((flag) => this.flags.has(flag) || (flag === 'i' && ignoresCase)).join('');
    return flags === '' ? out : `(?${flags})${out}`;
  }

  private take(source: string, length: number, isRepeat = false): string {
    this.at += length;
    this.isRepeat = isRepeat;
    return source;
  }

  private piece(): string {
    const next = this.text[this.at] as string;
    switch (next) {
      case '\\':
        return this.escape();
      case '[':
        return this.characterClass();
      case '(':
        return this.group();
      case '$':
        // Python's $ also matches before a newline that ends the text.
        return this.take(this.flags.has('m') ? '$' : '(?:\\n?\\z)', 1);
      case '*':
      case '+':
      case '?':
        return this.repeat(next);
      case '{':
        return this.counted();
    }
    const [blank = ''] = (this.flags.has('x') && /^(?:\s|#[^\n]*)/.exec(this.text.slice(this.at))) || [];
    if (blank === '') return this.take(next, 1);
    this.at += blank.length;
    return '';
  }

  private repeat(source: string, length = source.length): string {
    if (this.isRepeat) {
      if (source === '+') throw refused('possessive repeat', this.at);
      // A ? after a repeat makes it lazy.
      if (source !== '?') throw broken('multiple repeat', this.at);
      return this.take('?', 1);
    }
    return this.take(source, length, true);
  }

  /** `{,3}` is a repeat in Python, and `{x}` is text. */
  private counted(): string {
    const [all, from = '', comma, to = ''] = /^\{(\d*)(,?)(\d*)\}/.exec(this.text.slice(this.at)) ?? [];
    if (all === undefined || (from === '' && to === '')) return this.take('\\{', 1);
    if (to !== '' && Number(from) > Number(to)) throw broken('min repeat greater than max repeat', this.at);
    if (Number(from) > MOST_REPEATS || Number(to) > MOST_REPEATS)
      throw broken(`a repeat of more than ${MOST_REPEATS} is not supported: write a smaller count;`, this.at);
    return this.repeat(`{${from || '0'}${comma}${to}}`, all.length);
  }

  private group(): string {
    const rest = this.text.slice(this.at);
    if (rest.startsWith('(*')) throw broken('nothing to repeat', this.at + 1);
    if (!rest.startsWith('(?')) return this.take('(', 1);
    const found = LOOKAROUND.find(([start]) => rest.startsWith(start));
    if (found) throw refused(found[1], this.at);
    const [comment] = /^\(\?#[^)]*\)/.exec(rest) ?? [];
    if (comment !== undefined) {
      this.at += comment.length;
      return '';
    }
    const [named] = /^\(\?P<[A-Za-z_]\w*>/.exec(rest) ?? [];
    const [scoped, flags = ''] = /^\(\?([aiLmsux]*(?:-[aiLmsux]+)?):/.exec(rest) ?? [];
    if (/[aLux]/.test(flags)) throw refused(`flag group (?${flags}:`, this.at);
    const start = named ?? scoped;
    if (start !== undefined) return this.take(start, start.length);
    if (/^\(\?[aiLmsux]+\)/.test(rest)) throw broken('global flags not at the start of the expression', this.at);
    throw broken(`unknown extension ${rest.slice(1, 3)}`, this.at + 1);
  }

  private escape(): string {
    const next = this.text[this.at + 1];
    if (next === undefined) throw broken('bad escape (end of pattern)', this.at);
    const set = (this.flags.has('a') ? ASCII : UNICODE)[next];
    if (set !== undefined) return this.take(`[${set}]`, 2);
    if (next === 'A' || next === 'b' || next === 'B') return this.take(`\\${next}`, 2);
    if (next === 'Z') return this.take('\\z', 2);
    if (/[1-9]/.test(next) && !/^\\[0-3]?[0-7]{3}/.test(this.text.slice(this.at)))
      throw refused(`backreference \\${next}`, this.at);
    return this.take(...this.character());
  }

  /** Reads one escaped character and its escape's length, which are the same inside and outside a class. */
  private character(): [source: string, length: number] {
    const rest = this.text.slice(this.at);
    const next = rest[1] ?? '';
    const control = CONTROL[next];
    if (control !== undefined) return [control, 2];
    const digits = HEX[next];
    if (digits !== undefined) {
      const hex = rest.slice(2, 2 + digits);
      const code = Number.parseInt(hex, 16);
      if (!new RegExp(`^[0-9a-fA-F]{${digits}}$`).test(hex) || code > LARGEST)
        throw broken(`incomplete escape \\${next}${hex}`, this.at);
      return [`\\x{${code.toString(16)}}`, 2 + digits];
    }
    const [octal, value = ''] = /^\\(0[0-7]{0,2}|[0-3][0-7]{2})/.exec(rest) ?? [];
    if (octal !== undefined) return [`\\x{${Number.parseInt(value, 8).toString(16)}}`, octal.length];
    if (/[A-Za-z0-9]/.test(next)) throw broken(`bad escape \\${next}`, this.at);
    const whole = String.fromCodePoint(rest.codePointAt(1) ?? 0);
    return [/[!-/:-@[-`{-~]/.test(whole) ? `\\${whole}` : whole, 1 + whole.length];
  }

  private characterClass(): string {
    const start = this.at;
    const isNegated = this.text[start + 1] === '^';
    let inside = '';
    this.at += isNegated ? 2 : 1;
    for (const first = this.at; ; ) {
      const next = this.text[this.at];
      if (next === undefined) throw broken('unterminated character set', start);
      if (next === ']' && this.at > first) break;
      const [source, length] = next === '\\' ? this.inClass() : [/[[\]^]/.test(next) ? `\\${next}` : next, 1];
      inside += source;
      this.at += length;
    }
    return this.take(`[${isNegated ? '^' : ''}${inside}]`, 1);
  }

  private inClass(): [source: string, length: number] {
    const next = this.text[this.at + 1] ?? '';
    const set = (this.flags.has('a') ? ASCII : UNICODE)[next];
    if (set !== undefined) return [set, 2];
    return next === 'b' ? ['\\x08', 2] : this.character();
  }
}
