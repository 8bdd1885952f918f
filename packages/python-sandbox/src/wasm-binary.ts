// The part of WebAssembly's binary format that the meter reads and writes: numbers, sections, and the length of each instruction.
// https://webassembly.github.io/spec/core/binary
import { GraderError } from './pool.ts';

export const unknown = (what: string): GraderError =>
  new GraderError(`The Python interpreter cannot be metered: ${what}.`, 'Run npm ci in the project folder.');

/** Unsigned LEB128. */
export function leb(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  while (rest > 127) {
    bytes.push((rest & 127) | 128);
    rest >>>= 7;
  }
  return [...bytes, rest];
}

export class Writer {
  at = 0;
  #bytes: Uint8Array<ArrayBuffer>;

  constructor(size: number) {
    this.#bytes = new Uint8Array(size);
  }

  #room(more: number): void {
    if (this.at + more <= this.#bytes.length) return;
    const wider = new Uint8Array(2 * (this.at + more));
    wider.set(this.#bytes);
    this.#bytes = wider;
  }

  bytes(values: readonly number[]): void {
    this.#room(values.length);
    this.#bytes.set(values, this.at);
    this.at += values.length;
  }

  copy(from: Uint8Array, start: number, end: number): void {
    this.#room(end - start);
    this.#bytes.set(from.subarray(start, end), this.at);
    this.at += end - start;
  }

  /** Writes a section: a vector whose encoded length is `count`, with `entries` and then `more`. */
  section(id: number, count: readonly number[], entries: Uint8Array, more: readonly number[]): void {
    this.bytes([id, ...leb(count.length + entries.length + more.length), ...count]);
    this.copy(entries, 0, entries.length);
    this.bytes(more);
  }

  /** Writes five bytes of LEB128 at `place`: the format allows more bytes than needed. */
  size(place: number, value: number): void {
    for (let i = 0; i < 5; i += 1)
      this.#bytes[place + i] = i < 4 ? ((value >>> (7 * i)) & 127) | 128 : (value >>> 28) & 15;
  }

  done(): Uint8Array<ArrayBuffer> {
    return this.#bytes.slice(0, this.at);
  }
}

export class Reader {
  at = 0;
  /** Tables of references to the host's objects: changing only those is no lasting effect for `instruction`. */
  hostTables: ReadonlySet<number> = new Set();

  constructor(readonly bytes: Uint8Array) {}

  byte(): number {
    const value = this.bytes[this.at];
    if (value === undefined) throw unknown('the file ends too early');
    this.at += 1;
    return value;
  }

  skip(count: number): void {
    this.at += count;
  }

  /** Skips a LEB128 number of any width and sign. */
  over(): void {
    while (this.byte() > 127);
  }

  u32(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte();
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
      if (shift > 28) throw unknown('a number that is too long');
    }
  }

  vector<T>(item: () => T): T[] {
    const items: T[] = [];
    for (let count = this.u32(); count > 0; count -= 1) items.push(item());
    return items;
  }

  limits(): void {
    const kind = this.byte();
    this.over();
    if ((kind & 1) === 1) this.over();
  }

  /**
   * Skips one instruction with its operands. `lasts`: whether it changes anything besides memory and globals (a table, a dropped segment).
   * Throws GraderError for an unknown one.
   */
  instruction(): 'loop' | 'copy' | 'lasts' | 'other' {
    const code = this.byte();
    // A block's type is a byte or a number; both end with the first byte below 128.
    if (code === 0x03) {
      this.over();
      return 'loop';
    }
    if (NOTHING.has(code) || (code >= 0x45 && code <= 0xc4)) return 'other';
    if (code === TABLE_SET) return this.hostTables.has(this.u32()) ? 'other' : 'lasts';
    if (ONE.has(code)) this.over();
    else if (TWO.has(code) || (code >= 0x28 && code <= 0x3e)) this.memory(code);
    else if (code === 0x0e) {
      this.vector(() => this.u32());
      this.over();
    } else if (code === 0x1c) this.vector(() => this.byte());
    else if (code === 0x1f) {
      this.over();
      this.vector(() => {
        if (this.byte() < 2) this.over();
        this.over();
      });
    } else if (code === 0x43) this.skip(4);
    else if (code === 0x44) this.skip(8);
    else if (code === 0xfc) return this.bulk();
    else if (code === 0xfd) this.vectorInstruction();
    else throw unknown(`instruction 0x${code.toString(16)}`);
    return 'other';
  }

  /** Two numbers: alignment and offset of an access, or two indices. */
  private memory(code: number): void {
    const first = this.byte();
    if (code >= 0x28 && code <= 0x3e && (first & 0x40) !== 0) throw unknown('a second memory');
    // Skips the rest of the first number, and the second.
    if (first > 127) this.over();
    this.over();
  }

  private bulk(): 'copy' | 'lasts' | 'other' {
    const code = this.u32();
    if (code === 10) {
      this.skip(2);
      return 'copy';
    }
    if (code === 11) {
      this.skip(1);
      return 'copy';
    }
    if (code === 8 || code === 12 || code === 14) {
      this.over();
      this.over();
    } else if (code === 9 || code === 13) this.over();
    else if (code >= 15 && code <= 17) {
      if (this.hostTables.has(this.u32())) return 'other';
    } else if (code > 17) throw unknown(`instruction 0xfc ${code}`);
    return LASTING.has(code) ? 'lasts' : 'other';
  }

  /** Skips a SIMD instruction. */
  private vectorInstruction(): void {
    const code = this.u32();
    if (code <= 11 || code === 92 || code === 93) this.memory(0x28);
    else if (code === 12 || code === 13) this.skip(16);
    else if (code >= 21 && code <= 34) this.skip(1);
    else if (code >= 84 && code <= 91) {
      this.memory(0x28);
      this.skip(1);
    }
  }
}

/** Instructions without operands: unreachable, nop, else, end, return, catch_all, drop, select, ref.is_null and the like. */
const NOTHING = new Set([0x00, 0x01, 0x05, 0x0a, 0x0b, 0x0f, 0x19, 0x1a, 0x1b, 0xd1]);
/**
 * Instructions with one number: block, if, try, catch, throw, rethrow, br, br_if, call, return_call, call_ref, delegate, locals, globals,
 * tables, sizes, constants, references.
 */
const ONE = new Set([
  ...[0x02, 0x04, 0x06, 0x07, 0x08, 0x09, 0x0c, 0x0d, 0x10, 0x12, 0x14, 0x15, 0x18],
  ...[0x20, 0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x3f, 0x40, 0x41, 0x42, 0xd0, 0xd2],
]);
const TABLE_SET = 0x26;
/** Instructions with the prefix 0xfc whose effect lasts: data.drop, table.init, elem.drop, table.copy, table.grow, table.fill. */
const LASTING = new Set([9, 12, 13, 14, 15, 17]);
/** Instructions with two numbers: call_indirect and return_call_indirect. */
const TWO = new Set([0x11, 0x13]);
