// The text of a PDF file, page by page, in the order in which it is drawn, with spaces and lines by where it is drawn (pdf-place.ts). A form
// feed ends a page, as in the reference's reader; columns and tables are not put together, pictures not read.

import { binary } from './pdf-bytes.ts';
import { fontOf, type PdfFont } from './pdf-font.ts';
import { PdfObjects } from './pdf-objects.ts';
import { type Matrix, Place } from './pdf-place.ts';
import { nameOf, type PdfDict, PdfName, PdfOperator, PdfReader, PdfStream, type PdfValue } from './pdf-reader.ts';
import { DocumentError, type Work, Written } from './work.ts';

const MOST_PAGES = 5000;
/** Of pages in groups. */
const MOST_DEPTH = 100;
/** Forms within forms. */
const MOST_FORMS = 8;

export function pdfText(bytes: Uint8Array, work: Work): string {
  const objects = new PdfObjects(bytes, work);
  const written = new Written();
  const fonts = new Map<PdfDict, PdfFont>();
  for (const { page, resources } of pagesOf(objects)) {
    new Drawing(objects, work, written, fonts).page(objects.get(page.get('Contents')), resources);
    written.add('\n\f');
  }
  return written.text.replace(/[ \t]+\n/g, '\n').replace(/\n{3,}/g, '\n\n');
}

interface Page {
  readonly page: PdfDict;
  /** Its own, or those of what it is in. */
  readonly resources: PdfDict;
}

function pagesOf(objects: PdfObjects): Page[] {
  const found: Page[] = [];
  const seen = new Set<PdfDict>();
  const visit = (node: PdfDict, inherited: PdfDict, depth: number): void => {
    if (seen.has(node) || depth > MOST_DEPTH) return;
    seen.add(node);
    const resources = node.has('Resources') ? objects.dict(node.get('Resources')) : inherited;
    const kids = objects.list(node.get('Kids'));
    if (kids.length === 0 && nameOf(objects.get(node.get('Type'))) === 'Page') found.push({ page: node, resources });
    if (found.length > MOST_PAGES || seen.size > 4 * MOST_PAGES)
      throw new DocumentError(`It has more than ${MOST_PAGES} pages.`);
    for (const kid of kids) visit(objects.dict(kid), resources, depth + 1);
  };
  // Of several versions of a file the last counts.
  const catalog = [...objects.ofType('Catalog')].at(-1);
  if (catalog) visit(objects.dict(catalog.get('Pages')), new Map(), 0);
  if (found.length === 0) for (const page of objects.ofType('Page')) visit(page, new Map(), 0);
  if (found.length === 0) throw new DocumentError('It has no pages.');
  return found;
}

class Drawing {
  private readonly place = new Place();
  /** Of what was drawn: two spaces between texts are one. */
  private last = '';
  private readonly operators = new Map<string, (operands: readonly PdfValue[]) => void>([
    ['q', () => this.place.save()],
    ['Q', () => this.place.restore()],
    ['cm', (operands) => this.place.transform(matrixOf(operands))],
    ['BT', () => this.place.begin()],
    ['TL', ([leading]) => this.place.set({ leading: numberOf(leading) })],
    ['Tc', ([letter]) => this.place.set({ letter: numberOf(letter) })],
    ['Tw', ([word]) => this.place.set({ word: numberOf(word) })],
    ['Tz', ([stretch]) => this.place.set({ stretch: numberOf(stretch) / 100 })],
    ['Td', ([x, y]) => this.place.move(numberOf(x), numberOf(y))],
    [
      'TD',
      ([x, y]) => {
        this.place.set({ leading: -numberOf(y) });
        this.place.move(numberOf(x), numberOf(y));
      },
    ],
    ['Tm', (operands) => this.place.put(matrixOf(operands))],
    ['T*', () => this.place.nextLine()],
    ['Tj', (operands) => this.show(operands.slice(0, 1))],
    [
      "'",
      (operands) => {
        this.place.nextLine();
        this.show(operands.slice(0, 1));
      },
    ],
    [
      '"',
      ([word, letter, ...operands]) => {
        this.place.set({ word: numberOf(word), letter: numberOf(letter) });
        this.place.nextLine();
        this.show(operands.slice(0, 1));
      },
    ],
    ['TJ', ([items]) => this.show(Array.isArray(items) ? items : [])],
  ]);

