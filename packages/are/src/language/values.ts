// Arguments as the language writes them. A text is written in the first of these ways that it can be:
//
//   $3       a text that was shown                    $3.2     the second word of one
//   $4~$5    a shown date and a shown time of day     "…"      any other, as in JSON
//
// In the second dialect what was shown has its handle within quotes too (`"It is $3."`), and `$$` is a dollar.
// Numbers, true, false and null are JSON's (a whole float is 12.0); a list is [a b], a dict {"key"=a "key"=b}.

import { LabError } from '@projected-grpo-lab/base/errors.ts';
import { parseJsonText } from '@projected-grpo-lab/base/json.ts';
import { type Arg, Float, isDict, isList } from '../value.ts';
import type { Book } from './book.ts';

/** `canonical`: the meaning is clear, but the spelling is not the only allowed one. */
export type LanguageFault = 'empty' | 'length' | 'tool' | 'argument' | 'handle' | 'value' | 'canonical';

export class LanguageError extends LabError {
  constructor(
    readonly fault: LanguageFault,
    message: string,
    remedy = 'Write TOOL and its arguments in their order, as docs/reference/are.md says.',
  ) {
    super(message, remedy);
  }
}

const MOMENT = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d):00$/;
const DATE = /^\d{4}-\d\d-\d\d$/;
const HOUR = /^\d\d:\d\d$/;
/** Most nested lists. */
const DEEPEST = 8;

export function writeValue(value: Arg, book: Book): string {
  if (value instanceof Float) return numberText(value.value, true);
  if (typeof value === 'number') return numberText(value, false);
  if (typeof value === 'string') return writeText(value, book);
  if (isList(value)) return `[${value.map((item) => writeValue(item, book)).join(' ')}]`;
  if (isDict(value)) {
    const entries = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}=${writeValue(item, book)}`);
    return `{${entries.join(' ')}}`;
  }
  return String(value);
}

function numberText(value: number, isFloat: boolean): string {
  const text = String(value);
  // Numbers from 1e+21 on are written differently, and no tool's argument needs them.
  if (!/^-?\d+(\.\d+)?$/.test(text)) throw new LanguageError('value', `the number ${text}`);
  return isFloat && !text.includes('.') ? `${text}.0` : text;
}

function writeText(text: string, book: Book): string {
  const handle = book.handleOf(text);
  if (handle !== null) return `$${handle}`;
  const [, date, hour] = MOMENT.exec(text) ?? [];
  const [day, time] = [book.handleOf(date ?? ''), book.handleOf(hour ?? '')];
  if (date && hour && day !== null && time !== null) return `$${day}~$${time}`;
  const word = book.wordOf(text);
  if (word !== null) return `$${word.handle}.${word.place}`;
  return JSON.stringify(book.dialect.hasTexts ? book.written(text) : text);
}

/** Reads values from a text, from a position on. */
export class ValueReader {
  at = 0;

  constructor(
    private readonly source: string,
    private readonly book: Book,
  ) {}

  get isDone(): boolean {
    return this.at >= this.source.length;
  }

  /** Matches the (sticky) pattern at the current position. */
  take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.source);
    if (found) this.at += found[0].length;
    return found;
  }

  need(text: string): void {
    if (!this.source.startsWith(text, this.at)) throw this.fault(`no ${JSON.stringify(text)}`);
    this.at += text.length;
  }

  value(depth = 0): Arg {
    if (depth > DEEPEST) throw this.fault(`more than ${DEEPEST} lists in each other`);
    if (this.take(/\[/y)) return this.list(depth);
    if (this.take(/\{/y)) return this.dict(depth);
    const handle = this.take(/\$(\d{1,4})(?:\.(\d{1,2})|~\$(\d{1,4}))?/y);
    if (handle) return this.shown(handle);
    const quoted = this.take(/"(?:[^"\\]|\\.)*"/y);
    if (quoted) return this.unmarked(this.quoted(quoted[0]));
    const number = this.take(/-?\d+(\.\d+)?/y);
    if (number) return number[0].endsWith('.0') ? new Float(Number(number[0])) : Number(number[0]);
    const word = this.take(/true|false|null/y);
    if (word) return word[0] === 'null' ? null : word[0] === 'true';
    throw this.fault('no value');
  }

  private list(depth: number): Arg {
    const items: Arg[] = [];
    while (!this.take(/\]/y)) {
      if (items.length > 0) this.need(' ');
      items.push(this.value(depth + 1));
    }
    return items;
  }

  private dict(depth: number): Arg {
    const entries: [string, Arg][] = [];
    while (!this.take(/\}/y)) {
      if (entries.length > 0) this.need(' ');
      const key = this.take(/"(?:[^"\\]|\\.)*"/y);
      if (!key) throw this.fault('no key');
      this.need('=');
      entries.push([this.quoted(key[0]), this.value(depth + 1)]);
    }
    return Object.fromEntries(entries);
  }

  private shown([found, handle, place, time]: RegExpExecArray): string {
    const text = this.textOf(Number(handle));
    if (time !== undefined) {
      const hour = this.textOf(Number(time));
      if (!DATE.test(text) || !HOUR.test(hour)) throw new LanguageError('handle', `${found}: no date and time of day`);
      return `${text} ${hour}:00`;
    }
    if (place === undefined) return text;
    const word = text.split(' ')[Number(place) - 1];
    if (word === undefined) throw new LanguageError('handle', `${found}: there is no such word`);
    return word;
  }

  private textOf(handle: number): string {
    const text = this.book.textOf(handle);
    if (text === null) throw new LanguageError('handle', `$${handle}: ${this.book.size} texts were shown`);
    return text;
  }

  private unmarked(text: string): string {
    const read = this.book.dialect.hasTexts ? this.book.read(text) : text;
    if (read === null) throw new LanguageError('handle', `${text}: ${this.book.size} texts were shown`);
    return read;
  }

  private quoted(source: string): string {
    try {
      return parseJsonText(source) as string;
    } catch {
      throw this.fault(`${source}: no text`);
    }
  }

  private fault(what: string): LanguageError {
    return new LanguageError('value', `at character ${this.at + 1}: ${what}`);
  }
}
