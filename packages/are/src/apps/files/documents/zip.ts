// Files of a ZIP archive by name, unpacked when they are read: the central directory says where they are. No ZIP64, no encryption, no method
// but stored and deflated, which is what Office files have.
import { DocumentError, type Work } from './work.ts';

const END = 0x06054b50;
const ENTRY = 0x02014b50;
const LOCAL = 0x04034b50;
const MOST_ENTRIES = 10_000;

interface Entry {
  readonly method: number;
  readonly packed: number;
  readonly offset: number;
}

export class Zip {
  private readonly entries = new Map<string, Entry>();
  private readonly view: DataView;

  /** Throws DocumentError where it is none. */
  constructor(
    private readonly bytes: Uint8Array,
    private readonly work: Work,
  ) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const end = this.endRecord();
    const count = this.u16(end + 10);
    if (count > MOST_ENTRIES) throw new DocumentError(`It has more than ${MOST_ENTRIES} files.`);
    let at = this.u32(end + 16);
    for (let n = 0; n < count; n++) {
      if (this.u32(at) !== ENTRY) throw new DocumentError('Its directory is damaged.');
      const [name, extra, comment] = [this.u16(at + 28), this.u16(at + 30), this.u16(at + 32)];
      if (this.u16(at + 8) & 1) throw new DocumentError('It is encrypted.');
      const entry = { method: this.u16(at + 10), packed: this.u32(at + 20), offset: this.u32(at + 42) };
      this.entries.set(this.text(at + 46, name), entry);
      at += 46 + name + extra + comment;
    }
  }

  /** null: there is none of that name. */
  read(name: string): Uint8Array | null {
    const entry = this.entries.get(name);
    if (!entry) return null;
    const { method, packed, offset } = entry;
    if (this.u32(offset) !== LOCAL) throw new DocumentError('Its directory is damaged.');
    const from = offset + 30 + this.u16(offset + 26) + this.u16(offset + 28);
    const bytes = this.bytes.subarray(from, from + packed);
    this.work.scan(bytes.length);
    if (method === 0) return bytes;
    if (method === 8) return this.work.inflate(bytes, 'raw');
    throw new DocumentError(`A file in it is packed by method ${method}, which is not known.`);
  }

  readText(name: string): string | null {
    const bytes = this.read(name);
    return bytes && new TextDecoder().decode(bytes);
  }

  private endRecord(): number {
    const last = this.bytes.length - 22;
    // A comment of up to 64 KiB may follow it.
    for (let at = last; at >= 0 && at > last - 65_536; at--) if (this.u32(at) === END) return at;
    throw new DocumentError('It is no ZIP archive, as Office files are.');
  }

  private u16(at: number): number {
    return at + 2 <= this.bytes.length ? this.view.getUint16(at, true) : this.outside();
  }

  private u32(at: number): number {
    return at + 4 <= this.bytes.length ? this.view.getUint32(at, true) : this.outside();
  }

  private text(at: number, length: number): string {
    return new TextDecoder().decode(this.bytes.subarray(at, at + length));
  }

  private outside(): never {
    throw new DocumentError('It is cut off.');
  }
}
