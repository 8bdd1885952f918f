// Adds a counter to an interpreter's WebAssembly, so that a program is limited by its work and not by the time that it takes on a loaded
// machine. Neither interpreter offers a counting hook (MicroPython's pyscript build has none, CPython's trace functions run Python and are
// slow), but each works in loops: its bytecode loop, and the C loops behind sort, in, ** and the like. Every iteration of a loop and every
// call of a function subtracts one from an exported global, a large copy or fill one for each 64 bytes; below zero the instance traps,
// which no Python handler catches. The count is the same on every machine, in Node and in a page. Measured in process time: some 100
// million a second for ordinary Python, 30 to 500 at the extremes; a program's cost rises by 0 to 10% in CPython and 15 to 40% in
// MicroPython, where starting the VM outweighs it.
import { leb, Reader, unknown, Writer } from './wasm-binary.ts';

/** The exported global, a mutable i64: the work that is left. It starts at 2^63 − 1; the VM sets it before a program. */
export const METER = '__work_left';
/** If `rewindable`, the other mutable globals are exported by this prefix and their number. */
export const STATE = '__state_';
/** The module exports its tables of references to the host's objects by this prefix and their number. */
export const HOST_TABLE = '__host_table_';

const SECTION = { type: 1, import: 2, function: 3, table: 4, memory: 5, global: 6, export: 7, code: 10 };
const PAGE = 65536;
const I32 = 0x7f;
const I64 = 0x7e;
const EXTERNREF = 0x6f;
/** Kinds of exports. */
const TABLE = 1;
const GLOBAL = 3;

export interface MeteredOptions {
  /** Initial bytes of memory, if the file asks for more; the memory grows as a program needs. */
  startBytes?: number;
  /**
   * Whether all state of an instance besides its memory must be restorable: its own globals are exported, and no instruction changes a
   * table or drops a segment. Other modules are refused. `by its host`: the host restores the globals that it imports, and the tables of
   * references to the host's objects, which are exported too.
   */
  rewindable?: boolean | 'by its host';
}

/** The same module with a meter. Throws GraderError if its structure is not the expected one. */
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
      // Type i64, mutable, initially 2^63 − 1, so work before a program (the start, the harness) is not limited.
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
      // Reserves the most bytes that a size takes, so that it can be written once it is known.
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

/** Element types of the module's own tables. */
function readTables(reader: Reader): number[] {
  return reader.vector(() => {
    const type = reader.byte();
    reader.limits();
    return type;
  });
}

/** Indices of the mutable ones among `own` globals, of which the first has the index `imported`. */
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

/** The section that declares the only memory, with at most `pages` initial pages. */
function smallerMemory(reader: Reader, pages: number): number[] {
  if (reader.u32() !== 1) throw unknown('more than one memory');
  const kind = reader.byte();
  // The memory must be plain: not shared, of 32 bits, with or without a maximum.
  if (kind > 1) throw unknown(`a memory of kind ${kind}`);
  const limits = [kind, ...leb(Math.min(pages, reader.u32())), ...(kind === 1 ? leb(reader.u32()) : [])];
  return [SECTION.memory, ...leb(limits.length + 1), 1, ...limits];
}

/** True if an instruction's effect would outlast memory and globals. */
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
  /** Charges the length on the stack: meter −= length / 64, and leaves the length there. */
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
      // Adds a local for the length of a copy.
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
