// Where a PDF's text is drawn: the matrices of page and text (ISO 32000-1, 8.3.4 and 9.4), and what the way from the end of one text to
// the beginning of the next means: a space, a new line, or nothing.
import type { PdfFont } from './pdf-font.ts';
import { DocumentError } from './work.ts';

/** a b c d e f: x' = ax + cy + e, y' = bx + dy + f. */
export type Matrix = readonly [number, number, number, number, number, number];
const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];

/** First `m`, then `n`. */
const times = ([a, b, c, d, e, f]: Matrix, n: Matrix): Matrix => [
  a * n[0] + b * n[2],
  a * n[1] + b * n[3],
  c * n[0] + d * n[2],
  c * n[1] + d * n[3],
  e * n[0] + f * n[2] + n[4],
  e * n[1] + f * n[3] + n[5],
];

/** What `q` keeps. */
interface State {
  page: Matrix;
  font: PdfFont | null;
  size: number;
  leading: number;
  /** Beyond a glyph's width: after each, after each space; and how much all of it is stretched. */
  letter: number;
  word: number;
  stretch: number;
}

/** Saved states within each other. */
const MOST_SAVED = 1000;
/** In heights of the letters: a jump to the right that is a space, one to the left that begins elsewhere, one off the line. */
const [SPACE, BACK, LINE] = [0.2, -1, 0.4];

export class Place {
  private state: State = { page: IDENTITY, font: null, size: 1, leading: 0, letter: 0, word: 0, stretch: 1 };
  private readonly saved: State[] = [];
  private text: Matrix = IDENTITY;
  private line: Matrix = IDENTITY;
  /** Where the last text ended, on the page. */
  private end: readonly [number, number] | null = null;

  get font(): PdfFont | null {
    return this.state.font;
  }

  save(): void {
    if (this.saved.length >= MOST_SAVED) throw new DocumentError(`It saves its state more than ${MOST_SAVED} times.`);
    this.saved.push({ ...this.state });
  }

  restore(): void {
    this.state = this.saved.pop() ?? this.state;
  }

  set(values: Partial<Omit<State, 'page'>>): void {
    Object.assign(this.state, values);
  }

  /** `cm`, and the matrix of a form. */
  transform(matrix: Matrix): void {
    this.state.page = times(matrix, this.state.page);
  }

  begin(): void {
    this.put(IDENTITY);
  }

  /** `Tm` */
  put(matrix: Matrix): void {
    this.text = matrix;
    this.line = matrix;
  }

  /** `Td` */
  move(right: number, up: number): void {
    this.put(times([1, 0, 0, 1, right, up], this.line));
  }

  nextLine(): void {
    this.move(0, -this.state.leading);
  }

  /** A number among the texts of `TJ`: thousandths of the letters' height, to the left. */
  shift(thousandths: number): void {
    this.advance((-thousandths / 1000) * this.state.size * this.state.stretch);
  }

  /** The text of a shown string, behind what lies between it and the one before. */
  show(bytes: string): string {
    const { font, size, letter, word, stretch } = this.state;
    const shown = font?.read(bytes);
    if (!shown) return '';
    const { text, width, count, spaces } = shown;
    const gap = text === '' ? '' : this.gap();
    this.advance(((width / 1000) * size + count * letter + spaces * word) * stretch);
    if (text !== '') this.end = this.at();
    return gap + text;
  }

  private advance(right: number): void {
    this.text = times([1, 0, 0, 1, right, 0], this.text);
  }

  private at(): readonly [number, number] {
    const [, , , , x, y] = times(this.text, this.state.page);
    return [x, y];
  }

  private gap(): '' | ' ' | '\n' {
    if (this.end === null) return '';
    const [a, b, c, d, x, y] = times(this.text, this.state.page);
    const height = Math.hypot(c, d) * Math.abs(this.state.size) || 1;
    const length = Math.hypot(a, b) || 1;
    const [right, up] = [x - this.end[0], y - this.end[1]];
    const along = (right * a + up * b) / length / height;
    const across = (up * a - right * b) / length / height;
    if (Math.abs(across) > LINE) return '\n';
    return along > SPACE || along < BACK ? ' ' : '';
  }
}
