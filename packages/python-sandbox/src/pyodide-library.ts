// Overlays the standard library's archive on a program's own file system: CPython can read it at its usual path, and a program cannot
// change, hide or replace it. Self-contained: see sandbox-source.ts.
import type { MemoryFs } from './memory-fs.ts';

/** `stdlib` is python_stdlib.zip. Calls for other paths go to `fs`; error numbers are the same. */
export function createLibraryFs(fs: MemoryFs, stdlib: Uint8Array): MemoryFs {
  const EINVAL = -28;
  const ENOENT = -44;
  const EROFS = -69;
  const ARCHIVE = '/lib/python314.zip';
  /** Folders that CPython looks for at the start, and that are empty. */
  const FOLDERS = ['/lib', '/lib/python3.14', '/lib/python3.14/lib-dynload'];
  /** The memory file system uses lower ones. */
  const FIRST_FD = 1000;
  const O_ACCMODE = 3;
  /** Position of each open descriptor of the archive. */
  const open = new Map<number, number>();

  const absolute = (path: string): string => {
    const parts: string[] = [];
    for (const part of (path.startsWith('/') ? path : `${fs.cwd()}/${path}`).split('/')) {
      if (part === '..') parts.pop();
      else if (part !== '' && part !== '.') parts.push(part);
    }
    return `/${parts.join('/')}`;
  };
  const isOurs = (path: string): boolean => path === ARCHIVE || FOLDERS.includes(path);
  const change =
    (act: (path: string) => number) =>
    (path: string): number =>
      isOurs(absolute(path)) ? EROFS : act(path);

  return {
    ...fs,
    open(path, flags) {
      const full = absolute(path);
      if (FOLDERS.includes(full)) return ENOENT;
      if (full !== ARCHIVE) return fs.open(path, flags);
      if ((flags & O_ACCMODE) !== 0) return EROFS;
      let fd = FIRST_FD;
      while (open.has(fd)) fd += 1;
      open.set(fd, 0);
      return fd;
    },
    close: (fd) => (open.delete(fd) ? 0 : fs.close(fd)),
    read(fd, length) {
      const position = open.get(fd);
      if (position === undefined) return fs.read(fd, length);
      const part = stdlib.subarray(position, position + length);
      open.set(fd, position + part.length);
      return part;
    },
    write: (fd, data) => (open.has(fd) ? EROFS : fs.write(fd, data)),
    seek(fd, offset, whence) {
      const from = open.get(fd);
      if (from === undefined) return fs.seek(fd, offset, whence);
      const position = (whence === 0 ? 0 : whence === 1 ? from : stdlib.length) + offset;
      if (!(position >= 0 && position <= stdlib.length)) return EINVAL;
      open.set(fd, position);
      return position;
    },
    stat(path) {
      const full = absolute(path);
      if (full === ARCHIVE) return { folder: false, size: stdlib.length };
      return FOLDERS.includes(full) ? { folder: true, size: 0 } : fs.stat(path);
    },
    statFd: (fd) => (open.has(fd) ? { folder: false, size: stdlib.length } : fs.statFd(fd)),
    mkdir: change(fs.mkdir),
    rmdir: change(fs.rmdir),
    unlink: change(fs.unlink),
    rename: (from, to) => (isOurs(absolute(from)) || isOurs(absolute(to)) ? EROFS : fs.rename(from, to)),
    chdir: change(fs.chdir),
  };
}
