// Tables in Markdown, as all readers of documents write them.
import { DocumentError, MOST } from './work.ts';

/** The first row is the head. Rows that are short are filled. Throws DocumentError where it is too large. */
export function tableText(rows: readonly (readonly string[])[]): string {
  const width = widthOf(rows);
  const length = rows.reduce((sum, row) => row.reduce((all, cell) => all + cell.length, sum), 0);
  if (width * rows.length > MOST.cells || length > MOST.text)
    throw new DocumentError(`A table has more than ${MOST.cells} cells or ${MOST.text} characters.`);
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const [head, ...rest] = rows.map((row) => Array.from({ length: width }, (_, at) => cellText(row[at] ?? '')));
  if (head === undefined || width === 0) return '';
  return [line(head), line(head.map(() => '---')), ...rest.map(line)].join('\n');
}

/** Of the longest row. */
export const widthOf = (rows: readonly (readonly string[])[]): number =>
  rows.reduce((most, row) => Math.max(most, row.length), 0);

const cellText = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trim())
    .join(' ')
    .trim()
    .replaceAll('|', '\\|');
