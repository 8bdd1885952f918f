type Cell = string | number | null | undefined;

/** CSV as in RFC 4180: quotes where needed, CRLF line ends by default. */
export function toCsv(
  header: readonly string[],
  rows: readonly (readonly Cell[])[],
  lineEnd: '\r\n' | '\n' = '\r\n',
): string {
  const cell = (value: Cell) => {
    const text = String(value ?? '');
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [header, ...rows].map((row) => row.map(cell).join(',') + lineEnd).join('');
}
