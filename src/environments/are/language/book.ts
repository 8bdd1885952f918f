// The texts that an agent was shown in an episode, by number: $1 is the first. Names, quoted texts, addresses, dates, times and ids are
// shown by their handles and written by them, so that an action is short and nothing has to be copied letter by letter.

/** What is an entity in running words; a run of capitalised words is one too, without the word that begins a sentence. */
const ENTITY =
  /"([^"]*)"|[^\s"@]+@[^\s"@]+\.\w+|\+\d{6,}|\d{4}-\d\d-\d\d|\d\d:\d\d|\b[0-9a-f]{32}\b|\p{Lu}\p{L}*(?: \p{Lu}\p{L}*)*/gu;
const SENTENCE_BEGINS = /(?:^|[.?!"]\s+)$/;

export class Book {
  private readonly texts: string[] = [];
  private readonly places = new Map<string, number>();

  get size(): number {
    return this.texts.length;
  }

  /** From 1; null where it was not shown. */
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

  /** Running words with handles in the place of what they name. */
  marked(words: string): string {
    return words.replace(ENTITY, (found: string, quoted: string | undefined, offset: number) => {
      if (quoted !== undefined) return `$${this.note(quoted)}`;
      if (!/^\p{Lu}/u.test(found) || !SENTENCE_BEGINS.test(words.slice(0, offset))) return `$${this.note(found)}`;
      const [first, ...rest] = found.split(' ');
      return rest.length === 0 ? found : `${first} $${this.note(rest.join(' '))}`;
    });
  }
}
