// One CPython (Pyodide's) for one program at a time: a WebAssembly instance, filled with the memory of an interpreter that was started once
// and had not yet run any program. Between two programs its memory and all other state are restored (Vm.rewind); after any failure it is
// dropped. The host calls CPython's own C functions, so there is no Python harness for a program to find, and reads answers by exact type
// address with functions that run no Python code. Self-contained: see sandbox-source.ts.

import type { createFileCalls } from './file-calls.ts';
import type { MemoryFs } from './memory-fs.ts';
import type { Killed, Limits, Outcome, Program, RunResult, Value } from './protocol.ts';
import type { createPyodideClock } from './pyodide-clock.ts';
import type { createPyodideImports } from './pyodide-imports.ts';
import type { Vm } from './vm.ts';

/** The memory of a started interpreter, and addresses in it. */
interface PyodideBoot {
  memory: Uint8Array;
  /** Address of __main__'s dict. */
  scope: number;
  /** Address of a buffer for the host. */
  buffer: number;
}

/** CPython's own C functions that the host calls, which WebAssembly's types do not include. */
type PythonCalls = Record<
  | '__wasm_call_ctors'
  | 'free'
  | 'malloc'
  | 'PyDict_GetItemString'
  | 'PyDict_Next'
  | 'PyErr_Clear'
  | 'PyErr_GetRaisedException'
  | 'PyEval_EvalCode'
  | 'PyImport_AddModule'
  | 'PyList_GetItem'
  | 'PyLong_AsNativeBytes'
  | 'PyModule_GetDict'
  | 'PyTuple_GetItem'
  | 'PyType_IsSubtype'
  | 'PyUnicode_AsUTF8AndSize'
  | 'Py_CompileStringExFlags'
  | 'Py_DecRef'
  | 'Py_IncRef'
  | 'Py_InitializeEx'
  | 'sbrk',
  (...args: number[]) => number
>;

export interface PyodideParts {
  createMemoryFs: (maxBytes: number, home: string) => MemoryFs;
  createLibraryFs: (fs: MemoryFs, stdlib: Uint8Array) => MemoryFs;
  createCalls: typeof createFileCalls;
  createImports: typeof createPyodideImports;
  createClock: typeof createPyodideClock;
  /** Python that a started interpreter runs before its memory is stored. */
  warm: string;
  /** python_stdlib.zip; passed to the worker when it starts. */
  stdlib?: Uint8Array;
  /** Created by the worker's first VM, used by all others. */
  boot?: PyodideBoot;
}

