// What reading a document may cost. Files come from scenarios and mails, and a few kilobytes can stand for gigabytes: all that is unpacked,
// looked at and written is counted, and whoever asks for more is refused.
import { LabError } from '@projected-grpo-lab/base/errors.ts';
import { Inflate, Unzlib } from 'fflate';

/** Bytes of a file, of all that is unpacked from it, and of all that is read, what is read again counted again; pieces (tags, operators) that
 *  are looked at; cells of a table; characters that come out. */
export const MOST = {
  file: 16 * 2 ** 20,
  unpacked: 32 * 2 ** 20,
  read: 64 * 2 ** 20,
  pieces: 1_000_000,
  cells: 200_000,
  text: 4_000_000,
};

/** The document cannot be read, or costs more than it may. */
export class DocumentError extends LabError {
  constructor(message: string) {
    super(message, 'Save the document anew: smaller, without encryption, as PDF, .docx, .xlsx or .pptx.');
  }
}

export class Work {
  private unpacked = 0;
  private pieces = 0;
  private read = 0;

  /** One more tag or operator. */
  piece(): void {
    if (++this.pieces > MOST.pieces) throw new DocumentError(`It has more than ${MOST.pieces} pieces.`);
  }

  /** So many bytes or characters are gone through. */
  scan(length: number): void {
    this.read += length;
    if (this.read > MOST.read) throw new DocumentError(`Reading it takes more than ${MOST.read / 2 ** 20} MiB.`);
  }

  /** So many bytes come out of what is packed. */
  unpack(length: number): number {
    this.unpacked += length;
    if (this.unpacked > MOST.unpacked)
      throw new DocumentError(`It unpacks to more than ${MOST.unpacked / 2 ** 20} MiB.`);
    return length;
  }

  /** Throws DocumentError where the bytes are damaged, or unpack to more than is left. */
  inflate(bytes: Uint8Array, form: 'raw' | 'zlib'): Uint8Array {
    const parts: Uint8Array[] = [];
    const stream = form === 'raw' ? new Inflate() : new Unzlib();
    let length = 0;
    stream.ondata = (part) => {
      length += this.unpack(part.length);
      parts.push(part);
    };
    try {
      // In small bites: a bite cannot unpack to more than a thousand times itself before it is counted.
      for (let at = 0; at < bytes.length; at += BITE)
        stream.push(bytes.subarray(at, at + BITE), at + BITE >= bytes.length);
    } catch (error) {
      if (error instanceof DocumentError) throw error;
      // A stream that was cut off has given what it had.
      if (length === 0) throw new DocumentError(`A part of it cannot be unpacked (${(error as Error).message}).`);
    }
    const whole = new Uint8Array(length);
    let at = 0;
    for (const part of parts) {
      whole.set(part, at);
      at += part.length;
    }
    return whole;
  }
}

const BITE = 8192;

/** Text that grows up to a bound. */
export class Written {
  private readonly parts: string[] = [];
  private length = 0;

  add(text: string): void {
    this.length += text.length;
    if (this.length > MOST.text) throw new DocumentError(`It has more than ${MOST.text} characters.`);
    this.parts.push(text);
  }

  get text(): string {
    return this.parts.join('');
  }
}
