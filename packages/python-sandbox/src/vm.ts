// A MicroPython virtual machine that runs one program at a time. It continues from the memory of an interpreter that was started once and
// had not yet run any program. Between two programs the instance's memory and globals are restored to that state; after any failure the
// machine is dropped. The model's code runs inside. Its results are read from outside, word by word from the VM's memory and by exact type
// address, so that nothing that the program can define or overwrite (__eq__, __class__, type, repr, …) affects how its answer is read.
// createVm is self-contained: see sandbox-source.ts.
import type { createFileCalls } from './file-calls.ts';
import type { createImports, VmHandles } from './imports.ts';
import type { MemoryFs } from './memory-fs.ts';
import type { Killed, Limits, Outcome, Program, RunResult, Value } from './protocol.ts';

/** The memory of a started interpreter, and addresses in it. */
export interface MicroPythonBoot {
  /** Names of the module's imports. */
  imported: string[];
  bytes: number;
  /** Blocks that differ from a new instance's memory. */
  blocks: { at: number; data: Uint8Array }[];
  /** The stack pointer, which starting does not move. */
  stack: number;
  /** Address of a buffer for the host. */
  out: number;
  /** The VM's reference number of the function that runs programs. */
  harness: number;
  /** Addresses of None, False and True, and of six types. */
  singletons: number[];
  types: number[];
}

export interface VmParts {
  /** Created by the worker's first VM, used by all others. */
  boot?: MicroPythonBoot;
  /** State for rewinding: all of a VM's memory before its first program, and its globals. */
  beginning?: { memory: Uint8Array; globals: number[] };
  createMemoryFs: (maxBytes: number, home: string) => MemoryFs;
  createCalls: typeof createFileCalls;
  createImports: typeof createImports;
}

export interface Vm {
  run(program: Program): RunResult;
  /**
   * Restores its state before its first program. False if that is impossible, because it was stopped, failed, or has grown its memory; then
   * it must not be used again. A VM without this method runs only one program.
   */
  rewind?(): boolean;
}

/** The build's exports that the host calls, which WebAssembly's types do not include. */
type Exports = Record<
  | '__wasm_call_ctors'
  | '_emscripten_stack_restore'
  | 'emscripten_stack_get_current'
  | 'emscripten_stack_init'
  | 'malloc'
  | 'mp_js_do_exec'
  | 'mp_js_do_import'
  | 'mp_js_init'
  | 'proxy_c_init'
  | 'proxy_c_to_js_call'
  | 'proxy_c_to_js_get_array'
  | 'proxy_c_to_js_lookup_attr'
  | 'proxy_convert_mp_to_js_obj_cside'
  | 'setThrew',
  (...args: number[]) => number
>;

