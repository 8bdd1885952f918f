// Files and folders in memory, with the rules and error texts of a POSIX file system in Python.
import { PythonError, type PythonErrorClass, valueError } from '../../python-error.ts';
import { compareText } from '../support/text.ts';

export type Node = { kind: 'file'; contents: Uint8Array } | { kind: 'folder'; children: Map<string, Node> };
type Folder = Extract<Node, { kind: 'folder' }>;

export const emptyFolder = (): Folder => ({ kind: 'folder', children: new Map() });

/** A place in the tree: the names from the root down, and the path that errors show. */
export interface Place {
  parts: readonly string[];
  shown: string;
}

const ERRNO: Readonly<Record<string, readonly [number, string]>> = {
  FileNotFoundError: [2, 'No such file or directory'],
  FileExistsError: [17, 'File exists'],
  NotADirectoryError: [20, 'Not a directory'],
  IsADirectoryError: [21, 'Is a directory'],
  OSError: [39, 'Directory not empty'],
};
/** Linux's limits in bytes: of a path with its terminating zero, and of a name. */
const LONGEST_PATH = 4096;
const LONGEST_NAME = 255;
/** Most nested folders; Linux has no such limit, but a state is written and compared by recursion. */
const DEEPEST = 256;
const nameTooLong = ({ shown }: Place): PythonError =>
  new PythonError('OSError', `[Errno 36] File name too long: '${shown}'`);
const bytes = (text: string): number => new TextEncoder().encode(text).length;

export function checkLength(place: Place): void {
  const isLong = bytes(place.shown) >= LONGEST_PATH || place.parts.length > DEEPEST;
  if (isLong || place.parts.some((name) => bytes(name) > LONGEST_NAME)) throw nameTooLong(place);
}

/** Depth of a node's subtree in levels. */
function heightOf(node: Node): number {
  let most = 0;
  if (node.kind === 'folder') for (const child of node.children.values()) most = Math.max(most, heightOf(child));
  return most + 1;
}

export function osError(kind: PythonErrorClass, { shown }: Place): PythonError {
  const [number, text] = ERRNO[kind] as readonly [number, string];
  return new PythonError(kind, `[Errno ${number}] ${text}: '${shown}'`);
}

const above = ({ parts, shown }: Place): Place => ({
  parts: parts.slice(0, -1),
  shown: shown.slice(0, shown.lastIndexOf('/')),
});
const nameOf = ({ parts }: Place): string => parts.at(-1) ?? '';

export class FileTree {
  root: Folder = emptyFolder();

  find({ parts }: Place): Node | undefined {
    let node: Node | undefined = this.root;
    for (const part of parts) node = node?.kind === 'folder' ? node.children.get(part) : undefined;
    return node;
  }

  /** Throws if nothing is there, or if the path leads through a file. */
  get(place: Place): Node {
    const node = this.find(place);
    if (node) return node;
    const isThroughFile = place.parts.some(
      (_, length) => length > 0 && this.find({ ...place, parts: place.parts.slice(0, length) })?.kind === 'file',
    );
    throw osError(isThroughFile ? 'NotADirectoryError' : 'FileNotFoundError', place);
  }

  read(place: Place): Uint8Array {
    const node = this.get(place);
    if (node.kind === 'folder') throw osError('IsADirectoryError', place);
    return node.contents;
  }

  /** Replaces a file's contents; its folder must exist. */
  write(place: Place, contents: Uint8Array): void {
    if (this.find(place)?.kind === 'folder') throw osError('IsADirectoryError', place);
    this.folderFor(place).children.set(nameOf(place), { kind: 'file', contents });
  }

  /** The folder that contains a place; errors name the place. */
  private folderFor(place: Place): Folder {
    const folder = this.find(above(place));
    if (folder?.kind === 'folder') return folder;
    this.get({ ...place, parts: above(place).parts });
    throw osError('NotADirectoryError', place);
  }

  /** @param withParents also makes the missing folders above it */
  makeFolder(place: Place, withParents: boolean): void {
    if (this.find(place)) throw osError('FileExistsError', place);
    if (withParents) this.makeFoldersAbove(place);
    this.folderFor(place).children.set(nameOf(place), emptyFolder());
  }

  /** Makes missing folders, from the root down. */
  private makeFoldersAbove(place: Place): void {
    let folder = this.root;
    for (const part of above(place).parts) {
      const next = folder.children.get(part) ?? emptyFolder();
      // folderFor raises the error, which names the place.
      if (next.kind === 'file') return;
      folder.children.set(part, next);
      folder = next;
    }
  }

  /** The root itself stays, empty. */
  remove(place: Place, isRecursive: boolean): void {
    const node = this.get(place);
    if (node.kind === 'folder' && !isRecursive) throw valueError('Cannot delete directory, set recursive=True');
    if (place.parts.length === 0) this.root.children.clear();
    else this.folderFor(place).children.delete(nameOf(place));
  }

  removeFolder(place: Place): void {
    const node = this.get(place);
    if (node.kind === 'file') throw osError('NotADirectoryError', place);
    if (node.children.size > 0) throw osError('OSError', place);
    if (place.parts.length > 0) this.folderFor(place).children.delete(nameOf(place));
  }

  /** Moves like shutil.move: into an existing folder, over an existing file. */
  move(from: Place, to: Place): void {
    const node = this.get(from);
    const isIntoFolder = this.find(to)?.kind === 'folder';
    const isSame = from.parts.join('/') === to.parts.join('/');
    if (isSame) return;
    const end = isIntoFolder ? { parts: [...to.parts, nameOf(from)], shown: `${to.shown}/${nameOf(from)}` } : to;
    if (isIntoFolder && this.find(end))
      throw new PythonError('Error', `Destination path '${end.shown}' already exists`);
    if (node.kind === 'folder') {
      if (from.parts.every((part, i) => part === end.parts[i]))
        throw new PythonError('Error', `Cannot move a directory '${from.shown}' into itself '${to.shown}'.`);
      if (this.find(end)) throw osError('FileExistsError', end);
      if (end.parts.length - 1 + heightOf(node) > DEEPEST) throw nameTooLong(end);
      this.makeFoldersAbove(end);
    }
    this.folderFor(end).children.set(nameOf(end), node);
    this.folderFor(from).children.delete(nameOf(from));
  }

  /** Names in a folder, sorted: a real file system guarantees no order. */
  names(place: Place): string[] {
    const node = this.get(place);
    if (node.kind === 'file') throw osError('NotADirectoryError', place);
    return [...node.children.keys()].sort(compareText);
  }
}
