// System calls that both interpreters need: memory, texts and files in it, printing, and stopping a program. Both were compiled by
// Emscripten, whose layouts of `stat` and `dirent` are here. Self-contained: see sandbox-source.ts.
import type { MemoryFs } from './memory-fs.ts';
import type { Killed, Limits } from './protocol.ts';

// biome-ignore lint/suspicious/noExplicitAny: WebAssembly passes numbers and 64-bit BigInts in one list.
export type Import = (...args: any[]) => unknown;

interface FileCalls {
  env: Record<string, Import>;
  wasi: Record<string, Import>;
  /** The current memory, which may have grown. */
  bytes(): Uint8Array;
  view(): DataView;
  /** The text up to its terminating zero, at most the length of a path. */
  text(pointer: number): string;
  /** Writes a text with a terminating zero, and returns the number of bytes. */
  putText(pointer: number, value: string): number;
  /** False if the memory cannot grow. */
  grow(requested: number, factor: number): boolean;
  /** Throws an object that no handler in C or Python catches. */
  kill(reason: Killed): never;
  killed(): Killed | null;
  stdout(): Uint8Array;
  /** Must be called before each program: resets all state outside the VM, with `files` as the new files. */
  begin(files: MemoryFs): void;
}

/** `memory` returns null until the VM is instantiated. */
export function createFileCalls(limits: Limits, files: MemoryFs, memory: () => WebAssembly.Memory | null): FileCalls {
  const EBADF = 8;
  const ENOENT = 44;
  const ERANGE = 68;
  const DIRENT = 280;
  const S_IFDIR = 0o40777;
  const S_IFREG = 0o100666;
  const S_IFCHR = 0o20666;
  const PAGE = 65536;

  /** All state outside the VM that a program can change, in one object, so that a reset covers everything. */
  const initial = (fs: MemoryFs) => ({ fs, killed: null as Killed | null, written: 0, stdoutLength: 0 });
  let now = initial(files);
  /** Its first `stdoutLength` bytes are the program's output. */
  const stdout = new Uint8Array(limits.outputBytes);
  let heap = new Uint8Array(0);
  let words = new DataView(heap.buffer);

  const bytes = (): Uint8Array => {
    const own = memory();
    if (own !== null && heap.buffer !== own.buffer) {
      heap = new Uint8Array(own.buffer);
      words = new DataView(own.buffer);
    }
    return heap;
  };
  const view = (): DataView => {
    bytes();
    return words;
  };
  const kill = (reason: Killed): never => {
    now.killed ??= reason;
    throw new Error(`stopped: ${reason}`);
  };
  // Paths are bytes: a byte order mark at the start belongs to the name.
  const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
  const text = (pointer: number): string => {
    const own = bytes();
    const from = pointer >>> 0;
    let end = from;
    while (own[end] !== 0 && end - from < 4096) end += 1;
    return utf8.decode(own.slice(from, end));
  };
  const put = (pointer: number, value: Uint8Array): void => {
    const own = bytes();
    own.set(value, pointer);
    own[pointer + value.length] = 0;
  };
  const putText = (pointer: number, value: string): number => {
    const encoded = new TextEncoder().encode(value);
    put(pointer, encoded);
    return encoded.length + 1;
  };
  const writeStat = (pointer: number, stat: { folder: boolean; size: number } | null, mode?: number): number => {
    if (stat === null) return -ENOENT;
    bytes().fill(0, pointer, pointer + 96);
    view().setUint32(pointer + 4, mode ?? (stat.folder ? S_IFDIR : S_IFREG), true);
    view().setUint32(pointer + 8, 1, true);
    view().setBigInt64(pointer + 24, BigInt(stat.size), true);
    view().setInt32(pointer + 32, 4096, true);
    return 0;
  };
  const statOf = (path: number, out: number): number => writeStat(out, now.fs.stat(text(path)));
  const output = (fd: number, from: number, length: number): void => {
    now.written += length;
    const room = limits.outputBytes - now.stdoutLength;
    if (fd === 1 && room > 0) {
      const part = bytes().subarray(from, from + Math.min(length, room));
      stdout.set(part, now.stdoutLength);
      now.stdoutLength += part.length;
    }
    if (now.written > limits.outputBytes) kill('output');
  };
  const vectors = (pointer: number, count: number): { at: number; length: number }[] => {
    if (count < 0 || count > 1024) kill('crash');
    return Array.from({ length: count }, (_, i) => ({
      at: view().getUint32(pointer + 8 * i, true),
      length: view().getUint32(pointer + 8 * i + 4, true),
    }));
  };

  return {
    bytes,
    view,
    text,
    putText,
    kill,
    killed: () => now.killed,
    stdout: () => stdout.slice(0, now.stdoutLength),
    begin(own) {
      now = initial(own);
    },
    grow(requested, factor) {
      const own = memory() as WebAssembly.Memory;
      const size = requested >>> 0;
      if (size > limits.memoryBytes) return false;
      const wanted = Math.min(limits.memoryBytes, Math.max(size, Math.ceil(own.buffer.byteLength * factor)));
      try {
        own.grow(Math.ceil((wanted - own.buffer.byteLength) / PAGE));
      } catch {
        return false;
      }
      return true;
    },
    env: {
      _abort_js: () => kill('crash'),
      __syscall_openat: (_folder: number, path: number, flags: number) => now.fs.open(text(path), flags),
      __syscall_stat64: statOf,
      __syscall_lstat64: statOf,
      __syscall_newfstatat: (_folder: number, path: number, out: number) => statOf(path, out),
      __syscall_fstat64: (fd: number, out: number) =>
        fd >= 0 && fd < 3 ? writeStat(out, { folder: false, size: 0 }, S_IFCHR) : writeStat(out, now.fs.statFd(fd)),
      __syscall_mkdirat: (_folder: number, path: number) => now.fs.mkdir(text(path)),
      __syscall_rmdir: (path: number) => now.fs.rmdir(text(path)),
      __syscall_unlinkat: (_folder: number, path: number, flags: number) =>
        flags !== 0 ? now.fs.rmdir(text(path)) : now.fs.unlink(text(path)),
      __syscall_renameat: (_from: number, path: number, _to: number, target: number) =>
        now.fs.rename(text(path), text(target)),
      __syscall_chdir: (path: number) => now.fs.chdir(text(path)),
      __syscall_getcwd: (out: number, size: number) => {
        const cwd = now.fs.cwd();
        return size < new TextEncoder().encode(cwd).length + 1 ? -ERANGE : putText(out, cwd);
      },
      __syscall_getdents64: (fd: number, out: number, count: number) => {
        const names = now.fs.list(fd);
        if (names === null) return -EBADF;
        const first = Math.floor(now.fs.seek(fd, 0, 1) / DIRENT);
        const entries = ['.', '..', ...names].slice(first, first + Math.floor(count / DIRENT));
        for (const [i, name] of entries.entries()) {
          const at = out + i * DIRENT;
          view().setBigInt64(at, BigInt(first + i + 1), true);
          view().setBigInt64(at + 8, BigInt((first + i + 1) * DIRENT), true);
          view().setInt16(at + 16, DIRENT, true);
          bytes()[at + 18] = 0;
          put(at + 19, new TextEncoder().encode(name).subarray(0, 255));
        }
        now.fs.seek(fd, (first + entries.length) * DIRENT, 0);
        return entries.length * DIRENT;
      },
    },
    wasi: {
      fd_close: (fd: number) => (fd >= 0 && fd < 3 ? 0 : -now.fs.close(fd)),
      fd_sync: () => 0,
      fd_seek: (fd: number, offset: bigint, whence: number, out: number) => {
        const position = now.fs.seek(fd, Number(offset), whence);
        if (position < 0) return -position;
        view().setBigInt64(out, BigInt(position), true);
        return 0;
      },
      fd_read: (fd: number, pointer: number, count: number, out: number) => {
        let total = 0;
        // Standard input is always empty.
        for (const { at, length } of fd === 0 ? [] : vectors(pointer, count)) {
          const part = now.fs.read(fd, length);
          if (typeof part === 'number') return -part;
          bytes().set(part, at);
          total += part.length;
          if (part.length < length) break;
        }
        view().setUint32(out, total, true);
        return 0;
      },
      fd_write: (fd: number, pointer: number, count: number, out: number) => {
        let total = 0;
        for (const { at, length } of vectors(pointer, count)) {
          if (fd === 1 || fd === 2) output(fd, at, length);
          else {
            const result = now.fs.write(fd, bytes().subarray(at, at + length));
            if (result < 0) return -result;
          }
          total += length;
        }
        view().setUint32(out, total, true);
        return 0;
      },
    },
  };
}
