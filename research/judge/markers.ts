// A generated part of a text, between two markers in the text itself, such as README's summaries.

export interface Markers {
  start: string;
  end: string;
}

/** `text` with the part between the markers replaced; null if it has no markers. */
export function filledIn(text: string, { start, end }: Markers, lines: readonly string[]): string | null {
  const from = text.indexOf(start);
  const to = text.indexOf(end, from);
  if (from < 0 || to < 0) return null;
  return `${text.slice(0, from)}${start}\n\n${lines.join('\n')}\n\n${text.slice(to)}`;
}

/** The part between the markers; empty without markers. */
export const textBetween = (text: string, { start, end }: Markers): string =>
  text.slice(text.indexOf(start), text.indexOf(end, text.indexOf(start)));
