// A PowerPoint file as Markdown, slide by slide, as the reference's converter has it: titles as headings, texts, tables, pictures by their
// names, and the notes.
import { tableText } from './markdown.ts';
import { DocumentError, type Work, Written } from './work.ts';
import { piecesOf, relationsOf } from './xml.ts';
import type { Zip } from './zip.ts';

export function slidesText(zip: Zip, work: Work): string {
  const part = 'ppt/presentation.xml';
  const xml = zip.readText(part);
  if (xml === null) throw new DocumentError(`It has no ${part}.`);
  const targets = relationsOf(zip, part, work);
  const written = new Written();
  let number = 0;
  for (const piece of piecesOf(xml, work)) {
    if (piece.kind !== 'open' || piece.name !== 'sldId') continue;
    const path = targets.get(piece.attributes.get('r:id') ?? '');
    const slide = path === undefined ? null : zip.readText(path);
    if (path === undefined || slide === null) continue;
    written.add(`\n\n<!-- Slide number: ${++number} -->\n${shapesText(slide, work)}`);
    const notes = [...relationsOf(zip, path, work).values()].find((target) => target.includes('/notesSlide'));
    const said = notes === undefined ? '' : shapesText(zip.readText(notes) ?? '', work, 'body').trim();
    if (said !== '') written.add(`\n\n### Notes:\n${said}`);
  }
  return written.text.trim();
}

/** @param only of shapes that hold the place of this kind */
function shapesText(xml: string, work: Work, only: string | null = null): string {
  const written = new Written();
  let shape = { kind: '', name: '', about: '', lines: [''] };
  let rows: string[][] | null = null;
  let isText = false;
  for (const piece of piecesOf(xml, work)) {
    if (piece.kind === 'text') {
      if (isText) shape.lines[shape.lines.length - 1] += piece.text;
      continue;
    }
    const isOpen = piece.kind === 'open';
    const attributes = piece.kind === 'open' ? piece.attributes : new Map<string, string>();
    switch (piece.name) {
      case 'sp':
      case 'pic':
      case 'graphicFrame':
        if (isOpen) shape = { kind: '', name: '', about: '', lines: [''] };
        else if (piece.name === 'sp') written.add(textOf(shape, only));
        else if (piece.name === 'pic' && only === null)
          written.add(`\n![${shape.about || shape.name}](${shape.name.replace(/\W/g, '')}.jpg)\n`);
        break;
      case 'cNvPr':
        if (isOpen) Object.assign(shape, { name: attributes.get('name') ?? '', about: attributes.get('descr') ?? '' });
        break;
      case 'ph':
        if (isOpen) shape.kind = attributes.get('type') ?? 'other';
        break;
      case 'tbl':
        if (isOpen) rows = [];
        else if (rows) {
          if (only === null) written.add(`\n${tableText(rows)}\n`);
          rows = null;
        }
        break;
      case 'tr':
        if (isOpen) rows?.push([]);
        break;
      case 'tc':
        if (isOpen) shape.lines = [''];
        else rows?.at(-1)?.push(shape.lines.join('\n').trim());
        break;
      case 't':
        isText = isOpen;
        break;
      case 'p':
      case 'br':
        if (!isOpen) shape.lines.push('');
        break;
    }
  }
  return written.text;
}

function textOf({ kind, lines }: { kind: string; lines: readonly string[] }, only: string | null): string {
  const text = lines.join('\n').trim();
  if (text === '' || (only !== null && kind !== only)) return '';
  return kind === 'title' || kind === 'ctrTitle' ? `# ${text}\n` : `${text}\n`;
}
