// Limits the work of one rendering. A chat template comes with a third-party model, and a loop over `range(20000000)` would block the
// thread, so that no timer could stop it. Therefore steps are counted, and sizes are checked before a text or a list is made that could be many times as long as its
// parts. The counts are the same on every machine, so a template that renders on one renders on all.

export const LIMITS = {
  /** Most characters of a template. The longest templates in use have 30,000. */
  length: 131_072,
  /** Steps allowed to every template, to which `stepsPerCharacter` is added for each character of the template and its variables. A turn of a
   *  few words takes 130 steps in Qwen3's template. */
  steps: 100_000,
  stepsPerCharacter: 4,
  /** Most characters of one value or of the output. */
  size: 2 ** 22,
  /** Most numbers of one range. */
  range: 10_000,
  /** Most elements of one list, and pieces of one split text. */
  items: 100_000,
  /** Most bits of one whole number. */
  bits: 16_384,
  digits: 4300,
  /** Most levels of nesting of values, and of statements and parentheses in a template. */
  nested: 100,
  /** Most levels of nested calls and expressions while a template runs. */
  calls: 400,
} as const;

/** Characters that a built-in operation processes in one step. */
const CHARACTERS_A_STEP = 32;
/** Characters that the search for a long pattern reads in one step. */
const CHARACTERS_A_LONG_STEP = 8;
/** A pattern of this length or shorter is searched for by the JavaScript engine. */
const SHORT_PATTERN = 32;
const LARGEST = 1n << BigInt(LIMITS.bits);

/** Says why a template is refused: for its syntax, an error while it runs, or a limit. */
export class TemplateError extends Error {}

/** The error for a feature of Jinja2 that this renderer lacks; such a template is never rendered differently. */
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

  /** Charges the work of making or reading `text`, and checks its size. */
  text(text: string): string {
    if (text.length > LIMITS.size)
      throw new TemplateError(`a value of it has ${text.length} characters, ${LIMITS.size} are allowed`);
    this.charge(text.length / CHARACTERS_A_STEP);
    return text;
  }

  /** Checks the size of a text before it is made. */
  room(characters: number): void {
    if (characters <= LIMITS.size) return;
    throw new TemplateError(`an operation of it could make ${characters} characters, ${LIMITS.size} are allowed`);
  }

  /** Checks the size of a list before it is made, and charges its work. */
  items(what: string, count: number, most: number = LIMITS.items): void {
    if (count > most) throw new TemplateError(`${what} gives ${count} items, ${most} are allowed`);
    this.charge(count / 4);
  }

  int(value: bigint): bigint {
    if (value >= LARGEST || value <= -LARGEST)
      throw new TemplateError(`a whole number of it has more than ${LIMITS.bits} bits`);
    return value;
  }

  /** First index of `pattern` in `text` from `from` on, else -1, in time linear in the lengths of text and pattern. */
  find(text: string, pattern: string, from = 0): number {
    const short = pattern.length <= SHORT_PATTERN;
    const at = short ? text.indexOf(pattern, from) : searchLong(text, pattern, from);
    const read = Math.max(0, (at < 0 ? text.length : at + pattern.length) - from) + pattern.length;
    this.charge(read / (short ? CHARACTERS_A_STEP : CHARACTERS_A_LONG_STEP));
    return at;
  }

  /** Indices of the non-overlapping occurrences of `pattern` in `text`, at most `most` of them. */
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

/** The search of Knuth, Morris and Pratt. */
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
