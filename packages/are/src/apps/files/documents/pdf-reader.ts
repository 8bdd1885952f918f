// The values of a PDF file, and the operators of a page's contents, one after another (ISO 32000-1, 7.2 and 7.3).
import { binary, fromHex } from './pdf-bytes.ts';
import { DocumentError, type Work } from './work.ts';

export type PdfValue = null | boolean | number | string | PdfName | PdfRef | PdfValue[] | PdfDict | PdfStream;
export class PdfName {
  constructor(readonly name: string) {}
}
export class PdfRef {
  constructor(readonly number: number) {}
}
export class PdfStream {
  constructor(
    readonly dict: PdfDict,
    readonly bytes: Uint8Array,
  ) {}
}
export type PdfDict = ReadonlyMap<string, PdfValue>;

export const MOST_DEPTH = 60;
/** Characters of a string, a name or a word: four times what ISO 32000-1 asks readers for (annex C). */
const MOST_VALUE = 131_072;

export const nameOf = (value: PdfValue): string | null => (value instanceof PdfName ? value.name : null);

const SPACE = /[\0\t\n\f\r ]/;
const DELIMITER = /[\0\t\n\f\r ()<>[\]{}/%]/;

/** Reads values, and the operators of a page's contents as PdfOperator. */
export class PdfOperator {
  constructor(readonly name: string) {}
}

/** What means something within a string. */
const MARK = /[()\\]/g;

export class PdfReader {
  constructor(
    private readonly text: string,
    public at: number,
    private readonly work: Work,
  ) {}

  /** An operator where a value is wanted is none. */
  value(): PdfValue {
    const found = this.next(0);
    return found instanceof PdfOperator || found === undefined ? null : found;
  }

  /** undefined: the end. */
  next(depth: number): PdfValue | PdfOperator | undefined {
    this.work.piece();
    if (depth > MOST_DEPTH) throw new DocumentError(`Its values are nested more than ${MOST_DEPTH} deep.`);
    this.skip();
    const char = this.text[this.at];
    if (char === undefined) return undefined;
    if (char === '/') return this.name();
    if (char === '(') return this.string();
    if (char === '<') return this.text[this.at + 1] === '<' ? this.dict(depth) : this.hex();
    if (char === '[') return this.array(depth);
    if (DELIMITER.test(char)) {
      this.at++;
      return new PdfOperator(char);
    }
    return this.word();
  }

  private skip(): void {
    const from = this.at;
    for (; this.at < this.text.length; this.at++) {
      const char = this.text[this.at] as string;
      if (char === '%') {
        const end = this.text.slice(this.at, this.at + 4096).search(/[\r\n]/);
        this.at += end < 0 ? 4095 : end;
      } else if (!SPACE.test(char)) break;
    }
    this.work.scan(this.at - from);
  }

  /** To the next match, or the end. No value is longer than MOST_VALUE: what is left of a longer one is read as another. */
  private until(end: RegExp): string {
    const from = this.at;
    const stop = Math.min(this.text.length, from + MOST_VALUE);
    while (this.at < stop && !end.test(this.text[this.at] as string)) this.at++;
    this.work.scan(this.at - from);
    return this.text.slice(from, this.at);
  }

  private word(): PdfValue | PdfOperator {
    const word = this.until(DELIMITER);
    if (word === 'true' || word === 'false') return word === 'true';
    if (word === 'null') return null;
    if (!/^[+-]?(\d{1,15}(\.\d{0,15})?|\.\d{1,15})$/.test(word)) return new PdfOperator(word);
    if (/^\d{1,9}$/.test(word)) {
      const [reference] = /^\s{1,9}\d{1,5}\s{1,9}R(?![A-Za-z0-9])/.exec(this.text.slice(this.at, this.at + 30)) ?? [];
      if (reference !== undefined) {
        this.at += reference.length;
        return new PdfRef(Number(word));
      }
    }
    return Number(word);
  }

  private name(): PdfName {
    this.at++;
    const written = this.until(DELIMITER);
    return new PdfName(
      written.replace(/#([0-9a-fA-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    );
  }

  private array(depth: number): PdfValue[] {
    this.at++;
    const items: PdfValue[] = [];
    for (;;) {
      const item = this.next(depth + 1);
      if (item === undefined || (item instanceof PdfOperator && item.name === ']')) return items;
      if (!(item instanceof PdfOperator)) items.push(item);
    }
  }

  private dict(depth: number): PdfDict {
    this.at += 2;
    const found = new Map<string, PdfValue>();
    for (;;) {
      const key = this.next(depth + 1);
      if (key === undefined) return found;
      if (key instanceof PdfOperator && key.name === '>') {
        if (this.text[this.at] === '>') this.at++;
        return found;
      }
      if (!(key instanceof PdfName)) continue;
      const value = this.next(depth + 1);
      if (value instanceof PdfOperator) {
        if (value.name === '>') this.at--;
      } else found.set(key.name, value ?? null);
    }
  }

  private hex(): string {
    this.at++;
    const digits = this.until(/>/);
    this.at++;
    return binary(fromHex(digits));
  }

  private string(): string {
    const from = this.at++;
    const stop = Math.min(this.text.length, from + MOST_VALUE);
    const parts: string[] = [];
    for (let open = 1; open > 0 && this.at < stop; ) {
      MARK.lastIndex = this.at;
      const mark = MARK.exec(this.text)?.index ?? stop;
      const end = Math.min(mark, stop);
      parts.push(this.text.slice(this.at, end));
      this.at = end;
      if (end === stop) break;
      const char = this.text[end];
      if (char === '\\') parts.push(this.escaped());
      else {
        open += char === '(' ? 1 : -1;
        if (open > 0) parts.push(char as string);
      }
      this.at++;
    }
    this.work.scan(this.at - from);
    return parts.join('');
  }

  private escaped(): string {
    const char = this.text[++this.at] ?? '';
    const [octal] = /^[0-7]{1,3}/.exec(this.text.slice(this.at, this.at + 3)) ?? [];
    if (octal !== undefined) {
      this.at += octal.length - 1;
      return String.fromCharCode(Number.parseInt(octal, 8) & 255);
    }
    if (char === '\r' && this.text[this.at + 1] === '\n') this.at++;
    return { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f', '\n': '', '\r': '' }[char] ?? char;
  }
}
