// Puts a counter into an interpreter's WebAssembly, so that a program is limited by the work that it does and not by the time
// that a loaded machine takes for it. Neither interpreter offers a hook that counts (MicroPython's pyscript build has none,
// CPython's trace functions are Python's own and slow), but each works in loops: its bytecode loop, and those in C behind sort,
// in, ** and the like. Every pass of a loop and every call of a function takes one from an exported global, a large copy or
// fill one for each 64 bytes; below zero the instance traps, which no Python handler sees. The count is the same on every
// machine, in Node and in a page. Measured (process time): some 100 million a second for ordinary Python, 30 to 500 at the
// extremes; a program's cost rises by 0 to 10% in CPython and 15 to 40% in MicroPython, where starting the VM outweighs it.
import { leb, Reader, unknown, Writer } from './wasm-binary.ts';

/** The exported global, a mutable i64: what may still be done. It starts at the most there is; the VM sets it before a program. */
export const METER = '__work_left';
/** If `rewindable`, its other globals that change are exported by this and their number. */
export const STATE = '__state_';
/** The module exports its tables of references to the host's objects by this and their number. */
export const HOST_TABLE = '__host_table_';

const SECTION = { type: 1, import: 2, function: 3, table: 4, memory: 5, global: 6, export: 7, code: 10 };
const PAGE = 65536;
const I32 = 0x7f;
const I64 = 0x7e;
const EXTERNREF = 0x6f;
/** Kinds of what is exported. */
const TABLE = 1;
const GLOBAL = 3;

export interface MeteredOptions {
  /** Bytes of its memory at first, where the file asks for more; it grows as a program needs. */
  startBytes?: number;
  /**
   * All that an instance is besides its memory can be put back: its own globals are exported, and no instruction of it changes a
   * table or lets go of a segment. A module of which that is not true is refused. `by its host`: who runs it puts back the globals
   * that it imports, and looks after the tables of references to the host's objects, which are exported too.
   */
  rewindable?: boolean | 'by its host';
}

/** The same module with its meter. Throws GraderError when it is not built as this reader expects. */
export function metered(wasm: Uint8Array, options: MeteredOptions = {}): Uint8Array<ArrayBuffer> {
  const reader = new Reader(wasm);
  const out = new Writer(wasm.length + (wasm.length >> 1) + 1024);
  out.copy(wasm, 0, 8);
  reader.at = 8;
  /** Number of parameters of each type; the type of each own function; number of globals, imported ones first. */
  let parameters: number[] = [];
  let types: number[] = [];
  let globals = 0;
  let changing: number[] = [];
  let hostTables: number[] = [];
  const seen = new Set<number>();
  while (reader.at < wasm.length) {
    const start = reader.at;
    const id = reader.byte();
    const end = reader.u32() + reader.at;
    seen.add(id);
    if (id === SECTION.type) parameters = readTypes(reader);
    else if (id === SECTION.import) globals = readImports(reader);
    else if (id === SECTION.function) types = reader.vector(() => reader.u32());
    else if (id === SECTION.table) {
      hostTables = readTables(reader).flatMap((type, table) => (type === EXTERNREF ? [table] : []));
      if (options.rewindable === 'by its host') reader.hostTables = new Set(hostTables);
    }

    if (id === SECTION.memory && options.startBytes !== undefined) {
      out.bytes(smallerMemory(reader, Math.ceil(options.startBytes / PAGE)));
    } else if (id === SECTION.global) {
      const own = reader.u32();
      const first = reader.at;
      changing = changingGlobals(reader, own, globals);
      // It has type i64, is mutable, and is 2^63 − 1 at first: what runs before a program (the start, the harness) is not limited.
      const meter = [I64, 1, 0x42, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x00, 0x0b];
      out.section(id, leb(own + 1), wasm.subarray(first, end), meter);
      if (options.rewindable === true && globals > 0) throw unknown('globals that are not its own');
      globals += own;
    } else if (id === SECTION.export) {
      const count = reader.u32();
      const more = [{ name: METER, kind: GLOBAL, index: globals }];
      if (options.rewindable)
        for (const index of changing) more.push({ name: `${STATE}${index}`, kind: GLOBAL, index });
      for (const index of reader.hostTables) more.push({ name: `${HOST_TABLE}${index}`, kind: TABLE, index });
      const entries = more.flatMap(({ name, kind, index }) => {
        const bytes = new TextEncoder().encode(name);
        return [bytes.length, ...bytes, kind, ...leb(index)];
      });
      out.section(id, leb(count + more.length), wasm.subarray(reader.at, end), entries);
    } else if (id === SECTION.code) {
      const from = out.at;
      // The most bytes that a size takes, so that it can be written when it is known.
      out.bytes([id, 0, 0, 0, 0, 0]);
      const lasts = meterCode(reader, out, types, parameters, globals);
      if (options.rewindable && lasts) throw unknown('an instruction whose effect would last');
      out.size(from + 1, out.at - from - 6);
    } else out.copy(wasm, start, end);
    reader.at = end;
  }
  for (const [name, id] of Object.entries(SECTION)) if (!seen.has(id)) throw unknown(`no ${name} section`);
  return out.done();
}

