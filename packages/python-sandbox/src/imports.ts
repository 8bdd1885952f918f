// What MicroPython's WebAssembly is given to call: its whole view of the outside. Everything that would lead to a
// JavaScript object (the foreign-function bridge behind `import js` and `jsffi`) is replaced by a stub that ends the
// program; clock and randomness are counters; files live in memory. Written against the bare .wasm instead of the
// vendor's loader, so that no fetch, process or require is even in scope. Self-contained: see sandbox-source.ts.
import type { MemoryFs } from './memory-fs.ts';
import type { Killed, Limits } from './protocol.ts';

/** Set by the VM once it is instantiated: the imports need the memory that they serve. */
export interface VmHandles {
  memory: WebAssembly.Memory;
  table: WebAssembly.Table;
  stackSave: () => number;
  stackRestore: (sp: number) => void;
  setThrew: (threw: number, value: number) => void;
}

export interface SandboxImports {
  env: Record<string, (...args: number[]) => unknown>;
  wasi: Record<string, (...args: number[]) => unknown>;
  attach(handles: VmHandles): void;
  /** Before each program: everything that the outside knows of a program begins anew, its files with `files`. */
  begin(files: MemoryFs): void;
  /** Why the program was stopped, if it was. */
  killed(): Killed | null;
  stdout(): Uint8Array;
}

