// Imports of Pyodide's CPython, which are all of its access to the outside, written for the bare .wasm. The vendor's loader (a megabyte of
// JavaScript with fetch, dynamic linking, sockets and the Python ↔ JavaScript bridge) is never run: the bridge's imports end the program,
// system calls without an entry here fail with ENOSYS, clock and randomness are counters, files are in memory beside a read-only standard
// library. Self-contained: see sandbox-source.ts.
import type { createFileCalls, Import } from './file-calls.ts';
import type { MemoryFs } from './memory-fs.ts';
import type { Killed, Limits } from './protocol.ts';
import type { createPyodideClock } from './pyodide-clock.ts';

interface PyodideHandles {
  memory: WebAssembly.Memory;
  table: WebAssembly.Table;
}

interface PyodideImports {
  imports: WebAssembly.Imports;
  attach(handles: PyodideHandles): void;
  /** Must be called before each program: resets all state outside the VM, with `files` as the new files. */
  begin(files: MemoryFs): void;
  /** Why the program was stopped, if it was. */
  killed(): Killed | null;
  /** The exit status if it left Python by os._exit, or null. */
  left(): number | null;
  stdout(): Uint8Array;
}

/** `files` include the standard library (pyodide-library.ts). */
export function createPyodideImports(
  limits: Limits,
  files: MemoryFs,
  module: WebAssembly.Module,
  createClock: typeof createPyodideClock,
  createCalls: typeof createFileCalls,
): PyodideImports {
  const EINVAL = 28;
  const ENOENT = 44;
  const ENOSYS = 52;
  const ENOTTY = 59;
  /** Read by the interpreter when it starts. Unbuffered, so that output is complete however a program ends. */
  const ENVIRONMENT = [
    'PYTHONHOME=/',
    'PYTHONHASHSEED=0',
    'PYTHONDONTWRITEBYTECODE=1',
    'PYTHONUNBUFFERED=1',
    'PYTHON_COLORS=0',
    'LC_ALL=C.UTF-8',
    'HOME=/home',
  ];

  /** All state outside the VM that a program can change, besides that of file-calls.ts and the clock. */
  const initial = (fs: MemoryFs) => ({ fs, left: null as number | null, random: 0x9e3779b9 });
  let now = initial(files);
  let handles: PyodideHandles | null = null;
  const calls = createCalls(limits, files, () => handles?.memory ?? null);
  const { bytes, view, putText, kill, text } = calls;
  /** Functions of the table, each stored at its first call: no program changes them (meter.ts, `rewindable`). */
  const functions: ((...args: number[]) => number)[] = [];

  const leave = (status: number): never => {
    now.left ??= status & 255;
    throw new Error('left');
  };
  const clock = createClock(view);
  const env: Record<string, Import> = {
    ...calls.env,
    ...clock.env,
    _PyEM_TrampolineCall_JS: (index: number, a: number, b: number, c: number) => {
      let call = functions[index];
      if (call === undefined) {
        call = (handles as PyodideHandles).table.get(index) as (...args: number[]) => number;
        functions[index] = call;
      }
      return call(a, b, c);
    },
    _Py_CheckEmscriptenSignals_Helper: () => 0,
    _Py_emscripten_runtime: () => 0,
    // Static constructors intern a few strings for the bridge; they never stand for an object.
    __hiwire_deduplicate_new: () => null,
    _emscripten_get_progname: (out: number) => void putText(out, '/python'),
    __assert_fail: () => kill('crash'),
    exit: leave,
    emscripten_get_heap_max: () => limits.memoryBytes,
    emscripten_resize_heap: (requested: number) => (calls.grow(requested, 1.2) ? 1 : 0),
    __syscall_getuid32_js: () => 0,
    __syscall_umask_js: () => 0o22,
    _try_fcntl64: () => 0,
    // F_GETFL: read and write. Flags that are set are ignored.
    __syscall_fcntl64: (_fd: number, command: number) => (command === 3 ? 2 : 0),
    __syscall_ioctl: () => -ENOTTY,
    __syscall_faccessat: (_folder: number, path: number) => (now.fs.stat(text(path)) === null ? -ENOENT : 0),
    __syscall_readlinkat: () => -EINVAL,
  };
  const wasi: Record<string, Import> = {
    ...calls.wasi,
    ...clock.wasi,
    proc_exit: leave,
    environ_sizes_get: (count: number, size: number) => {
      view().setUint32(count, ENVIRONMENT.length, true);
      view().setUint32(size, ENVIRONMENT.join('0').length + 1, true);
      return 0;
    },
    environ_get: (pointers: number, buffer: number) => {
      let at = buffer;
      for (const [i, variable] of ENVIRONMENT.entries()) {
        view().setUint32(pointers + 4 * i, at, true);
        at += putText(at, variable);
      }
      return 0;
    },
    random_get: (out: number, length: number) => {
      for (let i = 0; i < length; i += 1) {
        now.random ^= now.random << 13;
        now.random ^= now.random >>> 17;
        now.random ^= now.random << 5;
        bytes()[out + i] = now.random;
      }
      return 0;
    },
    fd_fdstat_get: (fd: number, out: number) => {
      bytes().fill(0, out, out + 24);
      bytes()[out] = fd < 3 ? 2 : 4;
      return 0;
    },
  };

  const imports: Record<string, Record<string, WebAssembly.ImportValue>> = {};
  const nowhere: WebAssembly.Global[] = [];
  for (const { module: from, name, kind } of WebAssembly.Module.imports(module)) {
    imports[from] ??= {};
    const served = from === 'wasi_snapshot_preview1' ? wasi : env;
    const own = Object.hasOwn(served, name) ? served[name] : undefined;
    // The globals are addresses of functions that only the vendor's loader would provide (WebGL and the like), so they lead nowhere.
    if (kind === 'global') {
      const global = new WebAssembly.Global({ value: 'i32', mutable: true }, 0);
      nowhere.push(global);
      imports[from][name] = global;
    } else if (own !== undefined) imports[from][name] = own;
    else if (from !== 'env') imports[from][name] = () => ENOSYS;
    else if (name.startsWith('__syscall_')) imports[from][name] = () => -ENOSYS;
    // Every other import belongs to the bridge, the dynamic linker or the foreign-function interface, and ends the program.
    else imports[from][name] = () => kill('bridge');
  }

  return {
    imports,
    attach(given) {
      handles = given;
    },
    begin(own) {
      now = initial(own);
      calls.begin(own);
      clock.begin();
      for (const global of nowhere) global.value = 0;
    },
    killed: calls.killed,
    left: () => now.left,
    stdout: calls.stdout,
  };
}