/** Throws if the .wasm does not have the expected layout, so that a newer build never gives a wrong verdict. */
export function createVm(module: WebAssembly.Module, limits: Limits, parts: VmParts): Vm {
  const HOME = '/home';
  const MAX_DEPTH = 32;
  const MAX_NODES = 20_000;
  const MAX_TEXT = 256 * 1024;
  /** Type numbers of proxy_convert_mp_to_js_obj_cside, and of proxy_convert_js_to_mp_obj_cside. */
  const KIND_EXCEPTION = -1;
  const KIND_STR = 5;
  const ARG_STR = 5;
  // The harness keeps every name that it uses in a closure, taken before the program's first line runs, and is itself in no namespace:
  // Python code cannot reach it (MicroPython has no frames, no gc.get_objects, no __closure__).
  const HARNESS = `
import builtins, sys
builtins.exit = builtins.quit = sys.exit
def _make(exec, SystemExit, BaseException, type, scope):
    def run(code, out):
        try:
            exec(code, scope)
            return (0, scope[out] if out else None)
        except SystemExit as e:
            return (1, e.args)
        except BaseException as e:
            return (2, type(e).__name__)
    return run
__out__ = (_make(exec, SystemExit, BaseException, type, globals()),
    None, False, True, 1 << 70, 1.5, '\\u00e9' * 3, [], (), {})
del _make, builtins, sys
`;
  /** The samples as the harness must return them. */
  const SAMPLES = '[["int","1180591620717411303424"],["float",1.5],["str","ééé"],["list",[]],["tuple",[]],["dict",[]]]';
  const PAGE = 65536;
  const BLOCK = 1024;
  /** METER and STATE of meter.ts. */
  const METER = '__work_left';
  const STATE = '__state_';

  let fs = parts.createMemoryFs(limits.fileBytes, HOME);
  const imported = parts.boot?.imported ?? WebAssembly.Module.imports(module).map((entry) => entry.name);
  const imports = parts.createImports(limits, fs, imported, parts.createCalls);
  const instance = new WebAssembly.Instance(module, {
    env: imports.env as WebAssembly.ModuleImports,
    wasi_snapshot_preview1: imports.wasi as WebAssembly.ModuleImports,
  });
  const wasm = instance.exports as Exports & Pick<VmHandles, 'memory'>;
  imports.attach({
    memory: wasm.memory,
    table: instance.exports.__indirect_function_table as WebAssembly.Table,
    stackSave: wasm.emscripten_stack_get_current,
    stackRestore: wasm._emscripten_stack_restore,
    setThrew: wasm.setThrew,
  });

  const meter = instance.exports[METER] as WebAssembly.Global | undefined;
  if (meter === undefined) throw new Error('the interpreter has no meter');
  const globals = Object.entries(instance.exports).flatMap(([name, item]) =>
    name.startsWith(STATE) ? [item as WebAssembly.Global] : [],
  );
  if (globals.length === 0) throw new Error('the interpreter cannot be rewound');

  const memory = (): DataView => new DataView(wasm.memory.buffer);
  const word = (address: number): number => memory().getUint32(address, true);
  const putString = (text: string): { at: number; length: number } => {
    const encoded = new TextEncoder().encode(text);
    const at = wasm.malloc(encoded.length + 1);
    if (at === 0) throw new Error('no memory for the program text');
    const heap = new Uint8Array(wasm.memory.buffer);
    heap.set(encoded, at);
    heap[at + encoded.length] = 0;
    return { at, length: encoded.length };
  };

  // Addresses in the started interpreter: see MicroPythonBoot. `start` reads SAMPLES with them, which shows a wrong one.
  let out = 0;
  let harness = 0;
  let [NONE, FALSE, TRUE] = [0, 0, 0];
  let [BIG, FLOAT, STR, LIST, TUPLE, DICT] = [0, 0, 0, 0, 0, 0];
  const locate = (boot: Pick<MicroPythonBoot, 'out' | 'harness' | 'singletons' | 'types'>): void => {
    ({ out, harness } = boot);
    [NONE = 0, FALSE = 0, TRUE = 0] = boot.singletons;
    [BIG = 0, FLOAT = 0, STR = 0, LIST = 0, TUPLE = 0, DICT = 0] = boot.types;
  };

  /** Reads the result that an export wrote to `out`; `ref` is the VM's reference number of a compound object. */
  const taken = (): { kind: number; ref: number } => ({ kind: memory().getInt32(out, true), ref: word(out + 4) });
  /** Words of the tuple's items. */
  const items = (ref: number): number[] => {
    const list = out + 16;
    wasm.proxy_c_to_js_get_array(ref, list);
    const length = word(list);
    const first = word(list + 4);
    if (length > 16) throw new Error('not a harness result');
    return Array.from({ length }, (_, i) => word(first + 4 * i));
  };

  let nodes = 0;
  const text = (object: number): string | null => {
    wasm.proxy_convert_mp_to_js_obj_cside(object, out);
    if (taken().kind !== KIND_STR) return null;
    const length = word(out + 4);
    const at = word(out + 8);
    // Text and digits also count, since a list may contain one long string many times.
    nodes += length >> 4;
    if (length > MAX_TEXT || nodes > MAX_NODES) return null;
    // MicroPython's strings are bytes: one that is no UTF-8 is no JSON string.
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
        new Uint8Array(wasm.memory.buffer).slice(at, at + length),
      );
    } catch {
      return null;
    }
  };
  /** mpz: {base, neg:1 fixed:1 alloc:30, len, digits*}, 16 bits a digit. */
  const bigDigits = (object: number): string | null => {
    const length = word(object + 8);
    const digits = word(object + 12);
    nodes += length;
    if (length > 4096 || nodes > MAX_NODES) return null;
    let value = 0n;
    for (let i = length - 1; i >= 0; i -= 1) value = (value << 16n) | BigInt(memory().getUint16(digits + 2 * i, true));
    return String((word(object + 4) & 1) === 1 ? -value : value);
  };

  const read = (object: number, depth: number): Value => {
    nodes += 1;
    if (depth > MAX_DEPTH || nodes > MAX_NODES) return ['other'];
    if (object === NONE) return ['none'];
    if (object === FALSE || object === TRUE) return ['bool', object === TRUE];
    if ((object & 1) === 1) return ['int', String((object | 0) >> 1)];
    const interned = (object & 7) === 2;
    if (!interned && (object & 3) !== 0) return ['other'];
    const type = interned ? STR : word(object);
    if (type === STR) {
      const value = text(object);
      return value === null ? ['other'] : ['str', value];
    }
    if (type === BIG) {
      const digits = bigDigits(object);
      return digits === null ? ['other'] : ['int', digits];
    }
    if (type === FLOAT) return ['float', memory().getFloat64(object + 8, true)];
    if (type === LIST || type === TUPLE) {
      // list: {base, alloc, len, items*}; tuple: {base, len, items…}
      const length = word(object + (type === LIST ? 8 : 4));
      const first = type === LIST ? word(object + 12) : object + 8;
      if (length > MAX_NODES) return ['other'];
      const values = Array.from({ length }, (_, i) => read(word(first + 4 * i), depth + 1));
      return type === LIST ? ['list', values] : ['tuple', values];
    }
    if (type === DICT) {
      // dict: {base, flags:3 used:29, alloc, table*}; empty and deleted slots have keys 0 and 4
      const alloc = word(object + 8);
      const table = word(object + 12);
      if (alloc > MAX_NODES) return ['other'];
      const pairs: [Value, Value][] = [];
      for (let i = 0; i < alloc; i += 1) {
        const key = word(table + 8 * i);
        if (key !== 0 && key !== 4) pairs.push([read(key, depth + 1), read(word(table + 8 * i + 4), depth + 1)]);
      }
      return ['dict', pairs];
    }
    return ['other'];
  };
  const value = (object: number): Value => {
    nodes = 0;
    return read(object, 0);
  };
  const status = (exitArgs: Value): number => {
    if (exitArgs[0] !== 'tuple') return 1;
    const [code, ...more] = exitArgs[1];
    // As in CPython, an exit with several arguments is a tuple (status 1), and an integer beyond 64 bits gives −1.
    if (more.length > 0) return 1;
    if (code === undefined || code[0] === 'none') return 0;
    if (code[0] === 'bool') return Number(code[1]);
    if (code[0] !== 'int') return 1;
    const number = BigInt(code[1]);
    return BigInt.asIntN(64, number) === number ? Number(BigInt.asUintN(8, number)) : 255;
  };
  /** Runs code in the main namespace; `wants`: whether `__out__` is read back. */
  const execute = (code: string, wants: boolean): Outcome => {
    const args = out + 32;
    for (const [i, argument] of [code, wants ? '__out__' : ''].entries()) {
      const { at, length } = putString(argument);
      const view = memory();
      view.setInt32(args + 12 * i, ARG_STR, true);
      view.setUint32(args + 12 * i + 4, length, true);
      view.setUint32(args + 12 * i + 8, at, true);
    }
    wasm.proxy_c_to_js_call(harness, 2, args, out);
    const { kind, ref } = taken();
    if (kind === KIND_EXCEPTION) return { end: 'raise', type: 'Exception' };
    const [end, object] = items(ref);
    if (end === undefined || object === undefined) throw new Error('not a harness result');
    const detail = value(object);
    if (end >> 1 === 0) return { end: 'ok', value: wants ? detail : null };
    if (end >> 1 === 1) return { end: 'exit', status: status(detail) };
    return { end: 'raise', type: detail[0] === 'str' ? detail[1].slice(0, 80) : 'Exception' };
  };

  const start = (): MicroPythonBoot => {
    const fresh = new Uint8Array(wasm.memory.buffer).slice();
    wasm.__wasm_call_ctors();
    wasm.mp_js_init(limits.pystackWords, limits.heapBytes);
    wasm.proxy_c_init();
    out = wasm.malloc(64);
    const source = putString(HARNESS);
    wasm.mp_js_do_exec(source.at, source.length, out);
    if (taken().kind === KIND_EXCEPTION) throw new Error('the harness did not start');
    const main = putString('__main__');
    wasm.mp_js_do_import(main.at, out);
    const mainRef = taken().ref;
    const outName = putString('__out__');
    wasm.proxy_c_to_js_lookup_attr(mainRef, outName.at, out);
    const [run = 0, ...samples] = items(taken().ref);
    const singletons = samples.splice(0, 3);
    const types = samples.map(word);
    wasm.proxy_convert_mp_to_js_obj_cside(run, out);
    locate({ out, harness: taken().ref, singletons, types });
    const seen = JSON.stringify(samples.map(value));
    if (seen !== SAMPLES) throw new Error(`unknown memory layout: read ${seen}`);
    // From here on no Python name leads to the harness.
    execute('del __out__', false);
    const now = new Uint8Array(wasm.memory.buffer);
    const blocks: MicroPythonBoot['blocks'] = [];
    for (let at = 0; at < now.length; at += BLOCK) {
      const data = now.subarray(at, at + BLOCK);
      if (data.some((byte, i) => byte !== (fresh[at + i] ?? 0))) blocks.push({ at, data: data.slice() });
    }
    const stack = wasm.emscripten_stack_get_current();
    return { imported, bytes: now.length, blocks, stack, out, harness, singletons, types };
  };
  const continueFrom = (boot: MicroPythonBoot): void => {
    const missing = boot.bytes - wasm.memory.buffer.byteLength;
    if (missing > 0) wasm.memory.grow(Math.ceil(missing / PAGE));
    const heap = new Uint8Array(wasm.memory.buffer);
    for (const { at, data } of boot.blocks) heap.set(data, at);
    // The stack pointer is the only state outside memory that a start could have moved.
    if (wasm.emscripten_stack_get_current() !== boot.stack) throw new Error('the stack is not where it was');
    locate(boot);
  };
  wasm.emscripten_stack_init();
  if (parts.boot === undefined) parts.boot = start();
  else continueFrom(parts.boot);
  parts.beginning ??= {
    memory: new Uint8Array(wasm.memory.buffer).slice(),
    globals: globals.map((global) => global.value as number),
  };
  const { beginning } = parts;
  /** False after any failure in this VM. */
  let isIntact = true;

  return {
    rewind() {
      if (!isIntact || wasm.memory.buffer.byteLength !== beginning.memory.length) return false;
      new Uint8Array(wasm.memory.buffer).set(beginning.memory);
      for (const [i, global] of globals.entries()) global.value = beginning.globals[i];
      fs = parts.createMemoryFs(limits.fileBytes, HOME);
      imports.begin(fs);
      return true;
    },
    run(program) {
      const outcomes: Outcome[] = [];
      let killed: Killed | null = null;
      let over = false;
      // Set to true again only by a run that completes.
      isIntact = false;
      const allowed = BigInt(limits.work);
      meter.value = allowed;
      for (const step of program.steps) {
        if (over) {
          outcomes.push({ end: 'skipped' });
          continue;
        }
        let outcome: Outcome = { end: 'skipped' };
        try {
          outcome = step.do === 'module' ? execute(program.source, false) : execute(step.code, true);
        } catch {
          // After a kill, a broken stack or a read beyond the memory the VM can no longer be trusted.
          killed = imports.killed() ?? (meter.value < 0n ? 'work' : 'crash');
          over = true;
        }
        outcomes.push(outcome);
        if (outcome.end === 'exit' || (outcome.end === 'raise' && step.do === 'module')) over = true;
      }
      const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
      killed ??= imports.killed();
      isIntact = killed === null;
      return {
        killed,
        outcomes,
        stdout: utf8.decode(imports.stdout()),
        files: fs.filesIn(HOME).map(({ name, data }) => ({ name, text: utf8.decode(data) })),
        work: Number(allowed - meter.value),
      };
    },
  };
}