  constructor(
    private readonly objects: PdfObjects,
    private readonly work: Work,
    private readonly written: Written,
    private readonly fonts: Map<PdfDict, PdfFont>,
  ) {}

  /** Its contents, of which there may be several that go on one another. */
  page(contents: PdfValue, resources: PdfDict): void {
    const parts = (Array.isArray(contents) ? contents : [contents]).map((one) => {
      this.work.piece();
      const part = this.objects.get(one);
      return part instanceof PdfStream ? binary(this.objects.contents(part)) : '';
    });
    const text = parts.join('\n');
    this.run(text, resources, 0);
  }

  private run(text: string, resources: PdfDict, depth: number): void {
    const reader = new PdfReader(text, 0, this.work);
    let operands: PdfValue[] = [];
    for (let item = reader.next(0); item !== undefined; item = reader.next(0)) {
      if (!(item instanceof PdfOperator)) {
        // Graphics have no operator with more.
        if (operands.length < 64) operands.push(item);
        continue;
      }
      if (item.name === 'ID') reader.at = this.endOfImage(text, reader.at);
      else if (item.name === 'Do') this.form(operands[0], resources, depth);
      else if (item.name === 'Tf')
        this.place.set({ font: this.fontNamed(operands[0], resources), size: numberOf(operands[1]) });
      else this.operators.get(item.name)?.(operands);
      operands = [];
    }
  }

  private show(items: readonly PdfValue[]): void {
    for (const item of items) {
      if (typeof item === 'number') this.place.shift(item);
      if (typeof item !== 'string') continue;
      const text = this.place.show(item);
      const isTwice = text.startsWith(' ') && this.last.endsWith(' ');
      this.written.add(isTwice ? text.slice(1) : text);
      if (text !== '') this.last = text.slice(-1);
    }
  }

  private fontNamed(name: PdfValue | undefined, resources: PdfDict): PdfFont | null {
    if (!(name instanceof PdfName)) return null;
    const dict = this.objects.dict(this.objects.dict(resources.get('Font')).get(name.name));
    const known = this.fonts.get(dict) ?? fontOf(dict, this.objects, this.work);
    this.fonts.set(dict, known);
    return known;
  }

  private form(name: PdfValue | undefined, resources: PdfDict, depth: number): void {
    if (!(name instanceof PdfName) || depth >= MOST_FORMS) return;
    const form = this.objects.get(this.objects.dict(resources.get('XObject')).get(name.name));
    if (!(form instanceof PdfStream) || nameOf(this.objects.get(form.dict.get('Subtype'))) !== 'Form') return;
    const own = form.dict.has('Resources') ? this.objects.dict(form.dict.get('Resources')) : resources;
    this.place.save();
    if (form.dict.has('Matrix')) this.place.transform(matrixOf(this.objects.list(form.dict.get('Matrix'))));
    this.run(binary(this.objects.contents(form)), own, depth + 1);
    this.place.restore();
  }

  /** Of a picture among the operators. */
  private endOfImage(text: string, from: number): number {
    const end = text.indexOf('EI', from);
    const after = end < 0 ? text.length : end + 2;
    this.work.scan(after - from);
    return after;
  }
}

const numberOf = (value: PdfValue | undefined): number => (typeof value === 'number' ? value : 0);

function matrixOf(values: readonly PdfValue[]): Matrix {
  const [a, b, c, d, e, f] = values.slice(0, 6).map(numberOf);
  return [a ?? 1, b ?? 0, c ?? 0, d ?? 1, e ?? 0, f ?? 0];
}
