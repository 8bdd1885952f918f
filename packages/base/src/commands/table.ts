// A table of results as plain text, with columns as wide as their contents.

/** `isRight`: whether a column is right-aligned, as numbers are; the first column names the rows. */
export function renderTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  isRight: (column: number) => boolean = (column) => column > 0,
): string {
  const width = head.map((title, c) => Math.max(title.length, ...rows.map((row) => row[c]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, c) => (isRight(c) ? cell.padStart(width[c] ?? 0) : cell.padEnd(width[c] ?? 0)))
      .join('  ')
      .trimEnd();
  return [line(head), width.map((w) => '─'.repeat(w)).join('  '), ...rows.map(line)].join('\n');
}
