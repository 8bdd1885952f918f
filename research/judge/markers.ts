// A part of a text that a command writes, between two markers that are in the text itself: README's summaries.

export interface Markers {
  start: string;
  end: string;
}

/** `text` with what is between the markers replaced; null where it has none. */
export function filledIn(text: string, { start, end }: Markers, lines: readonly string[]): string | null {
  const from = text.indexOf(start);
  const to = text.indexOf(end, from);
  if (from < 0 || to < 0) return null;
  return `${text.slice(0, from)}${start}\n\n${lines.join('\n')}\n\n${text.slice(to)}`;
}

/** What is between them, the first marker with it; empty where it has none. */
export const between = (text: string, { start, end }: Markers): string =>
  text.slice(text.indexOf(start), text.indexOf(end, text.indexOf(start)));