/** Throws if the .wasm does not have the expected layout, so that a newer build never gives a wrong verdict. */
export function createPyodideVm(module: WebAssembly.Module, limits: Limits, parts: PyodideParts): Vm {
  const HOME = '/home';
  const MAX_DEPTH = 32;
  const MAX_NODES = 20_000;
  const MAX_TEXT = 256 * 1024;
  const BUFFER = 16 * 1024;
  const FILE_INPUT = 257;
  const PAGE = 65536;
  /** Memory beyond the started interpreter's, so that ordinary programs need not grow it: an instance that grew is not rewound. */
  const ROOM = 8 * 1024 * 1024;
  /** METER, STATE and HOST_TABLE of meter.ts. */
  const METER = '__work_left';
  const STATE = '__state_';
  const HOST_TABLE = '__host_table_';
  // Checks the reader: every type that it knows, and the field of SystemExit that it reads.
  const SAMPLES =
    '__out__ = [None, True, False, 0, -1, 1 << 70, -(1 << 70), 1.5, "\\u00e9" * 3, [], (), {}, [1, (2, "a")], {"a": [1]}]';
  const EXPECTED =
    '["list",[["none"],["bool",true],["bool",false],["int","0"],["int","-1"],["int","1180591620717411303424"],' +
    '["int","-1180591620717411303424"],["float",1.5],["str","ééé"],["list",[]],["tuple",[]],["dict",[]],' +
    '["list",[["int","1"],["tuple",[["int","2"],["str","a"]]]]],["dict",[[["str","a"],["list",[["int","1"]]]]]]]]';

  const files = (): MemoryFs =>
    parts.createLibraryFs(parts.createMemoryFs(limits.fileBytes, HOME), parts.stdlib ?? new Uint8Array(0));
  let fs = files();
  const outside = parts.createImports(limits, fs, module, parts.createClock, parts.createCalls);
  const { exports } = new WebAssembly.Instance(module, outside.imports);
  const memory = exports.memory as WebAssembly.Memory;
  const meter = exports[METER] as WebAssembly.Global | undefined;
  if (meter === undefined) throw new Error('the interpreter has no meter');
  const globals = Object.entries(exports).flatMap(([name, item]) =>
    name.startsWith(STATE) ? [item as WebAssembly.Global] : [],
  );
  if (globals.length === 0) throw new Error('the interpreter cannot be rewound');
  const tables = Object.entries(exports).flatMap(([name, item]) =>
    name.startsWith(HOST_TABLE) ? [item as WebAssembly.Table] : [],
  );
  const lengths = tables.map(({ length }) => length);
  const initialGlobals = globals.map(({ value }) => value as number | bigint);
  const py = exports as unknown as PythonCalls;
  const address = (name: string): number => (exports[name] as WebAssembly.Global).value >>> 0;
  outside.attach({ memory, table: exports.__indirect_function_table as WebAssembly.Table });

  // A byte order mark is a character of the answer, not of the encoding.
  const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
  const view = (): DataView => new DataView(memory.buffer);
  const word = (at: number): number => view().getUint32(at, true);
  const putString = (text: string): number => {
    const encoded = new TextEncoder().encode(text);
    // The text that C sees ends at the first zero byte.
    if (encoded.includes(0)) return 0;
    const at = py.malloc(encoded.length + 1) >>> 0;
    if (at === 0) return 0;
    const heap = new Uint8Array(memory.buffer);
    heap.set(encoded, at);
    heap[at + encoded.length] = 0;
    return at;
  };
  const cText = (at: number, most: number): string => {
    const heap = new Uint8Array(memory.buffer);
    let end = at;
    while (end - at < most && heap[end] !== 0) end += 1;
    return utf8.decode(heap.slice(at, end));
  };

  /** Restores the started interpreter's memory, and clears the rest. */
  const fill = (started: Uint8Array): void => {
    const heap = new Uint8Array(memory.buffer);
    heap.set(started);
    heap.fill(0, started.length);
  };
  const names = (): [number, number] => [putString('__out__'), putString('<response>')];
  const { boot } = parts;
  if (boot !== undefined) {
    const size = Math.max(boot.memory.length, Math.min(boot.memory.length + ROOM, limits.memoryBytes));
    const missing = size - memory.buffer.byteLength;
    if (missing > 0) memory.grow(Math.ceil(missing / PAGE));
    fill(boot.memory);
  } else {
    py.__wasm_call_ctors();
    py.Py_InitializeEx(0);
  }
  const bytes = memory.buffer.byteLength;
  const [outName, fileName] = names();
  const scope = boot?.scope ?? py.PyModule_GetDict(py.PyImport_AddModule(putString('__main__'))) >>> 0;
  const buffer = boot?.buffer ?? py.malloc(BUFFER) >>> 0;
  const NONE = address('_Py_NoneStruct');
  const TRUE = address('_Py_TrueStruct');
  const FALSE = address('_Py_FalseStruct');
  const INT = address('PyLong_Type');
  const FLOAT = address('PyFloat_Type');
  const STR = address('PyUnicode_Type');
  const LIST = address('PyList_Type');
  const TUPLE = address('PyTuple_Type');
  const DICT = address('PyDict_Type');

  let nodes = 0;
  const readInt = (object: number): Value => {
    const size = py.PyLong_AsNativeBytes(object, buffer, BUFFER, -1);
    nodes += size >> 2;
    if (size < 0 || size > BUFFER || nodes > MAX_NODES) return ['other'];
    let value = 0n;
    const digits = view();
    for (let i = size - 1; i >= 0; i -= 1) value = (value << 8n) | BigInt(digits.getUint8(buffer + i));
    return ['int', String(BigInt.asIntN(8 * size, value))];
  };
  const readText = (object: number): Value => {
    // PyASCIIObject: {base, length, …}, in code points.
    const points = word(object + 8);
    nodes += points >> 4;
    if (points > MAX_TEXT || nodes > MAX_NODES) return ['other'];
    const at = py.PyUnicode_AsUTF8AndSize(object, buffer) >>> 0;
    if (at === 0) {
      // Lone surrogates have no UTF-8, and so no JSON string.
      py.PyErr_Clear();
      return ['other'];
    }
    return ['str', utf8.decode(new Uint8Array(memory.buffer).slice(at, at + word(buffer)))];
  };
  const read = (object: number, depth: number): Value => {
    nodes += 1;
    if (depth > MAX_DEPTH || nodes > MAX_NODES) return ['other'];
    if (object === NONE) return ['none'];
    if (object === FALSE || object === TRUE) return ['bool', object === TRUE];
    const type = word(object + 4);
    if (type === INT) return readInt(object);
    if (type === FLOAT) return ['float', view().getFloat64(object + 8, true)];
    if (type === STR) return readText(object);
    if (type === LIST || type === TUPLE) {
      const length = word(object + 8);
      if (length > MAX_NODES) return ['other'];
      const item = type === LIST ? py.PyList_GetItem : py.PyTuple_GetItem;
      const values = Array.from({ length }, (_, i) => read(item(object, i) >>> 0, depth + 1));
      return type === LIST ? ['list', values] : ['tuple', values];
    }
    if (type === DICT) {
      // The iterator's position has its own memory, since values inside are read during the iteration.
      const place = py.malloc(12) >>> 0;
      if (place === 0) return ['other'];
      view().setUint32(place, 0, true);
      const pairs: [Value, Value][] = [];
      while (py.PyDict_Next(object, place, place + 4, place + 8) !== 0) {
        if (nodes > MAX_NODES) break;
        const [key, value] = [word(place + 4), word(place + 8)];
        pairs.push([read(key, depth + 1), read(value, depth + 1)]);
      }
      py.free(place);
      return nodes > MAX_NODES ? ['other'] : ['dict', pairs];
    }
    return ['other'];
  };
  const value = (object: number): Value => {
    nodes = 0;
    return object === 0 ? ['other'] : read(object, 0);
  };

  const status = (code: Value): number => {
    if (code[0] === 'none') return 0;
    if (code[0] === 'bool') return Number(code[1]);
    if (code[0] !== 'int') return 1;
    // As CPython does on a 64-bit machine: beyond 64 bits the exit status is −1.
    const number = BigInt(code[1]);
    return BigInt.asIntN(64, number) === number ? Number(BigInt.asUintN(8, number)) : 255;
  };
  /** Outcome of the raised exception. SystemExit: {base: 8, dict, args, notes, traceback, context, cause, suppress_context, code}. */
  const raised = (): Outcome => {
    const exception = py.PyErr_GetRaisedException() >>> 0;
    if (exception === 0) return { end: 'raise', type: 'Exception' };
    const type = word(exception + 4);
    if (py.PyType_IsSubtype(type, word(address('PyExc_SystemExit'))) !== 0) {
      const code = word(exception + 36);
      return { end: 'exit', status: code === 0 ? 0 : status(value(code)) };
    }
    const name = cText(word(type + 12), 80);
    return { end: 'raise', type: name.slice(name.lastIndexOf('.') + 1) };
  };
  /** Runs code in the main namespace; `wants`: whether `__out__` is read back. */
  const execute = (code: string, wants: boolean): Outcome => {
    const text = putString(code);
    if (text === 0) return { end: 'raise', type: code.includes('\0') ? 'SyntaxError' : 'MemoryError' };
    const compiled = py.Py_CompileStringExFlags(text, fileName, FILE_INPUT, 0, -1);
    py.free(text);
    if (compiled === 0) return raised();
    const result = py.PyEval_EvalCode(compiled, scope, scope);
    py.Py_DecRef(compiled);
    if (result === 0) return raised();
    py.Py_DecRef(result);
    if (!wants) return { end: 'ok', value: null };
    const out = py.PyDict_GetItemString(scope, outName) >>> 0;
    py.PyErr_Clear();
    return { end: 'ok', value: value(out) };
  };

  if (boot === undefined) {
    py.Py_IncRef(scope);
    const warm = execute(parts.warm, false);
    if (warm.end !== 'ok') throw new Error(`the interpreter did not start: ${JSON.stringify(warm)}`);
    const samples = execute(SAMPLES, true);
    const seen = samples.end === 'ok' ? JSON.stringify(samples.value) : JSON.stringify(samples);
    if (seen !== EXPECTED) throw new Error(`unknown memory layout: read ${seen}`);
    const exit = execute('raise SystemExit(7)', false);
    if (exit.end !== 'exit' || exit.status !== 7) throw new Error(`unknown SystemExit: ${JSON.stringify(exit)}`);
    execute('del __out__', false);
    const top = py.sbrk(0) >>> 0;
    parts.boot = { memory: new Uint8Array(memory.buffer).slice(0, top), scope, buffer };
  }

  /** False after any failure in this VM. */
  let isIntact = true;

  return {
    rewind() {
      // The started instance itself has another history, so its state differs from that of the others.
      if (boot === undefined || !isIntact || memory.buffer.byteLength !== bytes) return false;
      // No JavaScript object is ever in these tables: imports that would create one end the program.
      for (const [i, table] of tables.entries()) {
        if (table.length !== lengths[i]) return false;
        for (let at = 0; at < table.length; at += 1) table.set(at, null);
      }
      fill(boot.memory);
      for (const [i, global] of globals.entries()) global.value = initialGlobals[i];
      meter.value = BigInt(limits.work);
      fs = files();
      outside.begin(fs);
      const [out, file] = names();
      return out === outName && file === fileName;
    },
    run(program: Program): RunResult {
      const outcomes: Outcome[] = [];
      let killed: Killed | null = null;
      let over = false;
      // Set to true again only by a run that completes.
      isIntact = false;
      const allowed = BigInt(limits.work);
      meter.value = allowed;
      /** Ends the program at anything that leaves the interpreter: a kill, os._exit, a broken stack. */
      const guarded = (code: string, wants: boolean): Outcome => {
        try {
          return execute(code, wants);
        } catch {
          over = true;
          const left = outside.left();
          if (outside.killed() === null && left !== null) return { end: 'exit', status: left };
          killed = outside.killed() ?? (meter.value < 0n ? 'work' : 'crash');
          return { end: 'skipped' };
        }
      };
      const setup: Outcome = program.setup === undefined ? { end: 'ok', value: null } : guarded(program.setup, false);
      for (const step of program.steps) {
        if (over) {
          outcomes.push({ end: 'skipped' });
          continue;
        }
        let outcome: Outcome;
        if (step.do === 'value') outcome = guarded(step.code, true);
        else outcome = setup.end === 'ok' ? guarded(program.source, false) : setup;
        outcomes.push(outcome);
        if (outcome.end === 'exit' || (outcome.end === 'raise' && step.do === 'module')) over = true;
      }
      killed ??= outside.killed();
      isIntact = killed === null;
      return {
        killed,
        outcomes,
        stdout: utf8.decode(outside.stdout()),
        files: fs.filesIn(HOME).map(({ name, data }) => ({ name, text: utf8.decode(data) })),
        work: Number(allowed - meter.value),
      };
    },
  };
}
