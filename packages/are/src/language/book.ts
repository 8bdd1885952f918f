// The texts that an agent was shown in an episode, by number: $1 is the first. Names, quoted texts, addresses, dates, times and ids are
// shown by their handles and written by them, so that an action is short and nothing has to be copied letter by letter.

import { type Dialect, FIRST } from './dialect.ts';

export class Book {
  private readonly texts: string[] = [];
  private readonly places = new Map<string, number>();

  constructor(readonly dialect: Dialect = FIRST) {}

  get size(): number {
    return this.texts.length;
  }

  /** Counts from 1; null where it was not shown. */
  handleOf(text: string): number | null {
    return this.places.get(text) ?? null;
  }

  textOf(handle: number): string | null {
    return this.texts[handle - 1] ?? null;
  }

  /** The handle of a text, which it gets if it has none. */
  note(text: string): number {
    const known = this.places.get(text);
    if (known !== undefined) return known;
    this.texts.push(text);
    this.places.set(text, this.texts.length);
    return this.texts.length;
  }

  /** One word of a text of several: handle and place, both from 1, the earliest. Null where no text has it. */
  wordOf(word: string): { handle: number; place: number } | null {
    for (const [i, text] of this.texts.entries()) {
      const words = text.split(' ');
      const at = words.length > 1 ? words.indexOf(word) : -1;
      if (at >= 0) return { handle: i + 1, place: at + 1 };
    }
    return null;
  }

  /** Running words with handles in the place of texts that were shown. */
  marked(words: string): string {
    return words.replace(this.dialect.entity, (found: string, quoted: string | undefined, offset: number) => {
      if (quoted !== undefined) return `$${this.note(quoted)}`;
      if (!/^\p{Lu}/u.test(found) || !this.dialect.sentenceBegins.test(words.slice(0, offset)))
        return `$${this.note(found)}`;
      const [first, ...rest] = found.split(' ');
      return rest.length === 0 ? found : `${first} $${this.note(rest.join(' '))}`;
    });
  }

  /** Running words as an agent writes them: a shown text stands by its handle, `$` is doubled. */
  written(words: string): string {
    let [text, at] = ['', 0];
    for (const { 0: found, index } of words.matchAll(this.dialect.entity)) {
      // If its first word begins the sentence, the rest may be a text that was shown.
      const rest = found.indexOf(' ') + 1;
      const from = [0, rest].find((start) => this.handleOf(found.slice(start)) !== null);
      const end = index + found.length;
      if (from === undefined || /\d/.test(words[end] ?? '')) continue;
      text += `${doubled(words.slice(at, index + from))}$${this.handleOf(found.slice(from))}`;
      at = end;
    }
    return text + doubled(words.slice(at));
  }

  /** The text that `written` was made of; null if it has an unknown handle. */
  read(text: string): string | null {
    let isWhole = true;
    const words = text.replace(/\$(\$|\d{1,4})/g, (_, what: string) => {
      if (what === '$') return '$';
      const found = this.textOf(Number(what));
      if (found === null) isWhole = false;
      return found ?? '';
    });
    return isWhole ? words : null;
  }
}

const doubled = (words: string): string => words.replaceAll('$', '$$$$');
