// The limit of work of one rendering. A chat template comes with a model from anywhere, and a loop over `range(20000000)` on the
// thread that reads it could not be stopped by any clock. So steps are counted, and sizes are known before anything is made. Counted
// work is the same on every machine: a template that renders here renders everywhere.

export const LIMITS = {
  /** Characters of a template. The longest in use have 30,000. */
  length: 131_072,
  /** Steps of any template, and more for each character of template and messages: a turn of a few words takes Qwen3's 130. */
  steps: 100_000,
  stepsPerCharacter: 4,
  /** Characters of one value written out. */
  size: 2 ** 22,
  /** Numbers of one range. */
  range: 10_000,
  /** Elements of one list, pieces of one text. */
  items: 100_000,
  /** Bits of one whole number; Python prints no longer one than 4300 digits. */
  bits: 16_384,
  digits: 4300,
  /** Lists in lists, expressions in expressions, blocks in blocks, macros in macros. */
  nested: 100,
  calls: 400,
} as const;

/** Characters that a built-in operation works through in one step. */
const CHARACTERS_A_STEP = 32;
/** Characters that the search for a long text reads in one step. */
const CHARACTERS_A_LONG_STEP = 8;
/** A text of this length or shorter is looked for by the engine's own search. */
const SHORT_PATTERN = 32;
const LARGEST = 1n << BigInt(LIMITS.bits);

/** A template is refused for its text, its actions, or its use of resources. */
export class TemplateError extends Error {}

/** A feature of Jinja2 that this renderer lacks: refused by name, never rendered otherwise. */
export const unsupported = (what: string) => new TemplateError(`${what} is not supported here`);

export class Work {
  #left: number;

  constructor(private readonly steps: number) {
    this.#left = steps;
  }

  charge(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new TemplateError(`it takes more than the ${this.steps} steps that are allowed`);
  }

  /** A text that was made or is read through. */
  text(text: string): string {
    if (text.length > LIMITS.size)
      throw new TemplateError(`a value of it has ${text.length} characters, ${LIMITS.size} are allowed`);
    this.charge(text.length / CHARACTERS_A_STEP);
    return text;
  }

  /** Asked before a text of so many characters is made. */
  room(characters: number): void {
    if (characters <= LIMITS.size) return;
    throw new TemplateError(`an operation of it could make ${characters} characters, ${LIMITS.size} are allowed`);
  }

  /** Asked before a list of so many elements is made. */
  items(what: string, count: number, most: number = LIMITS.items): void {
    if (count > most) throw new TemplateError(`${what} gives ${count} items, ${most} are allowed`);
    this.charge(count / 4);
  }

  int(value: bigint): bigint {
    if (value >= LARGEST || value <= -LARGEST)
      throw new TemplateError(`a whole number of it has more than ${LIMITS.bits} bits`);
    return value;
  }

  /** First index of `pattern` in `text` from `from` on, else -1; in time that grows with the text, whatever the pattern is. */
  find(text: string, pattern: string, from = 0): number {
    const short = pattern.length <= SHORT_PATTERN;
    const at = short ? text.indexOf(pattern, from) : searchLong(text, pattern, from);
    const read = Math.max(0, (at < 0 ? text.length : at + pattern.length) - from) + pattern.length;
    this.charge(read / (short ? CHARACTERS_A_STEP : CHARACTERS_A_LONG_STEP));
    return at;
  }

  /** All places of `pattern` in `text` that do not overlap, `most` of them at most. */
  findAll(text: string, pattern: string, most = Number.POSITIVE_INFINITY): number[] {
    const places: number[] = [];
    for (let at = 0; places.length < most; ) {
      at = this.find(text, pattern, at);
      if (at < 0) break;
      places.push(at);
      this.charge(1);
      at += pattern.length;
    }
    return places;
  }
}

/** Knuth, Morris and Pratt's search. */
function searchLong(text: string, pattern: string, from: number): number {
  const back = new Int32Array(pattern.length);
  for (let i = 1, k = 0; i < pattern.length; i++) {
    while (k > 0 && pattern[i] !== pattern[k]) k = back[k - 1];
    if (pattern[i] === pattern[k]) k++;
    back[i] = k;
  }
  for (let i = from, k = 0; i < text.length; i++) {
    while (k > 0 && text[i] !== pattern[k]) k = back[k - 1];
    if (text[i] === pattern[k]) k++;
    if (k === pattern.length) return i - k + 1;
  }
  return -1;
}
