// A sentence whose figures come from rows. The words stand in a template; every figure is interpolated with its name and its source, so that
// `verify` can print each one beside what the rows give, and no figure can be typed into the words.

/** One figure of a sentence. */
export interface Printed {
  /** What it counts: `hack, plain RL`. */
  name: string;
  /** As it stands in the sentence: `45%`. */
  text: string;
  /** Its source: a file of rows below public/results, or an entry of a sheet. */
  source: string;
}

export interface Said {
  text: string;
  figures: readonly Printed[];
}

/** Tag of a template. Throws RangeError for a digit in the words: a figure comes from rows. */
export function say(words: TemplateStringsArray, ...values: readonly (Printed | Said)[]): Said {
  const typed = words.find((part) => /\d/.test(part));
  if (typed !== undefined) throw new RangeError(`“${typed.trim()}” has a figure that is typed, not computed`);
  const text = words.reduce((all, part, i) => all + part + (values[i]?.text ?? ''), '');
  return { text, figures: values.flatMap((value) => ('figures' in value ? value.figures : value)) };
}

/** Throws RangeError where the rows no longer show what the words beside a figure say. */
export function hold(isTrue: boolean, words: string): void {
  if (!isTrue) throw new RangeError(`The rows do not show what is said of them: ${words}`);
}

/** The source of figures that all come from one file. */
export const from =
  (source: string) =>
  (name: string, text: string | number): Printed => ({ name, text: String(text), source });
