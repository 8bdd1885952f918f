// A plain-text table: columns as wide as they need, numbers to the right.

export interface Column {
  title: string;
  right?: boolean;
}

export function renderTable(columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  const width = columns.map(({ title }, c) => Math.max(title.length, ...rows.map((row) => row[c].length)));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, c) => (columns[c].right ? cell.padStart(width[c]) : cell.padEnd(width[c])))
      .join('  ')
      .trimEnd();
  return [line(columns.map(({ title }) => title)), width.map((w) => '─'.repeat(w)).join('  '), ...rows.map(line)].join(
    '\n',
  );
}
