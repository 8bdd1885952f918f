// Unpacks Zstandard (RFC 8878), which Inspect uses for its logs and many Parquet files for their pages. Every claim of a file is checked
// before memory or time is spent on it: no more bytes than the limit are produced, a block produces at most 128 KiB, and matches stay within
// their frame. Content checksums are not verified, since the container has its own. Lowest layer; pure.

const FRAME = 0xfd2fb528;
/** Skippable frames have sixteen magic numbers. */
const isSkipped = (magic: number): boolean => magic >>> 4 === 0x184d2a5;
/** Most bytes that a block produces. */
const MOST_BLOCK = 128 * 1024;

/** A decoding table of finite state entropy: for each state its symbol, the number of bits to read, and the base to add to them. */
interface StateTable {
  log: number;
  symbols: Uint8Array;
  bits: Uint8Array;
  base: Uint16Array;
}

/** A Huffman table: for each value of `log` bits, a symbol and its number of bits. */
interface CodeTable {
  log: number;
  symbols: Uint8Array;
  bits: Uint8Array;
}

const bad = (what: string): never => {
  throw new Error(`it is no Zstandard, or damaged: ${what}`);
};

/**
 * The concatenated contents of all frames.
 * Throws RangeError for more than `most` bytes, and Error for data that is damaged, truncated, or needs a dictionary.
 */
export function unzstd(packed: Uint8Array, most: number): Uint8Array<ArrayBuffer> {
  const out = new Output(most, packed.length);
  let at = 0;
  while (at < packed.length) {
    if (at + 8 > packed.length) bad('it is cut off in a frame’s head');
    const magic = word(packed, at);
    if (isSkipped(magic)) at += 8 + word(packed, at + 4);
    else if (magic === FRAME) at = new Frame(packed, at + 4, out).read();
    else bad(`no frame begins at byte ${at}`);
    if (at > packed.length) bad('it is cut off');
  }
  return out.whole();
}

const word = (bytes: Uint8Array, at: number): number =>
  (bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24)) >>> 0;

/** A growing output buffer with a limit. It is also the window from which matches are copied. */
class Output {
  bytes: Uint8Array<ArrayBuffer>;
  length = 0;

  constructor(
    readonly most: number,
    packed: number,
  ) {
    this.bytes = new Uint8Array(Math.min(most, 4 * packed));
  }

  /** Makes room for `count` further bytes. */
  reserve(count: number): void {
    const wanted = this.length + count;
    if (wanted > this.most) throw new RangeError(`it holds more than ${this.most} bytes`);
    if (wanted <= this.bytes.length) return;
    const larger = new Uint8Array(Math.min(this.most, Math.max(wanted, 2 * this.bytes.length)));
    larger.set(this.bytes.subarray(0, this.length));
    this.bytes = larger;
  }

  whole(): Uint8Array<ArrayBuffer> {
    return this.bytes.slice(0, this.length);
  }
}

class Frame {
  #at: number;
  /** Index in the output at which its content begins. */
  readonly #start: number;
  #window = 0;
  /** Recent offsets that a sequence may repeat, latest first. */
  readonly #offsets = [1, 4, 8];
  #codes: CodeTable | null = null;
  /** Tables for literal lengths, offsets and match lengths. */
  readonly #tables: (StateTable | null)[] = [null, null, null];

  constructor(
    readonly packed: Uint8Array,
    at: number,
    readonly out: Output,
  ) {
    this.#at = at;
    this.#start = out.length;
  }

