// What Pyodide's CPython is given to call: its whole view of the outside, written against the bare .wasm. The vendor's
// loader (a megabyte of JavaScript with fetch, dynamic linking, sockets and the Python ↔ JavaScript bridge) is never
// evaluated: the bridge's imports end the program, system calls without an entry here fail with ENOSYS, clock and
// randomness are counters, files live in memory beside a read-only standard library. Self-contained: see sandbox-source.ts.
import type { MemoryFs } from './memory-fs.ts';
import type { Killed, Limits } from './protocol.ts';
import type { createPyodideClock } from './pyodide-clock.ts';

export interface PyodideHandles {
  memory: WebAssembly.Memory;
  table: WebAssembly.Table;
}

export interface PyodideImports {
  imports: WebAssembly.Imports;
  attach(handles: PyodideHandles): void;
  /** Why the program was stopped, if it was. */
  killed(): Killed | null;
  /** The status that it left with by itself, past Python (os._exit), or null. */
  left(): number | null;
  stdout(): Uint8Array;
}

/** `fs` holds the standard library too (pyodide-library.ts). */
export function createPyodideImports(
  limits: Limits,
  fs: MemoryFs,
  module: WebAssembly.Module,
  createClock: typeof createPyodideClock,
): PyodideImports {
  const EBADF = 8;
  const EINVAL = 28;
  const ENOENT = 44;
  const ENOSYS = 52;
  const ENOTTY = 59;
  const ERANGE = 68;
  const S_IFDIR = 0o40777;
  const S_IFREG = 0o100666;
  const S_IFCHR = 0o20666;
  const DIRENT = 280;
  const PAGE = 65536;
  /** Read by the interpreter as it starts. Unbuffered, so that what was printed is there however a program ends. */
  const ENVIRONMENT = [
    'PYTHONHOME=/',
    'PYTHONHASHSEED=0',
    'PYTHONDONTWRITEBYTECODE=1',
    'PYTHONUNBUFFERED=1',
    'PYTHON_COLORS=0',
    'LC_ALL=C.UTF-8',
    'HOME=/home',
  ];

  let handles: PyodideHandles | null = null;
  let bytes = new Uint8Array(0);
  let view = new DataView(bytes.buffer);
  let killed: Killed | null = null;
  let left: number | null = null;
  let randomState = 0x9e3779b9;
  let written = 0;
  let stdoutLength = 0;
  const stdout = new Uint8Array(limits.outputBytes);
  const functions: ((...args: number[]) => number)[] = [];

  const fresh = (): void => {
    if (handles !== null && bytes.buffer !== handles.memory.buffer) {
      bytes = new Uint8Array(handles.memory.buffer);
      view = new DataView(handles.memory.buffer);
    }
  };
  // A JavaScript exception: CPython is C, in which nothing catches it.
  const kill = (reason: Killed): never => {
    killed ??= reason;
    throw new Error(`stopped: ${reason}`);
  };
  const leave = (status: number): never => {
    left ??= status & 255;
    throw new Error('left');
  };
  // Paths are bytes: a mark at the start is a part of the name.
  const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
  const text = (pointer: number): string => {
    fresh();
    let end = pointer >>> 0;
    while (bytes[end] !== 0 && end - pointer < 4096) end += 1;
    return utf8.decode(bytes.slice(pointer >>> 0, end));
  };
  const putText = (pointer: number, value: string): number => {
    fresh();
    const encoded = new TextEncoder().encode(value);
    bytes.set(encoded, pointer);
    bytes[pointer + encoded.length] = 0;
    return encoded.length + 1;
  };
  type Stat = { folder: boolean; size: number };
  const writeStat = (pointer: number, stat: Stat | null, mode?: number): number => {
    if (stat === null) return -ENOENT;
    fresh();
    bytes.fill(0, pointer, pointer + 96);
    view.setUint32(pointer + 4, mode ?? (stat.folder ? S_IFDIR : S_IFREG), true);
    view.setUint32(pointer + 8, 1, true);
    view.setBigInt64(pointer + 24, BigInt(stat.size), true);
    view.setInt32(pointer + 32, 4096, true);
    return 0;
  };
  const output = (fd: number, from: number, length: number): void => {
    written += length;
    const room = limits.outputBytes - stdoutLength;
    if (fd === 1 && room > 0) {
      const part = bytes.subarray(from, from + Math.min(length, room));
      stdout.set(part, stdoutLength);
      stdoutLength += part.length;
    }
    if (written > limits.outputBytes) kill('output');
  };
  // biome-ignore lint/suspicious/noExplicitAny: WebAssembly passes numbers and 64-bit BigInts in one list.
  type Import = (...args: any[]) => unknown;
  const clock = createClock(() => {
    fresh();
    return view;
  });
  const env: Record<string, Import> = {
    ...clock.env,
    _PyEM_TrampolineCall_JS: (index: number, a: number, b: number, c: number) => {
      functions[index] ??= (handles as PyodideHandles).table.get(index);
      return functions[index](a, b, c);
    },
    _Py_CheckEmscriptenSignals_Helper: () => 0,
    _Py_emscripten_runtime: () => 0,
    // Static constructors intern a few strings for the bridge; no object ever stands behind them.
    __hiwire_deduplicate_new: () => null,
    _emscripten_get_progname: (out: number) => void putText(out, '/python'),
    _abort_js: () => kill('crash'),
    __assert_fail: () => kill('crash'),
    exit: leave,
    emscripten_get_heap_max: () => limits.memoryBytes,
    emscripten_resize_heap: (requested: number) => {
      const { memory } = handles as PyodideHandles;
      const size = requested >>> 0;
      if (size > limits.memoryBytes) return 0;
      const wanted = Math.min(limits.memoryBytes, Math.max(size, Math.ceil(memory.buffer.byteLength * 1.2)));
      try {
        memory.grow(Math.ceil((wanted - memory.buffer.byteLength) / PAGE));
      } catch {
        return 0;
      }
      return 1;
    },
    __syscall_getuid32_js: () => 0,
    __syscall_umask_js: () => 0o22,
    _try_fcntl64: () => 0,
    // F_GETFL: read and write. Flags that are set are not kept.
    __syscall_fcntl64: (_fd: number, command: number) => (command === 3 ? 2 : 0),
    __syscall_ioctl: () => -ENOTTY,
    __syscall_openat: (_folder: number, path: number, flags: number) => fs.open(text(path), flags),
    __syscall_stat64: (path: number, out: number) => writeStat(out, fs.stat(text(path))),
    __syscall_lstat64: (path: number, out: number) => writeStat(out, fs.stat(text(path))),
    __syscall_newfstatat: (_folder: number, path: number, out: number) => writeStat(out, fs.stat(text(path))),
    __syscall_fstat64: (fd: number, out: number) => {
      if (fd >= 0 && fd < 3) return writeStat(out, { folder: false, size: 0 }, S_IFCHR);
      return writeStat(out, fs.statFd(fd));
    },
    __syscall_faccessat: (_folder: number, path: number) => (fs.stat(text(path)) === null ? -ENOENT : 0),
    __syscall_readlinkat: () => -EINVAL,
    __syscall_mkdirat: (_folder: number, path: number) => fs.mkdir(text(path)),
    __syscall_rmdir: (path: number) => fs.rmdir(text(path)),
    __syscall_unlinkat: (_folder: number, path: number, flags: number) =>
      flags !== 0 ? fs.rmdir(text(path)) : fs.unlink(text(path)),
    __syscall_renameat: (_from: number, path: number, _to: number, target: number) =>
      fs.rename(text(path), text(target)),
    __syscall_chdir: (path: number) => fs.chdir(text(path)),
    __syscall_getcwd: (out: number, size: number) => {
      const cwd = fs.cwd();
      return size < new TextEncoder().encode(cwd).length + 1 ? -ERANGE : putText(out, cwd);
    },
    __syscall_getdents64: (fd: number, out: number, count: number) => {
      const names = fs.list(fd);
      if (names === null) return -EBADF;
      const first = Math.floor(fs.seek(fd, 0, 1) / DIRENT);
      const entries = ['.', '..', ...names].slice(first, first + Math.floor(count / DIRENT));
      fresh();
      for (const [i, name] of entries.entries()) {
        const at = out + i * DIRENT;
        view.setBigInt64(at, BigInt(first + i + 1), true);
        view.setBigInt64(at + 8, BigInt((first + i + 1) * DIRENT), true);
        view.setInt16(at + 16, DIRENT, true);
        bytes[at + 18] = 0;
        const encoded = new TextEncoder().encode(name).subarray(0, 255);
        bytes.set(encoded, at + 19);
        bytes[at + 19 + encoded.length] = 0;
      }
      fs.seek(fd, (first + entries.length) * DIRENT, 0);
      return entries.length * DIRENT;
    },
  };

  const vectors = (pointer: number, count: number): { at: number; length: number }[] => {
    fresh();
    if (count < 0 || count > 1024) kill('crash');
    return Array.from({ length: count }, (_, i) => ({
      at: view.getUint32(pointer + 8 * i, true),
      length: view.getUint32(pointer + 8 * i + 4, true),
    }));
  };
  const wasi: Record<string, Import> = {
    ...clock.wasi,
    proc_exit: leave,
    environ_sizes_get: (count: number, size: number) => {
      fresh();
      view.setUint32(count, ENVIRONMENT.length, true);
      view.setUint32(size, ENVIRONMENT.join('0').length + 1, true);
      return 0;
    },
    environ_get: (pointers: number, buffer: number) => {
      let at = buffer;
      for (const [i, variable] of ENVIRONMENT.entries()) {
        fresh();
        view.setUint32(pointers + 4 * i, at, true);
        at += putText(at, variable);
      }
      return 0;
    },
    random_get: (out: number, length: number) => {
      fresh();
      for (let i = 0; i < length; i += 1) {
        randomState ^= randomState << 13;
        randomState ^= randomState >>> 17;
        randomState ^= randomState << 5;
        bytes[out + i] = randomState;
      }
      return 0;
    },
    fd_fdstat_get: (fd: number, out: number) => {
      fresh();
      bytes.fill(0, out, out + 24);
      bytes[out] = fd < 3 ? 2 : 4;
      return 0;
    },
    fd_close: (fd: number) => (fd >= 0 && fd < 3 ? 0 : -fs.close(fd)),
    fd_sync: () => 0,
    fd_seek: (fd: number, offset: bigint, whence: number, out: number) => {
      const position = fs.seek(fd, Number(offset), whence);
      if (position < 0) return -position;
      fresh();
      view.setBigInt64(out, BigInt(position), true);
      return 0;
    },
    fd_read: (fd: number, pointer: number, count: number, out: number) => {
      let total = 0;
      // Standard input is always at its end.
      for (const { at, length } of fd === 0 ? [] : vectors(pointer, count)) {
        const part = fs.read(fd, length);
        if (typeof part === 'number') return -part;
        bytes.set(part, at);
        total += part.length;
        if (part.length < length) break;
      }
      fresh();
      view.setUint32(out, total, true);
      return 0;
    },
    fd_write: (fd: number, pointer: number, count: number, out: number) => {
      let total = 0;
      for (const { at, length } of vectors(pointer, count)) {
        if (fd === 1 || fd === 2) output(fd, at, length);
        else {
          const result = fs.write(fd, bytes.subarray(at, at + length));
          if (result < 0) return -result;
        }
        total += length;
      }
      view.setUint32(out, total, true);
      return 0;
    },
  };

  const imports: Record<string, Record<string, WebAssembly.ImportValue>> = {};
  for (const { module: from, name, kind } of WebAssembly.Module.imports(module)) {
    imports[from] ??= {};
    const own = from === 'wasi_snapshot_preview1' ? wasi : env;
    // The globals are addresses of functions that only the vendor's loader would bring (WebGL and the like): nowhere.
    if (kind === 'global') imports[from][name] = new WebAssembly.Global({ value: 'i32', mutable: true }, 0);
    else if (Object.hasOwn(own, name)) imports[from][name] = own[name];
    else if (from !== 'env') imports[from][name] = () => ENOSYS;
    else if (name.startsWith('__syscall_')) imports[from][name] = () => -ENOSYS;
    // Whatever else there is, is the bridge, the dynamic linker or the foreign-function interface: cut by being unnamed.
    else imports[from][name] = () => kill('bridge');
  }

  return {
    imports,
    attach(given) {
      handles = given;
      fresh();
    },
    killed: () => killed,
    left: () => left,
    stdout: () => stdout.slice(0, stdoutLength),
  };
}
