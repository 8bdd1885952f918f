// Writes Protocol buffers' wire format, as far as an ONNX file needs it (https://protobuf.dev/programming-guides/encoding). A message is a
// list of byte views with its length, so that weights of gigabytes are never copied.

const VARINT = 0;
const BYTES = 2;
const FIXED32 = 5;
const utf8 = new TextEncoder();

/** A message under construction. Fields are written in the order of the calls; a repeated field is written by repeated calls. */
export class Message {
  /** The message's bytes, in order; some are views of the caller's arrays. */
  readonly parts: Uint8Array[] = [];
  /** Number of bytes of all parts. */
  length = 0;

  /** For int32, int64 and enum; a negative number is written as two's complement of 64 bits. */
  int(field: number, value: number | bigint): this {
    return this.#tag(field, VARINT).#push(varint(BigInt(value)));
  }

  float(field: number, value: number): this {
    const bytes = new Uint8Array(4);
    new DataView(bytes.buffer).setFloat32(0, value, true);
    return this.#tag(field, FIXED32).#push(bytes);
  }

  text(field: number, value: string): this {
    return this.bytes(field, utf8.encode(value));
  }

  /** The field is a view: the caller must not change the bytes before the file is written. */
  bytes(field: number, value: Uint8Array): this {
    return this.#tag(field, BYTES)
      .#push(varint(BigInt(value.byteLength)))
      .#push(value);
  }

  message(field: number, value: Message): this {
    this.#tag(field, BYTES).#push(varint(BigInt(value.length)));
    for (const part of value.parts) this.parts.push(part);
    this.length += value.length;
    return this;
  }

  #tag(field: number, wire: number): this {
    return this.#push(varint(BigInt(field * 8 + wire)));
  }

  #push(bytes: Uint8Array): this {
    this.parts.push(bytes);
    this.length += bytes.byteLength;
    return this;
  }
}

function varint(value: bigint): Uint8Array {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, value);
  do {
    const low = Number(rest & 0x7fn);
    rest >>= 7n;
    bytes.push(rest > 0n ? low | 0x80 : low);
  } while (rest > 0n);
  return Uint8Array.from(bytes);
}