  /** Reads the frame and returns its end. */
  read(): number {
    const { packed, out } = this;
    const flags = packed[this.#at++];
    const size = this.#head(flags);
    if (size > out.most - out.length) throw new RangeError(`it holds more than ${out.most} bytes`);
    for (let isLast = false; !isLast; ) {
      if (this.#at + 3 > packed.length) bad('it is cut off between blocks');
      const head = packed[this.#at] | (packed[this.#at + 1] << 8) | (packed[this.#at + 2] << 16);
      this.#at += 3;
      isLast = (head & 1) === 1;
      this.#block((head >> 1) & 3, head >> 3);
    }
    const made = out.length - this.#start;
    if (size >= 0 && made !== size) bad(`a frame has ${made} bytes, and claims ${size}`);
    return this.#at + (flags & 4 ? 4 : 0);
  }

  /** Reads the frame header; returns the content size in bytes, or −1 if it is not stated. */
  #head(flags: number): number {
    const { packed } = this;
    if (flags & 8) bad('a reserved bit is set');
    const isWhole = (flags & 32) !== 0;
    const fields = { dictionary: [0, 1, 2, 4][flags & 3], size: [isWhole ? 1 : 0, 2, 4, 8][flags >> 6] };
    if (this.#at + (isWhole ? 0 : 1) + fields.dictionary + fields.size > packed.length)
      bad('it is cut off in its head');
    const window = isWhole ? null : packed[this.#at++];
    if (window !== null) this.#window = 2 ** (10 + (window >> 3)) * (1 + (window & 7) / 8);
    for (let i = 0; i < fields.dictionary; i++)
      if (packed[this.#at + i] !== 0) throw new Error('it needs a dictionary, which is not read here');
    this.#at += fields.dictionary;
    let size = fields.size === 0 ? -1 : fields.size === 2 ? 256 : 0;
    for (let i = 0; i < fields.size; i++) size += packed[this.#at + i] * 2 ** (8 * i);
    this.#at += fields.size;
    if (isWhole) this.#window = size;
    return size;
  }

  #block(type: number, size: number): void {
    const { packed, out } = this;
    if (size > Math.min(MOST_BLOCK, Math.max(1, this.#window))) bad(`a block of ${size} bytes`);
    const end = this.#at + (type === 1 ? 1 : size);
    if (end > packed.length) bad('it is cut off in a block');
    if (type === 3) bad('a block of a reserved kind');
    if (type === 2) this.#sequences(end, this.#literals(end));
    else {
      out.reserve(size);
      if (type === 1) out.bytes.fill(packed[this.#at], out.length, out.length + size);
      else out.bytes.set(packed.subarray(this.#at, end), out.length);
      out.length += size;
    }
    this.#at = end;
  }

  #literals(end: number): Uint8Array {
    const { packed } = this;
    const head = word(packed, this.#at);
    const [kind, format] = [head & 3, (head >> 2) & 3];
    if (kind < 2) {
      const [skip, size] =
        format === 1 ? [2, (head >> 4) & 0xfff] : format === 3 ? [3, (head >> 4) & 0xfffff] : [1, (head >> 3) & 31];
      const from = this.#at + skip;
      this.#at = from + (kind === 1 ? 1 : size);
      if (size > MOST_BLOCK || this.#at > end) bad('its literals are cut off');
      return kind === 1 ? new Uint8Array(size).fill(packed[from]) : packed.subarray(from, this.#at);
    }
    const width = [10, 10, 14, 18][format];
    const skip = [3, 3, 4, 5][format];
    // The header has at most forty bits: two numbers of `width` bits after the four bits of kind and format.
    const value = head + (packed[this.#at + 4] ?? 0) * 2 ** 32;
    const size = Math.floor(value / 16) % 2 ** width;
    const length = Math.floor(value / 2 ** (4 + width)) % 2 ** width;
    const from = this.#at + skip;
    this.#at = from + length;
    if (size > MOST_BLOCK || this.#at > end) bad('its literals are cut off');
    let streams = from;
    if (kind === 2) [this.#codes, streams] = codeTable(packed, from, this.#at);
    if (this.#codes === null) return bad('its literals have no table');
    const literals = new Uint8Array(size);
    if (format === 0) decode(packed, streams, this.#at, this.#codes, literals);
    else fourStreams(packed, streams, this.#at, this.#codes, literals);
    return literals;
  }

  #sequences(end: number, literals: Uint8Array): void {
    const { packed, out } = this;
    const first = this.#byte(end);
    let count = first;
    if (first === 255) count = this.#byte(end) + 256 * this.#byte(end) + 0x7f00;
    else if (first > 127) count = 256 * (first - 128) + this.#byte(end);
    // A block produces its literals and the bytes copied by matches.
    out.reserve(literals.length);
    if (count === 0) {
      if (this.#at !== end) bad('bytes are left over in a block');
      out.bytes.set(literals, out.length);
      out.length += literals.length;
      return;
    }
    const modes = this.#byte(end);
    if (modes & 3) bad('a reserved bit is set');
    for (const [i, shift] of [6, 4, 2].entries()) this.#table(i, (modes >> shift) & 3, end);
    const bits = new Backward(packed, this.#at, end);
    this.#run(count, bits, literals, this.#tables as StateTable[]);
  }

  #byte(end: number): number {
    return this.#at < end ? this.packed[this.#at++] : bad('a block is cut off');
  }

  #table(i: number, mode: number, end: number): void {
    const { most, log, usual } = CODES[i];
    if (mode === 0) this.#tables[i] = usual;
    else if (mode === 1) {
      const symbol = this.#byte(end);
      if (symbol > most) bad(`a code of ${symbol}`);
      this.#tables[i] = { log: 0, symbols: Uint8Array.of(symbol), bits: new Uint8Array(1), base: new Uint16Array(1) };
    } else if (mode === 2) [this.#tables[i], this.#at] = stateTable(this.packed, this.#at, end, log, most);
    else if (this.#tables[i] === null) bad('a table is repeated that is not there');
  }

  #run(count: number, bits: Backward, literals: Uint8Array, [ll, of, ml]: StateTable[]): void {
    const { out } = this;
    let [l, o, m] = [bits.read(ll.log), bits.read(of.log), bits.read(ml.log)];
    let taken = 0;
    let made = 0;
    for (let i = 0; i < count; i++) {
      const code = of.symbols[o];
      const value = 2 ** code + bits.read(code);
      const matchCode = ml.symbols[m];
      const match = MATCHES.base[matchCode] + bits.read(MATCHES.bits[matchCode]);
      const literalCode = ll.symbols[l];
      const length = LITERALS.base[literalCode] + bits.read(LITERALS.bits[literalCode]);
      if (i < count - 1) {
        l = ll.base[l] + bits.read(ll.bits[l]);
        m = ml.base[m] + bits.read(ml.bits[m]);
        o = of.base[o] + bits.read(of.bits[o]);
      }
      if (bits.left < 0) bad('its sequences are cut off');
      if (taken + length > literals.length) bad('a sequence takes more literals than there are');
      made += length + match;
      if (made > MOST_BLOCK) bad('a block makes more than 128 KiB');
      out.reserve(length + match);
      const { bytes } = out;
      // Most have only a few bytes, for which a loop is faster than `set`.
      for (let j = 0; j < length; j++) bytes[out.length + j] = literals[taken + j];
      out.length += length;
      taken += length;
      this.#copy(this.#offset(value, length), match);
    }
    if (bits.left !== 0) bad('bits are left over in a block');
    const rest = literals.subarray(taken);
    if (made + rest.length > MOST_BLOCK) bad('a block makes more than 128 KiB');
    out.reserve(rest.length);
    out.bytes.set(rest, out.length);
    out.length += rest.length;
  }

  /** The offset that a value encodes: values 1 to 3 repeat an earlier offset, shifted by one if there are no literals. */
  #offset(value: number, literals: number): number {
    const [a, b, c] = this.#offsets;
    const place = value > 3 ? 3 : value - 1 + (literals === 0 ? 1 : 0);
    const offset = value > 3 ? value - 3 : [a, b, c, a - 1][place];
    if (place > 1) this.#offsets[2] = b;
    if (place > 0) this.#offsets[1] = a;
    this.#offsets[0] = offset;
    return offset;
  }

  #copy(offset: number, length: number): void {
    const { out } = this;
    const { bytes, length: to } = out;
    if (offset < 1 || offset > this.#window || offset > to - this.#start) bad(`a match ${offset} bytes back`);
    // A match may overlap its own output.
    if (offset >= length && length > 64) bytes.copyWithin(to, to - offset, to - offset + length);
    else for (let i = to; i < to + length; i++) bytes[i] = bytes[i - offset];
    out.length += length;
  }
}

/** Reads bits from the end to the start; the highest set bit of the last byte marks the end. */
class Backward {
  /** Number of unread bits; negative if more were read than exist (those are 0). */
  left: number;

  constructor(
    readonly bytes: Uint8Array,
    readonly from: number,
    to: number,
  ) {
    const last = to > from ? bytes[to - 1] : 0;
    if (last === 0) bad('a stream of bits has no end');
    this.left = 8 * (to - from - 1) + (31 - Math.clz32(last));
  }

  /** Reads up to 31 bits. */
  read(count: number): number {
    if (count > 16) return this.read(count - 16) * 65_536 + this.read(16);
    this.left -= count;
    const { left } = this;
    if (left < 0) return left + count <= 0 ? 0 : (this.#at(0) & ((1 << (left + count)) - 1)) << -left;
    return this.#at(left) & ((1 << count) - 1);
  }

  #at(bit: number): number {
    const { bytes } = this;
    const at = this.from + (bit >> 3);
    return (bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16)) >> (bit & 7);
  }
}

/** Reads an FSE table (RFC 8878, 4.1.1); returns it and its end. */
function stateTable(bytes: Uint8Array, from: number, end: number, mostLog: number, most: number): [StateTable, number] {
  if (from >= end) bad('a table is cut off');
  const log = (bytes[from] & 15) + 5;
  if (log > mostLog) bad(`a table of ${log} bits`);
  let bit = 8 * from + 4;
  const read = (count: number): number => {
    const at = bit >> 3;
    return ((bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16)) >> (bit & 7)) & ((1 << count) - 1);
  };
  const counts: number[] = [];
  for (let left = 1 << log; left > 0; ) {
    if (counts.length > most || bit > 8 * end) bad('a table is damaged');
    // Numbers up to `left` + 1; small ones take one bit less.
    const width = 32 - Math.clz32(left + 1);
    const short = read(width - 1);
    const few = (1 << width) - 1 - (left + 1);
    const value = short < few ? short : read(width);
    bit += short < few ? width - 1 : width;
    const count = (value >= 1 << (width - 1) && short >= few ? value - few : value) - 1;
    counts.push(count);
    left -= Math.abs(count);
    if (left < 0) bad('a table is damaged');
    if (count !== 0) continue;
    for (let repeat = 3; repeat === 3; ) {
      repeat = read(2);
      bit += 2;
      for (let i = 0; i < repeat; i++) counts.push(0);
      if (counts.length > most + 1 || bit > 8 * end) bad('a table is damaged');
    }
  }
  const place = (bit + 7) >> 3;
  if (counts.length > most + 1 || place > end) bad('a table is damaged');
  return [spread(counts, log), place];
}

/** Spreads each symbol over as many states as its count; −1 means a single state at the end. */
function spread(counts: readonly number[], log: number): StateTable {
  const size = 1 << log;
  const symbols = new Uint8Array(size);
  const next = counts.map((count) => Math.abs(count));
  let high = size;
  for (const [symbol, count] of counts.entries()) if (count === -1) symbols[--high] = symbol;
  let at = 0;
  for (const [symbol, count] of counts.entries())
    for (let i = 0; i < count; i++) {
      symbols[at] = symbol;
      do at = (at + (size >> 1) + (size >> 3) + 3) & (size - 1);
      while (at >= high);
    }
  const bits = new Uint8Array(size);
  const base = new Uint16Array(size);
  for (let state = 0; state < size; state++) {
    const value = next[symbols[state]]++;
    bits[state] = log - (31 - Math.clz32(value));
    base[state] = (value << bits[state]) - size;
  }
  return { log, symbols, bits, base };
}

const MOST_CODE = 11;

/** Reads a Huffman table (4.2.1); returns it and its end. */
function codeTable(bytes: Uint8Array, from: number, end: number): [CodeTable, number] {
  if (from >= end) bad('a table is cut off');
  const head = bytes[from];
  const place = from + 1 + (head < 128 ? head : (head - 126) >> 1);
  if (place > end) bad('a table is cut off');
  const weights =
    head < 128
      ? packedWeights(bytes, from + 1, place)
      : Array.from({ length: head - 127 }, (_, i) => (bytes[from + 1 + (i >> 1)] >> (i & 1 ? 0 : 4)) & 15);
  const sum = weights.reduce((total, weight) => total + (weight === 0 ? 0 : 2 ** (weight - 1)), 0);
  const log = sum === 0 ? 0 : 32 - Math.clz32(sum);
  const rest = 2 ** log - sum;
  if (sum === 0 || log > MOST_CODE || weights.length > 255 || (rest & (rest - 1)) !== 0) bad('a table is damaged');
  // The last weight completes the sum to a power of two.
  weights.push(32 - Math.clz32(rest));
  const table: CodeTable = { log, symbols: new Uint8Array(1 << log), bits: new Uint8Array(1 << log) };
  let at = 0;
  for (let weight = 1; weight <= log; weight++)
    for (const [symbol, own] of weights.entries()) {
      if (own !== weight) continue;
      const to = at + 2 ** (weight - 1);
      table.symbols.fill(symbol, at, to);
      table.bits.fill(log + 1 - weight, at, to);
      at = to;
    }
  return [table, place];
}

/** Weights decoded by two alternating states, until the bits are used up. */
function packedWeights(bytes: Uint8Array, from: number, end: number): number[] {
  const [table, at] = stateTable(bytes, from, end, 6, 255);
  const bits = new Backward(bytes, at, end);
  const states = [bits.read(table.log), bits.read(table.log)];
  const weights: number[] = [];
  if (bits.left < 0) bad('a table is cut off');
  for (let turn = 0; weights.length < 255; turn ^= 1) {
    const state = states[turn];
    weights.push(table.symbols[state]);
    states[turn] = table.base[state] + bits.read(table.bits[state]);
    if (bits.left >= 0) continue;
    weights.push(table.symbols[states[turn ^ 1]]);
    return weights;
  }
  return bad('a table is damaged');
}

function fourStreams(bytes: Uint8Array, from: number, end: number, table: CodeTable, out: Uint8Array): void {
  if (from + 6 > end || out.length < 6) bad('its literals are cut off');
  const part = (out.length + 3) >> 2;
  let at = from + 6;
  for (let i = 0; i < 4; i++) {
    const to = i === 3 ? end : at + bytes[from + 2 * i] + 256 * bytes[from + 2 * i + 1];
    if (to > end) bad('its literals are cut off');
    decode(bytes, at, to, table, out.subarray(i * part, i === 3 ? out.length : (i + 1) * part));
    at = to;
  }
}

function decode(bytes: Uint8Array, from: number, end: number, table: CodeTable, out: Uint8Array): void {
  const { left } = new Backward(bytes, from, end);
  const { log, symbols, bits } = table;
  const mask = (1 << log) - 1;
  let bit = left;
  for (let i = 0; i < out.length; i++) {
    // The next `log` bits; bits before the stream's start count as 0.
    const low = bit - log;
    const at = from + (low >> 3);
    const next = (bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16)) >> (low & 7);
    const rest = (bytes[from] | (bytes[from + 1] << 8)) & ((1 << Math.max(0, bit)) - 1);
    const code = (low < 0 ? rest << -low : next) & mask;
    out[i] = symbols[code];
    bit -= bits[code];
  }
  if (bit !== 0) bad('its literals do not end where their stream does');
}

/** Base values of literal and match length codes, to which extra bits are added (RFC 8878, tables 16 and 17). */
function lengths(first: number, bits: readonly number[]): { base: Uint32Array; bits: Uint8Array } {
  const base = new Uint32Array(bits.length);
  for (let i = 0, at = first; i < bits.length; i++) {
    base[i] = at;
    at += 2 ** bits[i];
  }
  return { base, bits: Uint8Array.from(bits) };
}
const zeros = (count: number): number[] => new Array<number>(count).fill(0);
const LITERALS = lengths(0, [...zeros(16), 1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]);
const MATCHES = lengths(3, [...zeros(32), 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]);

const ones = (count: number): number[] => new Array<number>(count).fill(1);
/** Counts of the predefined tables (RFC 8878, appendix A). */
const PREDEFINED = {
  literals: [
    4,
    3,
    2,
    2,
    2,
    2,
    2,
    2,
    2,
    2,
    2,
    2,
    2,
    1,
    1,
    1,
    2,
    2,
    2,
    2,
    2,
    2,
    2,
    2,
    2,
    3,
    2,
    ...ones(5),
    -1,
    -1,
    -1,
    -1,
  ],
  offsets: [1, 1, 1, 1, 1, 1, 2, 2, 2, ...ones(15), -1, -1, -1, -1, -1],
  matches: [1, 4, 3, 2, 2, 2, 2, 2, 2, ...ones(37), -1, -1, -1, -1, -1, -1, -1],
};
const CODES = [
  { most: 35, log: 9, usual: spread(PREDEFINED.literals, 6) },
  { most: 31, log: 8, usual: spread(PREDEFINED.offsets, 5) },
  { most: 52, log: 9, usual: spread(PREDEFINED.matches, 6) },
];
