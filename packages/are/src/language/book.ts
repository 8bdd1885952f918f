// The numbered texts that an agent was shown in an episode: $1 is the first. Names, quoted texts, addresses, dates, times and ids are shown
// and written as handles, so that an action is short and nothing has to be copied letter by letter.

import { type Dialect, FIRST } from './dialect.ts';

export class Book {
  private readonly texts: string[] = [];
  private readonly places = new Map<string, number>();

  constructor(readonly dialect: Dialect = FIRST) {}

  get size(): number {
    return this.texts.length;
  }

  /** The text's handle, from 1; null if it was not shown. */
  handleOf(text: string): number | null {
    return this.places.get(text) ?? null;
  }

  textOf(handle: number): string | null {
    return this.texts[handle - 1] ?? null;
  }

  /** The text's handle, which is created if it has none. */
  note(text: string): number {
    const known = this.places.get(text);
    if (known !== undefined) return known;
    this.texts.push(text);
    this.places.set(text, this.texts.length);
    return this.texts.length;
  }

  /** Handle and position, both from 1, of the first shown text that contains the word among others. Null if no text does. */
  wordOf(word: string): { handle: number; place: number } | null {
    for (const [i, text] of this.texts.entries()) {
      const words = text.split(' ');
      const at = words.length > 1 ? words.indexOf(word) : -1;
      if (at >= 0) return { handle: i + 1, place: at + 1 };
    }
    return null;
  }

  /** Replaces names, quoted texts, dates and the like in a message by handles. */
  marked(words: string): string {
    return words.replace(this.dialect.entity, (found: string, quoted: string | undefined, offset: number) => {
      if (quoted !== undefined) return `$${this.note(quoted)}`;
      if (!/^\p{Lu}/u.test(found) || !this.dialect.sentenceBegins.test(words.slice(0, offset)))
        return `$${this.note(found)}`;
      const [first, ...rest] = found.split(' ');
      return rest.length === 0 ? found : `${first} $${this.note(rest.join(' '))}`;
    });
  }

  /** Writes a message for an action: shown texts become handles, and `$` is doubled. */
  written(words: string): string {
    let [text, at] = ['', 0];
    for (const { 0: found, index } of words.matchAll(this.dialect.entity)) {
      // If the first word starts the sentence, the rest may be a shown text.
      const rest = found.indexOf(' ') + 1;
      const from = [0, rest].find((start) => this.handleOf(found.slice(start)) !== null);
      const end = index + found.length;
      if (from === undefined || /\d/.test(words[end] ?? '')) continue;
      text += `${doubled(words.slice(at, index + from))}$${this.handleOf(found.slice(from))}`;
      at = end;
    }
    return text + doubled(words.slice(at));
  }

  /** The message that `written` encoded; null if it has an unknown handle. */
  read(text: string): string | null {
    let isKnown = true;
    const words = text.replace(/\$(\$|\d{1,4})/g, (_, what: string) => {
      if (what === '$') return '$';
      const found = this.textOf(Number(what));
      if (found === null) isKnown = false;
      return found ?? '';
    });
    return isKnown ? words : null;
  }
}

const doubled = (words: string): string => words.replaceAll('$', '$$$$');
