// A Word document as Markdown, after what the reference's converter makes of it: headings, lists, emphasis and tables. Pictures, links,
// footnotes and comments are left out.
import { tableText } from './markdown.ts';
import { DocumentError, type Work, Written } from './work.ts';
import { type Attributes, type Piece, piecesOf } from './xml.ts';
import type { Zip } from './zip.ts';

/** Tables within tables are written into their cell. */
interface Table {
  readonly rows: string[][];
  /** Paragraphs of the cell that is open. */
  cell: string[];
}

/** Within each other. */
const MOST_TABLES = 8;

interface Paragraph {
  readonly runs: { text: string; mark: string }[];
  head: string;
}

export function wordText(zip: Zip, work: Work): string {
  const xml = zip.readText('word/document.xml');
  if (xml === null) throw new DocumentError('It has no word/document.xml.');
  const written = new Written();
  const tables: Table[] = [];
  let paragraph: Paragraph = { runs: [], head: '' };
  let run = { isBold: false, isItalic: false, isText: false };
  const put = (text: string) => {
    const table = tables.at(-1);
    if (table) table.cell.push(text);
    else if (text.trim() !== '') written.add(`${text}\n\n`);
  };
  const add = (text: string) => {
    const { isBold, isItalic } = run;
    paragraph.runs.push({
      text,
      mark: paragraph.head.startsWith('#') ? '' : `${isBold ? '**' : ''}${isItalic ? '*' : ''}`,
    });
  };
  const opened = (name: string, attributes: Attributes) => {
    const value = attributes.get('val') ?? '';
    if (name === 'p') paragraph = { runs: [], head: '' };
    else if (name === 'pStyle') paragraph.head = headOf(value);
    else if (name === 'numPr' && paragraph.head === '') paragraph.head = '* ';
    else if (name === 'r') run = { isBold: false, isItalic: false, isText: false };
    else if (name === 'b') run.isBold = isOn(value);
    else if (name === 'i') run.isItalic = isOn(value);
    else if (name === 't') run.isText = true;
    else if (name === 'tab') add('\t');
    else if (name === 'br') add('\n');
    else if (name === 'tbl') {
      if (tables.length >= MOST_TABLES)
        throw new DocumentError(`It has more than ${MOST_TABLES} tables within each other.`);
      tables.push({ rows: [], cell: [] });
    } else if (name === 'tr') tables.at(-1)?.rows.push([]);
    else if (name === 'tc' && tables.length > 0) (tables.at(-1) as Table).cell = [];
  };
  const closed = (name: string) => {
    const table = tables.at(-1);
    if (name === 't') run.isText = false;
    else if (name === 'p') put(paragraphText(paragraph));
    else if (name === 'tc') table?.rows.at(-1)?.push(table.cell.join(' '));
    else if (name === 'tbl' && table) {
      tables.pop();
      put(tableText(table.rows));
    }
  };
  const take = (piece: Piece) => {
    if (piece.kind === 'open') opened(piece.name, piece.attributes);
    else if (piece.kind === 'close') closed(piece.name);
    else if (run.isText) add(piece.text);
  };
  for (const piece of piecesOf(xml, work)) take(piece);
  return written.text.trim();
}

const isOn = (value: string): boolean => !['0', 'false', 'off'].includes(value);

function headOf(style: string): string {
  const [, level] = /^heading ?([1-6])$/i.exec(style) ?? [];
  if (level !== undefined) return `${'#'.repeat(Number(level))} `;
  if (/^title$/i.test(style)) return '# ';
  return /^list/i.test(style) ? '* ' : '';
}

/** Runs of one emphasis are within one pair of marks; spaces at its ends outside of them. */
function paragraphText({ runs, head }: Paragraph): string {
  let text = head;
  for (let at = 0; at < runs.length; ) {
    const mark = runs[at]?.mark ?? '';
    let own = '';
    for (; at < runs.length && runs[at]?.mark === mark; at++) own += runs[at]?.text;
    const bare = own.trim();
    if (mark === '' || bare === '') text += own;
    else {
      const lead = own.length - own.trimStart().length;
      text += `${own.slice(0, lead)}${mark}${bare}${[...mark].reverse().join('')}${own.slice(lead + bare.length)}`;
    }
  }
  return text;
}
