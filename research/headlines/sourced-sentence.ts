// A sentence whose figures come from rows. The words are in a template; every figure is interpolated with its name and source, so that
// `verify` can print it beside the value computed from the rows, and no figure can be typed into the words.

/** One figure of a sentence. */
export interface PrintedFigure {
  /** Name of the quantity: `hack, plain RL`. */
  name: string;
  /** Text in the sentence: `45%`. */
  text: string;
  /** Its source: a file of rows below public/results, or an entry of a sheet. */
  source: string;
}

export interface SourcedSentence {
  text: string;
  /** The words around the figures: one more than there are figures. */
  words: readonly string[];
  figures: readonly PrintedFigure[];
}

/** Template tag. Throws RangeError for a digit in the words, since figures must come from rows. */
export function sourced(
  words: TemplateStringsArray,
  ...values: readonly (PrintedFigure | SourcedSentence)[]
): SourcedSentence {
  const typed = words.find((part) => /\d/.test(part));
  if (typed !== undefined) throw new RangeError(`“${typed.trim()}” has a figure that is typed, not computed`);
  return joined(words, values);
}

/** The same for words that may contain digits because they are names: `K = 16`. */
export function joined(
  parts: readonly string[],
  values: readonly (PrintedFigure | SourcedSentence)[],
): SourcedSentence {
  const words = [parts[0]];
  const figures: PrintedFigure[] = [];
  for (const [i, value] of values.entries()) {
    const [own, around] = 'figures' in value ? [value.figures, value.words] : [[value], ['', '']];
    words[words.length - 1] += around[0];
    words.push(...around.slice(1));
    figures.push(...own);
    words[words.length - 1] += parts[i + 1];
  }
  const text = words.reduce((all, part, i) => all + part + (figures[i]?.text ?? ''), '');
  return { text, words, figures };
}

const NUMBER = /[+−]?\d+(?:,\d{3})*(?:\.\d+)?%?/g;

/** A line generated elsewhere from rows, with every number as a figure, named by the words before it. */
export function saidOf(text: string, source: string): SourcedSentence {
  const figures = [...text.matchAll(NUMBER)].map(({ 0: number, index }): PrintedFigure => {
    const before = text.slice(0, index).split(/\s+/).slice(-5).join(' ').trim();
    return { name: before, text: number, source };
  });
  return { text, words: text.split(NUMBER), figures };
}

/** The figures of a sentence in a published text; null if the text lacks the sentence. */
export function readIn(text: string, { words }: SourcedSentence): string[] | null {
  const pattern = words.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('(.{0,80}?)');
  const found = new RegExp(pattern, 's').exec(text);
  return found?.slice(1) ?? null;
}

/** Throws RangeError if the rows no longer show what the words beside a figure say. */
export function requireShown(isTrue: boolean, words: string): void {
  if (!isTrue) throw new RangeError(`The rows do not show what is said of them: ${words}`);
}

/** A source for figures that all come from one file. */
export const figuresFrom =
  (source: string) =>
  (name: string, text: string | number): PrintedFigure => ({ name, text: String(text), source });
