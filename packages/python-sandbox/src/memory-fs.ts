// The only file system of a graded program: a few files in memory, deleted with its VM. It implements the system calls of MicroPython's
// posix layer. Self-contained (no imports, no outer names): sandbox-source.ts ships its text into the sandbox.

export interface MemoryFs {
  open(path: string, flags: number): number;
  close(fd: number): number;
  /** Bytes at the file's position, or a negative error number. */
  read(fd: number, length: number): Uint8Array | number;
  write(fd: number, data: Uint8Array): number;
  /** The new position, or a negative error number. */
  seek(fd: number, offset: number, whence: number): number;
  /** Null if the path does not exist. */
  stat(path: string): { folder: boolean; size: number } | null;
  statFd(fd: number): { folder: boolean; size: number } | null;
  /** Names in the folder open as fd, or null. */
  list(fd: number): string[] | null;
  mkdir(path: string): number;
  rmdir(path: string): number;
  unlink(path: string): number;
  rename(from: string, to: string): number;
  chdir(path: string): number;
  cwd(): string;
  /** The files directly in the folder `path`. */
  filesIn(path: string): { name: string; data: Uint8Array }[];
}

/** Error numbers are Emscripten's (WASI's), returned negative. */
export function createMemoryFs(maxBytes: number, home: string): MemoryFs {
  const EBADF = -8;
  const EEXIST = -20;
  const EINVAL = -28;
  const EISDIR = -31;
  const EMFILE = -33;
  const ENOENT = -44;
  const ENOSPC = -51;
  const ENOTDIR = -54;
  const ENOTEMPTY = -55;
  const MAX_NODES = 256;
  const MAX_OPEN = 64;
  const O_ACCMODE = 3;
  const O_CREAT = 0o100;
  const O_EXCL = 0o200;
  const O_TRUNC = 0o1000;
  const O_APPEND = 0o2000;
  const O_DIRECTORY = 0o200000;

  type File = { data: Uint8Array; size: number };
  type Open = { path: string; file: File | null; position: number; flags: number };
  const folders = new Set<string>(['/', home]);
  const files = new Map<string, File>();
  const open = new Map<number, Open>();
  let cwd = home;
  let used = 0;

  const absolute = (path: string): string => {
    const parts: string[] = [];
    for (const part of (path.startsWith('/') ? path : `${cwd}/${path}`).split('/')) {
      if (part === '..') parts.pop();
      else if (part !== '' && part !== '.') parts.push(part);
    }
    return `/${parts.join('/')}`;
  };
  const parent = (path: string): string => path.slice(0, Math.max(1, path.lastIndexOf('/')));
  const under = (folder: string): string[] => {
    const prefix = folder === '/' ? '/' : `${folder}/`;
    return [...folders, ...files.keys()].filter((path) => path !== '/' && path.startsWith(prefix));
  };
  const namesIn = (folder: string): string[] =>
    under(folder)
      .map((path) => path.slice(folder === '/' ? 1 : folder.length + 1))
      .filter((name) => !name.includes('/'));
  const truncate = (file: File): void => {
    used -= file.data.length;
    file.data = new Uint8Array(0);
    file.size = 0;
  };

  return {
    open(path, flags) {
      const full = absolute(path);
      let fd = 3;
      while (open.has(fd)) fd += 1;
      if (fd >= MAX_OPEN) return EMFILE;
      if (folders.has(full)) {
        if ((flags & O_ACCMODE) !== 0 || (flags & O_CREAT) !== 0) return EISDIR;
        open.set(fd, { path: full, file: null, position: 0, flags });
        return fd;
      }
      if ((flags & O_DIRECTORY) !== 0) return files.has(full) ? ENOTDIR : ENOENT;
      let file = files.get(full);
      if (file !== undefined && (flags & O_EXCL) !== 0) return EEXIST;
      if (file === undefined) {
        if ((flags & O_CREAT) === 0 || !folders.has(parent(full))) return ENOENT;
        if (files.size + folders.size >= MAX_NODES) return ENOSPC;
        file = { data: new Uint8Array(0), size: 0 };
        files.set(full, file);
      } else if ((flags & O_TRUNC) !== 0) truncate(file);
      open.set(fd, { path: full, file, position: 0, flags });
      return fd;
    },
    close: (fd) => (open.delete(fd) ? 0 : EBADF),
    read(fd, length) {
      const stream = open.get(fd);
      if (stream === undefined) return EBADF;
      if (stream.file === null) return EISDIR;
      const end = Math.min(stream.file.size, stream.position + length);
      const bytes = stream.file.data.subarray(stream.position, Math.max(stream.position, end));
      stream.position += bytes.length;
      return bytes;
    },
    write(fd, data) {
      const stream = open.get(fd);
      if (stream === undefined || stream.file === null || (stream.flags & O_ACCMODE) === 0) return EBADF;
      const file = stream.file;
      if ((stream.flags & O_APPEND) !== 0) stream.position = file.size;
      const end = stream.position + data.length;
      if (end > file.data.length) {
        const capacity = Math.max(end, Math.min(2 * file.data.length, 65536), 256);
        if (used + capacity - file.data.length > maxBytes) return ENOSPC;
        used += capacity - file.data.length;
        const grown = new Uint8Array(capacity);
        grown.set(file.data.subarray(0, file.size));
        file.data = grown;
      }
      file.data.set(data, stream.position);
      stream.position = end;
      file.size = Math.max(file.size, end);
      return data.length;
    },
    seek(fd, offset, whence) {
      const stream = open.get(fd);
      if (stream === undefined) return EBADF;
      const base = whence === 0 ? 0 : whence === 1 ? stream.position : (stream.file?.size ?? 0);
      // The upper limit keeps a hole in a file from allocating memory.
      if (!(base + offset >= 0) || base + offset > maxBytes) return EINVAL;
      stream.position = base + offset;
      return stream.position;
    },
    stat(path) {
      const full = absolute(path);
      const file = files.get(full);
      if (file !== undefined) return { folder: false, size: file.size };
      return folders.has(full) ? { folder: true, size: 0 } : null;
    },
    statFd(fd) {
      const stream = open.get(fd);
      return stream === undefined ? null : { folder: stream.file === null, size: stream.file?.size ?? 0 };
    },
    list(fd) {
      const stream = open.get(fd);
      return stream === undefined || stream.file !== null ? null : namesIn(stream.path);
    },
    mkdir(path) {
      const full = absolute(path);
      if (folders.has(full) || files.has(full)) return EEXIST;
      if (!folders.has(parent(full))) return ENOENT;
      if (files.size + folders.size >= MAX_NODES) return ENOSPC;
      folders.add(full);
      return 0;
    },
    rmdir(path) {
      const full = absolute(path);
      if (!folders.has(full)) return files.has(full) ? ENOTDIR : ENOENT;
      if (full === '/' || under(full).length > 0) return ENOTEMPTY;
      folders.delete(full);
      return 0;
    },
    unlink(path) {
      const full = absolute(path);
      const file = files.get(full);
      if (file === undefined) return folders.has(full) ? EISDIR : ENOENT;
      files.delete(full);
      used -= file.data.length;
      // An open handle keeps its own file, which counts again when it grows.
      file.data = new Uint8Array(0);
      file.size = 0;
      return 0;
    },
    rename(from, to) {
      const source = absolute(from);
      const target = absolute(to);
      const file = files.get(source);
      if (file === undefined) return folders.has(source) ? EINVAL : ENOENT;
      if (folders.has(target)) return EISDIR;
      if (!folders.has(parent(target))) return ENOENT;
      if (source === target) return 0;
      const replaced = files.get(target);
      if (replaced !== undefined) truncate(replaced);
      files.delete(source);
      files.set(target, file);
      return 0;
    },
    chdir(path) {
      const full = absolute(path);
      if (!folders.has(full)) return files.has(full) ? ENOTDIR : ENOENT;
      cwd = full;
      return 0;
    },
    cwd: () => cwd,
    filesIn: (path) =>
      namesIn(path).flatMap((name) => {
        const file = files.get(path === '/' ? `/${name}` : `${path}/${name}`);
        return file === undefined ? [] : [{ name, data: file.data.subarray(0, file.size) }];
      }),
  };
}
