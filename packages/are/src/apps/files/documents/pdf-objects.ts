// The objects of a PDF file (ISO 32000-1, 7.3 and 7.5): found by looking for their beginnings, so that a damaged table of contents does not
// matter; of one number the last counts. What is encrypted is refused.
import { binary, from85, fromHex } from './pdf-bytes.ts';
import { MOST_DEPTH, nameOf, type PdfDict, PdfReader, PdfRef, PdfStream, type PdfValue } from './pdf-reader.ts';
import { DocumentError, type Work } from './work.ts';

const isDict = (value: PdfValue): value is PdfDict => value instanceof Map;
const MOST_OBJECTS = 200_000;
const MOST_FILTERS = 8;

export class PdfObjects {
  private readonly places = new Map<number, number>();
  private readonly inner = new Map<number, PdfValue>();
  private readonly known = new Map<number, PdfValue>();
  private readonly text: string;
  /** Objects that are being read: a stream's length may be another's. */
  private depth = 0;

  /** Throws DocumentError where it is none. */
  constructor(
    private readonly bytes: Uint8Array,
    private readonly work: Work,
  ) {
    if (!binary(bytes.subarray(0, 1024)).includes('%PDF-')) throw new DocumentError('It is no PDF file.');
    this.text = binary(bytes);
    for (let at = this.text.indexOf('obj'); at >= 0; at = this.text.indexOf('obj', at + 3)) {
      const [, number] = /(\d{1,9})\s{1,9}\d{1,5}\s{1,9}$/.exec(this.text.slice(Math.max(0, at - 40), at)) ?? [];
      if (number === undefined) continue;
      if (this.places.size >= MOST_OBJECTS) throw new DocumentError(`It has more than ${MOST_OBJECTS} objects.`);
      this.places.set(Number(number), at + 3);
    }
    const trailer = this.text.lastIndexOf('trailer');
    if (trailer >= 0 && this.text.slice(trailer, trailer + 4096).includes('/Encrypt')) throw encrypted();
    for (const number of this.places.keys()) {
      const value = this.get(new PdfRef(number));
      if (!(value instanceof PdfStream)) continue;
      const type = nameOf(value.dict.get('Type') ?? null);
      if (type === 'XRef' && value.dict.has('Encrypt')) throw encrypted();
      if (type === 'ObjStm') this.unpack(value);
    }
  }

  /** What a value is, where it is a reference: the object. */
  get(value: PdfValue | undefined): PdfValue {
    let found: PdfValue = value ?? null;
    for (let hops = 0; found instanceof PdfRef; hops++) {
      if (hops > MOST_DEPTH) return null;
      found = this.object(found.number);
    }
    return found;
  }

  dict(value: PdfValue | undefined): PdfDict {
    const found = this.get(value);
    if (found instanceof PdfStream) return found.dict;
    return isDict(found) ? found : new Map();
  }

  list(value: PdfValue | undefined): readonly PdfValue[] {
    const found = this.get(value);
    return Array.isArray(found) ? found : [];
  }

  /** All that are dictionaries of a type. */
  *ofType(type: string): Generator<PdfDict> {
    for (const number of new Set([...this.places.keys(), ...this.inner.keys()])) {
      const found = this.get(new PdfRef(number));
      if (isDict(found) && nameOf(this.get(found.get('Type'))) === type) yield found;
    }
  }

  /** Throws DocumentError where the filter is not known, or there is too much of it. */
  contents({ dict, bytes }: PdfStream): Uint8Array {
    const given = this.get(dict.get('Filter'));
    const named = Array.isArray(given) ? given : [given];
    if (named.length > MOST_FILTERS) throw new DocumentError(`A part of it is packed more than ${MOST_FILTERS} times.`);
    const filters = named.map((one) => nameOf(this.get(one)));
    let found = bytes;
    for (const filter of filters) {
      this.work.scan(found.length);
      if (filter === null) continue;
      if (filter === 'FlateDecode' || filter === 'Fl') found = this.work.inflate(found, 'zlib');
      else if (filter === 'ASCIIHexDecode' || filter === 'AHx') found = fromHex(binary(found));
      else if (filter === 'ASCII85Decode' || filter === 'A85') found = from85(binary(found), this.work);
      else throw new DocumentError(`A part of it is packed by ${filter.slice(0, 40)}, which is not known.`);
    }
    this.work.scan(found.length);
    return found;
  }

  private object(number: number): PdfValue {
    const known = this.known.get(number) ?? this.inner.get(number);
    if (known !== undefined) return known;
    const at = this.places.get(number);
    if (at === undefined) return null;
    // What refers to itself while it is read, or leads on and on, is nothing.
    if (this.depth > MOST_DEPTH) return null;
    this.known.set(number, null);
    this.depth++;
    const reader = new PdfReader(this.text, at, this.work);
    const value = reader.value();
    const whole = isDict(value) ? (this.streamOf(value, reader.at) ?? value) : value;
    this.depth--;
    this.known.set(number, whole);
    return whole;
  }

  private streamOf(dict: PdfDict, after: number): PdfStream | null {
    const [begin] = /^\s{0,9}stream\r?\n?/.exec(this.text.slice(after, after + 20)) ?? [];
    if (begin === undefined) return null;
    const from = after + begin.length;
    const length = this.get(dict.get('Length'));
    const said = typeof length === 'number' && length >= 0 ? from + length : -1;
    const isRight = said >= 0 && /^\s{0,4}endstream/.test(this.text.slice(said, said + 16));
    const found = isRight ? said : this.text.indexOf('endstream', from);
    const end = found < 0 ? this.bytes.length : found;
    if (!isRight) this.work.scan(end - from);
    return new PdfStream(dict, this.bytes.subarray(from, end));
  }

  /** Objects within a stream; those that are in the file by themselves count before them. */
  private unpack(stream: PdfStream): void {
    const text = binary(this.contents(stream));
    const [count, first] = [this.get(stream.dict.get('N')), this.get(stream.dict.get('First'))];
    if (typeof count !== 'number' || typeof first !== 'number') return;
    const head = new PdfReader(text, 0, this.work);
    for (let n = 0; n < count; n++) {
      const [number, offset] = [head.value(), head.value()];
      if (typeof number !== 'number' || typeof offset !== 'number') return;
      if (this.inner.size >= MOST_OBJECTS) throw new DocumentError(`It has more than ${MOST_OBJECTS} objects.`);
      this.inner.set(number, new PdfReader(text, first + offset, this.work).value());
    }
  }
}

const encrypted = () => new DocumentError('It is encrypted.');