export function createImports(limits: Limits, files: MemoryFs, imported: readonly string[]): SandboxImports {
  const EBADF = 8;
  const EINVAL = 28;
  const ENOENT = 44;
  const ERANGE = 68;
  const DIRENT = 280;
  const S_IFDIR = 0o40777;
  const S_IFREG = 0o100666;
  const S_IFCHR = 0o20666;
  const PAGE = 65536;
  const MAX_REFUSALS = 8;
  /** 2026-01-01: every program lives at the same instant. */
  const EPOCH_MS = 1767225600000;

  /** All that a program can change out here, in one object, so that nothing of it can be forgotten between two programs. */
  const beginning = (fs: MemoryFs) => ({
    fs,
    killed: null as Killed | null,
    refusals: 0,
    ticks: 0,
    random: 0x9e3779b9,
    written: 0,
    stdoutLength: 0,
  });

  let now = beginning(files);
  let vm: VmHandles | null = null;
  let bytes = new Uint8Array(0);
  let view = new DataView(bytes.buffer);
  /** Of which `stdoutLength` bytes are the program's. */
  const stdout = new Uint8Array(limits.outputBytes);
  /** The table's, which nothing changes (meter.ts, `rewindable`). */
  /** The table's, which no program changes (meter.ts, `rewindable`). */
  const functions: ((...args: number[]) => number)[] = [];

  const fresh = (): void => {
    if (vm !== null && bytes.buffer !== vm.memory.buffer) {
      bytes = new Uint8Array(vm.memory.buffer);
      view = new DataView(vm.memory.buffer);
    }
  };
  // Thrown as an object, which the longjmp glue below never swallows: no Python handler can see it.
  const kill = (reason: Killed): never => {
    now.killed ??= reason;
    throw new Error(`stopped: ${reason}`);
  };
  // Paths are bytes: a mark at the start is a part of the name.
  const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
  const text = (pointer: number): string => {
    fresh();
    let end = pointer;
    while (bytes[end] !== 0 && end - pointer < 4096) end += 1;
    return utf8.decode(bytes.slice(pointer, end));
  };
  const putText = (pointer: number, value: Uint8Array): void => {
    fresh();
    bytes.set(value, pointer);
    bytes[pointer + value.length] = 0;
  };
  const writeStat = (pointer: number, stat: { folder: boolean; size: number } | null, mode?: number): number => {
    if (stat === null) return -ENOENT;
    fresh();
    bytes.fill(0, pointer, pointer + 96);
    view.setUint32(pointer + 4, mode ?? (stat.folder ? S_IFDIR : S_IFREG), true);
    view.setUint32(pointer + 8, 1, true);
    view.setBigInt64(pointer + 24, BigInt(stat.size), true);
    view.setInt32(pointer + 32, 4096, true);
    return 0;
  };
  // MicroPython's exceptions are longjmps: the callee throws a number, the invoke_* around it turns it into a flag.
  const invoke = (index: number, a: number, b: number, c: number, d: number, e: number): number => {
    const handles = vm as VmHandles;
    const sp = handles.stackSave();
    try {
      functions[index] ??= handles.table.get(index);
      return functions[index](a, b, c, d, e);
    } catch (thrown) {
      handles.stackRestore(sp);
      if (typeof thrown !== 'number') throw thrown;
      handles.setThrew(1, 0);
      return 0;
    }
  };
  const output = (fd: number, from: number, length: number): void => {
    now.written += length;
    const room = limits.outputBytes - now.stdoutLength;
    if (fd === 1 && room > 0) {
      const part = bytes.subarray(from, from + Math.min(length, room));
      stdout.set(part, now.stdoutLength);
      now.stdoutLength += part.length;
    }
    if (now.written > limits.outputBytes) kill('output');
  };

  const env: Record<string, (...args: number[]) => unknown> = {
    _emscripten_throw_longjmp: () => {
      throw Number.POSITIVE_INFINITY;
    },
    _abort_js: () => kill('crash'),
    emscripten_resize_heap: (requested) => {
      const memory = (vm as VmHandles).memory;
      const size = requested >>> 0;
      if (size > limits.memoryBytes) {
        // A refusal or two become a MemoryError. When not even a small object fits, MicroPython 1.27 asks a dozen times in
        // a row and then hangs: that is ended here.
        now.refusals += 1;
        if (now.refusals > MAX_REFUSALS) kill('memory');
        return 0;
      }
      const wanted = Math.min(limits.memoryBytes, Math.max(size, Math.ceil(memory.buffer.byteLength * 1.25)));
      try {
        memory.grow(Math.ceil((wanted - memory.buffer.byteLength) / PAGE));
      } catch {
        return 0;
      }
      return 1;
    },
    mp_js_ticks_ms: () => {
      now.ticks += 1;
      return now.ticks;
    },
    mp_js_time_ms: () => {
      now.ticks += 1;
      return EPOCH_MS + now.ticks;
    },
    mp_js_random_u32: () => {
      now.random ^= now.random << 13;
      now.random ^= now.random >>> 17;
      now.random ^= now.random << 5;
      return now.random >>> 0;
    },
    // Asked when the host takes a reference to a Python object: no JavaScript twin of it ever exists.
    js_check_existing: () => -1,
    __syscall_openat: (_dir, path, flags) => now.fs.open(text(path), flags),
    __syscall_stat64: (path, out) => writeStat(out, now.fs.stat(text(path))),
    __syscall_lstat64: (path, out) => writeStat(out, now.fs.stat(text(path))),
    __syscall_newfstatat: (_dir, path, out) => writeStat(out, now.fs.stat(text(path))),
    __syscall_fstat64: (fd, out) =>
      fd >= 0 && fd < 3 ? writeStat(out, { folder: false, size: 0 }, S_IFCHR) : writeStat(out, now.fs.statFd(fd)),
    __syscall_mkdirat: (_dir, path) => now.fs.mkdir(text(path)),
    __syscall_rmdir: (path) => now.fs.rmdir(text(path)),
    __syscall_unlinkat: (_dir, path, flags) => (flags !== 0 ? now.fs.rmdir(text(path)) : now.fs.unlink(text(path))),
    __syscall_renameat: (_from, path, _to, target) => now.fs.rename(text(path), text(target)),
    __syscall_chdir: (path) => now.fs.chdir(text(path)),
    __syscall_getcwd: (out, size) => {
      const cwd = new TextEncoder().encode(now.fs.cwd());
      if (size < cwd.length + 1) return -ERANGE;
      putText(out, cwd);
      return cwd.length + 1;
    },
    __syscall_getdents64: (fd, out, count) => {
      const names = now.fs.list(fd);
      if (names === null) return -EBADF;
      const first = Math.floor(now.fs.seek(fd, 0, 1) / DIRENT);
      const entries = ['.', '..', ...names].slice(first, first + Math.floor(count / DIRENT));
      fresh();
      for (const [i, name] of entries.entries()) {
        const at = out + i * DIRENT;
        view.setBigInt64(at, BigInt(first + i + 1), true);
        view.setBigInt64(at + 8, BigInt((first + i + 1) * DIRENT), true);
        view.setInt16(at + 16, DIRENT, true);
        bytes[at + 18] = 0;
        putText(at + 19, new TextEncoder().encode(name).subarray(0, 255));
      }
      now.fs.seek(fd, (first + entries.length) * DIRENT, 0);
      return entries.length * DIRENT;
    },
    __syscall_statfs64: () => -EINVAL,
    __syscall_poll: () => 0,
  };
  const vectors = (pointer: number, count: number): { at: number; length: number }[] => {
    fresh();
    if (count < 0 || count > 1024) kill('crash');
    return Array.from({ length: count }, (_, i) => ({
      at: view.getUint32(pointer + 8 * i, true),
      length: view.getUint32(pointer + 8 * i + 4, true),
    }));
  };
  const wasi: Record<string, (...args: number[]) => unknown> = {
    fd_close: (fd) => (fd >= 0 && fd < 3 ? 0 : -now.fs.close(fd)),
    fd_sync: () => 0,
    fd_seek: (fd, offset, whence, out) => {
      const position = now.fs.seek(fd, Number(offset), whence);
      if (position < 0) return -position;
      fresh();
      view.setBigInt64(out, BigInt(position), true);
      return 0;
    },
    fd_read: (fd, pointer, count, out) => {
      let total = 0;
      // Standard input is always at its end.
      for (const { at, length } of fd === 0 ? [] : vectors(pointer, count)) {
        const part = now.fs.read(fd, length);
        if (typeof part === 'number') return -part;
        bytes.set(part, at);
        total += part.length;
        if (part.length < length) break;
      }
      fresh();
      view.setUint32(out, total, true);
      return 0;
    },
    fd_write: (fd, pointer, count, out) => {
      let total = 0;
      for (const { at, length } of vectors(pointer, count)) {
        if (fd === 1 || fd === 2) output(fd, at, length);
        else {
          const result = now.fs.write(fd, bytes.subarray(at, at + length));
          if (result < 0) return -result;
        }
        total += length;
      }
      view.setUint32(out, total, true);
      return 0;
    },
  };
  // Whatever else the module imports is the bridge: kept by name nowhere, so a newer build's additions are cut too.
  for (const name of imported) {
    if (name.startsWith('invoke_')) env[name] = invoke as (...args: number[]) => unknown;
    else if (!Object.hasOwn(env, name) && !Object.hasOwn(wasi, name)) env[name] = () => kill('bridge');
  }

  return {
    env,
    wasi,
    attach(handles) {
      vm = handles;
      fresh();
    },
    begin(own) {
      now = beginning(own);
    },
    killed: () => now.killed,
    stdout: () => stdout.slice(0, now.stdoutLength),
  };
}