function readTypes(reader: Reader): number[] {
  return reader.vector(() => {
    if (reader.byte() !== 0x60) throw unknown('a type that is no function');
    const count = reader.vector(() => reader.byte()).length;
    reader.vector(() => reader.byte());
    return count;
  });
}

/** Number of imported globals. */
function readImports(reader: Reader): number {
  let globals = 0;
  reader.vector(() => {
    reader.skip(reader.u32());
    reader.skip(reader.u32());
    const kind = reader.byte();
    if (kind === 0) reader.u32();
    else if (kind === 1) throw unknown('a table that is not its own');
    else if (kind === 2) reader.limits();
    else if (kind === 3) {
      reader.skip(2);
      globals += 1;
    } else if (kind === 4) {
      reader.byte();
      reader.u32();
    } else throw unknown(`an import of kind ${kind}`);
  });
  return globals;
}

/** Contents of each of its own tables. */
function readTables(reader: Reader): number[] {
  return reader.vector(() => {
    const type = reader.byte();
    reader.limits();
    return type;
  });
}

/** Mutable ones among the `own` globals, by number; the first has the number `imported`. */
function changingGlobals(reader: Reader, own: number, imported: number): number[] {
  const END = 0x0b;
  const changing: number[] = [];
  for (let global = imported; global < imported + own; global += 1) {
    reader.skip(1);
    if (reader.byte() === 1) changing.push(global);
    while (reader.bytes[reader.at] !== END) reader.instruction();
    reader.skip(1);
  }
  return changing;
}

/** The section that declares the one memory, with at most `pages` at first. */
function smallerMemory(reader: Reader, pages: number): number[] {
  if (reader.u32() !== 1) throw unknown('more than one memory');
  const kind = reader.byte();
  // A plain memory, with or without a maximum: not shared, of 32 bits.
  if (kind > 1) throw unknown(`a memory of kind ${kind}`);
  const limits = [kind, ...leb(Math.min(pages, reader.u32())), ...(kind === 1 ? leb(reader.u32()) : [])];
  return [SECTION.memory, ...leb(limits.length + 1), 1, ...limits];
}

/** True where an instruction's effect would outlast the memory and the globals. */
function meterCode(
  reader: Reader,
  out: Writer,
  types: readonly number[],
  parameters: readonly number[],
  meter: number,
): boolean {
  const wasm = reader.bytes;
  const get = [0x23, ...leb(meter)];
  const set = [0x24, ...leb(meter)];
  // meter −= 1; if (meter < 0) trap
  const pass = [...get, 0x42, 1, 0x7d, ...set, ...get, 0x42, 0, 0x53, 0x04, 0x40, 0x00, 0x0b];
  /** Charges a length that is on the stack: meter −= length / 64, the length left where it was. */
  const length = (local: number): number[] => [
    ...[0x22, ...leb(local), ...get, 0x20, ...leb(local), 0xad],
    ...[0x42, 6, 0x88, 0x7d, ...set],
  ];
  let lasts = false;
  const count = reader.u32();
  if (count !== types.length) throw unknown(`${count} bodies for ${types.length} functions`);
  out.bytes(leb(count));
  for (const [i, type] of types.entries()) {
    const end = reader.u32() + reader.at;
    const head = reader.at;
    let locals = parameters[type];
    if (locals === undefined) throw unknown(`function ${i} has an unknown type`);
    const groups = reader.u32();
    const first = reader.at;
    for (let g = 0; g < groups; g += 1) {
      locals += reader.u32();
      reader.byte();
    }
    const code = reader.at;
    const marks = [{ at: code, copies: false }];
    while (reader.at < end) {
      const at = reader.at;
      const kind = reader.instruction();
      if (kind === 'loop') marks.push({ at: reader.at, copies: false });
      else if (kind === 'copy') marks.push({ at, copies: true });
      else if (kind === 'lasts') lasts = true;
    }
    if (reader.at !== end) throw unknown(`function ${i} does not end where it should`);
    const copies = marks.some((mark) => mark.copies);
    const from = out.at;
    out.bytes([0, 0, 0, 0, 0]);
    if (copies) {
      // A local of its own for the length of what is copied.
      out.bytes(leb(groups + 1));
      out.copy(wasm, first, code);
      out.bytes([1, I32]);
    } else out.copy(wasm, head, code);
    let done = code;
    for (const mark of marks) {
      out.copy(wasm, done, mark.at);
      out.bytes(mark.copies ? length(locals) : pass);
      done = mark.at;
    }
    out.copy(wasm, done, end);
    out.size(from, out.at - from - 5);
  }
  return lasts;
}
