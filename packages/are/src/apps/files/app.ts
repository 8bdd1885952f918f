// The device's files (ARE's SandboxLocalFileSystem with its class Files, and VirtualFileSystem). The reference keeps a real folder and
// fetches remote contents; here files are in memory, with their contents in the state.
import { AppBase } from '../../app.ts';
import { fromBase64, toBase64 } from '../../base64.ts';
import { Documents } from '../../documents.ts';
import { PythonError, valueError } from '../../python-error.ts';
import type { FileSystem, Protocol, Tool } from '../../types.ts';
import type { Value, Values } from '../../value.ts';
import { any, list, nullable, record, str } from '../support/state.ts';
import { baseName } from '../support/text.ts';
import { checkLength, emptyFolder, FileTree, type Node, osError, type Place } from './tree.ts';

/** Root of the sandbox in error messages, where the reference shows a temporary folder. */
const SANDBOX = '/sandbox';
const HOME = 'home/userhome/';
const FILE = 'file';
const DIRECTORY = 'directory';

const readNode = record({
  name: str,
  type: str,
  children: nullable(list(any)),
  /** A file's text, or base64 of bytes that are no text. The reference has neither. */
  content: nullable(str),
  base64: nullable(str),
});

export class FilesApp extends AppBase implements FileSystem {
  override readonly provides: readonly Protocol[] = ['FILE_SYSTEM'];
  readonly tree = new FileTree();
  documents = new Documents();

  constructor(
    className: string,
    name: string | undefined,
    readonly tools: readonly Tool[],
  ) {
    super(className, name);
  }

  getState(): Values {
    return { files: nodeValue('', this.tree.root), tmpdir: SANDBOX };
  }

  /** Replaces all files; the root's own name does not matter. */
  loadState(state: Values): void {
    const { files } = record({ files: nullable(readNode) })(state, '');
    const root = emptyFolder();
    for (const child of files?.children ?? []) addNode(root.children, child, 'files');
    this.tree.root = root;
  }

  /** Files survive a reset, as in the reference: loading a state replaces them. */
  reset(): void {}

  exists(path: string): boolean {
    return this.call('exists', { path }) as boolean;
  }

  read(path: string): Uint8Array {
    return this.tree.read(this.place(path));
  }

  write(path: string, contents: Uint8Array): void {
    this.tree.write(this.place(path), contents);
  }

  /** Resolves a path: it is relative to the sandbox, "~" is a home in it, and no path leads out. */
  place(path: string): Place {
    const relative = path.startsWith('/') ? path.replace(/^\/+/, '') : path.replace(/^~\/?/, HOME);
    const root = SANDBOX.slice(1);
    const parts: string[] = [root];
    for (const part of relative.split('/')) {
      if (part === '..') parts.pop();
      else if (part !== '' && part !== '.') parts.push(part);
    }
    const shown = `/${parts.join('/')}`;
    if (parts[0] !== root) throw new PythonError('PermissionError', `Operation not allowed outside sandbox: ${shown}`);
    const place = { parts: parts.slice(1), shown };
    checkLength(place);
    return place;
  }

  /** A file is listed as itself. */
  list(path: string, isDetailed: boolean): Value {
    const place = this.place(path);
    const names = this.tree.get(place).kind === 'file' ? [null] : this.tree.names(place);
    const places = names.map((name) => (name === null ? place : { parts: [...place.parts, name], shown: '' }));
    return places.map((one) => (isDetailed ? this.details(one) : `/${one.parts.join('/')}`));
  }

  details(place: Place): Values {
    const node = this.tree.get(place);
    const size = node.kind === 'file' ? node.contents.length : 0;
    return { name: `/${place.parts.join('/')}`, size, type: node.kind === 'file' ? FILE : DIRECTORY };
  }

  /** If the folder exists already, the error's text is only the path, as in the reference's library. */
  makeFolder(path: string, withParents: boolean): void {
    const place = this.place(path);
    if (this.tree.find(place)) throw new PythonError('FileExistsError', place.shown);
    this.tree.makeFolder(place, withParents);
  }

  open(path: string, mode: string): void {
    const place = this.place(path);
    const action = /^[rwax][bt]?\+?[bt]?$/.test(mode) ? mode[0] : undefined;
    if (action === undefined) throw valueError(`invalid mode: '${mode}'`);
    const isThere = this.tree.find(place) !== undefined;
    if (action === 'r' || (action === 'a' && isThere)) this.tree.read(place);
    else if (action === 'x' && isThere) throw osError('FileExistsError', place);
    else this.tree.write(place, new Uint8Array());
  }

  /** Draws a tree: one line for each file or folder, with its contents below it. */
  drawn(path: string): string {
    const rows = (place: Place, depth: number): string[] => {
      const names = this.tree.names(place);
      return names.flatMap((name, i) => {
        const child = { parts: [...place.parts, name], shown: `${place.shown}/${name}` };
        const row = `${'    '.repeat(depth)}${i === names.length - 1 ? '└── ' : '├── '}${name}`;
        return this.tree.get(child).kind === 'folder' ? [row, ...rows(child, depth + 1)] : [row];
      });
    };
    return [baseName(path) || '/', ...rows(this.place(path), 0), ''].join('\n');
  }
}

function nodeValue(name: string, node: Node): Values {
  if (node.kind === 'file') return { name, type: FILE, ...contentsValue(node.contents) };
  return { name, type: DIRECTORY, children: [...node.children].map(([child, inner]) => nodeValue(child, inner)) };
}

function contentsValue(contents: Uint8Array): Values {
  if (contents.length === 0) return {};
  const text = asText(contents);
  return text === null ? { base64: toBase64(contents) } : { content: text };
}

/** Decodes bytes as UTF-8; null if they are no text. */
export function asText(contents: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(contents);
  } catch {
    return null;
  }
}

function addNode(siblings: Map<string, Node>, value: Value, at: string): void {
  const { name, type, children, content, base64 } = readNode(value, at);
  if (name === '' || name === '.' || name === '..' || name.includes('/'))
    throw valueError(`${at}: ${JSON.stringify(name)} is no name of a file`);
  const place = `${at}/${name}`;
  if (type === FILE) {
    const contents = base64 === null ? new TextEncoder().encode(content ?? '') : fromBase64(base64);
    siblings.set(name, { kind: 'file', contents });
  } else if (type === DIRECTORY) {
    const known = siblings.get(name);
    const folder = known?.kind === 'folder' ? known : emptyFolder();
    siblings.set(name, folder);
    for (const child of children ?? []) addNode(folder.children, child, place);
  } else throw valueError(`${place}: ${JSON.stringify(type)} is no type of a file`);
}
