type Cell = string | number | null | undefined;

/** RFC 4180: quotes where needed, CRLF at the ends of lines unless another is asked for. */
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
