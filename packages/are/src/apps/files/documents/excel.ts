// An Excel file as Markdown, a table a sheet, as the reference's converter has it by pandas: the first row is the head, an empty cell is NaN,
// a head without a name is "Unnamed: n". Values as the file has them; dates as dates; formulas by their last results.
import { tableText, widthOf } from './markdown.ts';
import { DocumentError, MOST, type Work, Written } from './work.ts';
import { piecesOf, relationsOf } from './xml.ts';
import type { Zip } from './zip.ts';

export function excelText(zip: Zip, work: Work): string {
  const book = zip.readText('xl/workbook.xml');
  if (book === null) throw new DocumentError('It has no xl/workbook.xml.');
  const targets = relationsOf(zip, 'xl/workbook.xml', work);
  const strings = sharedStrings(zip.readText('xl/sharedStrings.xml') ?? '', work);
  const isDate = dateStyles(zip.readText('xl/styles.xml') ?? '', work);
  const written = new Written();
  let is1904 = false;
  for (const piece of piecesOf(book, work)) {
    if (piece.kind !== 'open') continue;
    if (piece.name === 'workbookPr') is1904 = ['1', 'true'].includes(piece.attributes.get('date1904') ?? '');
    if (piece.name !== 'sheet') continue;
    const xml = zip.readText(targets.get(piece.attributes.get('r:id') ?? '') ?? '');
    if (xml === null) continue;
    const rows = rowsOf(xml, work, { strings, isDate, is1904 });
    written.add(`## ${piece.attributes.get('name') ?? ''}\n${sheetText(rows)}\n\n`);
  }
  return written.text.trim();
}

function sheetText(rows: readonly (readonly string[])[]): string {
  const width = widthOf(rows);
  if (width * rows.length > MOST.cells) throw new DocumentError(`A sheet has more than ${MOST.cells} cells.`);
  const [head = [], ...rest] = rows.map((row) => Array.from({ length: width }, (_, at) => row[at] ?? ''));
  return tableText([
    head.map((name, at) => (name === '' ? `Unnamed: ${at}` : name)),
    ...rest.map((row) => row.map((cell) => (cell === '' ? 'NaN' : cell))),
  ]);
}

interface Book {
  readonly strings: readonly string[];
  readonly isDate: readonly boolean[];
  readonly is1904: boolean;
}

function rowsOf(xml: string, work: Work, book: Book): string[][] {
  const rows: string[][] = [];
  let cells = 0;
  let row: string[] = [];
  let cell = { at: 0, type: '', style: 0 };
  let value: string | null = null;
  for (const piece of piecesOf(xml, work)) {
    if (piece.kind === 'text') {
      if (value !== null) value += piece.text;
      continue;
    }
    const { kind, name } = piece;
    if (kind === 'open' && name === 'row') {
      row = [];
      rows.push(row);
    } else if (kind === 'open' && name === 'c') {
      const { attributes } = piece;
      cell = {
        at: columnOf(attributes.get('r') ?? '') ?? row.length,
        type: attributes.get('t') ?? 'n',
        style: Number(attributes.get('s') ?? 0),
      };
    } else if (kind === 'open' && (name === 'v' || name === 't')) value ??= '';
    else if (kind === 'close' && (name === 'v' || name === 'is') && value !== null) {
      cells += Math.max(1, cell.at - row.length + 1);
      // Those between count too.
      if (cells > MOST.cells) throw new DocumentError(`A sheet has more than ${MOST.cells} cells.`);
      while (row.length < cell.at) row.push('');
      row[cell.at] = shown(value, cell, book);
      value = null;
    }
  }
  return rows.filter((one) => one.some((text) => text !== ''));
}

/** `C7`: 2. */
function columnOf(reference: string): number | null {
  const [letters = ''] = /^[A-Z]{1,3}/.exec(reference) ?? [];
  if (letters === '') return null;
  return [...letters].reduce((sum, letter) => 26 * sum + letter.charCodeAt(0) - 64, 0) - 1;
}

function shown(value: string, { type, style }: { type: string; style: number }, { strings, isDate, is1904 }: Book) {
  if (type === 's') return strings[Number(value)] ?? '';
  if (type === 'b') return value === '1' ? 'True' : 'False';
  const number = Number(value);
  if (type !== 'n' || !isDate[style] || value.trim() === '' || !Number.isFinite(number)) return value;
  // Days since the last day of 1899, as if 1900 had been a leap year.
  const days = is1904 ? number + 1462 : number;
  const milliseconds = Math.round((days - 25_569) * 86_400) * 1000;
  if (Math.abs(milliseconds) > 8.64e15) return value;
  const [date = '', time = ''] = new Date(milliseconds).toISOString().split(/T|\./);
  return time === '00:00:00' ? date : `${date} ${time}`;
}

function sharedStrings(xml: string, work: Work): string[] {
  const found: string[] = [];
  let isText = false;
  let isSpoken = false;
  for (const piece of piecesOf(xml, work)) {
    if (piece.kind === 'text') {
      if (isText && !isSpoken) found[found.length - 1] += piece.text;
    } else if (piece.name === 'si' && piece.kind === 'open') found.push('');
    else if (piece.name === 't') isText = piece.kind === 'open' && found.length > 0;
    // How it is pronounced is none of it.
    else if (piece.name === 'rPh') isSpoken = piece.kind === 'open';
  }
  return found;
}

/** By number of a cell's style. */
function dateStyles(xml: string, work: Work): boolean[] {
  const formats = new Map<string, string>();
  const found: boolean[] = [];
  let isInCells = false;
  for (const piece of piecesOf(xml, work)) {
    if (piece.kind === 'text') continue;
    if (piece.name === 'cellXfs') isInCells = piece.kind === 'open';
    if (piece.kind === 'close') continue;
    const id = piece.attributes.get('numFmtId') ?? '';
    if (piece.name === 'numFmt') formats.set(id, piece.attributes.get('formatCode') ?? '');
    else if (piece.name === 'xf' && isInCells) found.push(isDateFormat(Number(id), formats.get(id) ?? ''));
  }
  return found;
}

const isDateFormat = (id: number, code: string): boolean =>
  (id >= 14 && id <= 22) || (id >= 45 && id <= 47) || /[ymdhs]/i.test(code.replace(/"[^"]*"|\[[^\]]*\]|\\./g, ''));
