// Tools of the device's files in the benchmark's phone.
import { checkRead, DocumentError, documentKind, KINDS_READ } from '../../documents.ts';
import { PythonError, typeError } from '../../python-error.ts';
import { toolsOf } from '../../tool.ts';
import type { Tool } from '../../types.ts';
import { asText, FilesApp } from './app.ts';
import {
  EXISTS,
  INFO,
  LIST,
  MOVE,
  OPEN,
  pathOf,
  READ,
  RECURSIVE,
  REMOVE,
  REST,
  TREE,
  textOf,
  WRITE,
} from './shared-tools.ts';
import { osError } from './tree.ts';

const DEPTH = { maxdepth: { type: 'int | None', default: null, about: 'Left aside.' } } as const;

const tool = toolsOf<FilesApp>();
const TOOLS: readonly Tool[] = [
  tool({
    ...OPEN,
    params: {
      ...pathOf('Path of the file.'),
      mode: { type: 'str', default: 'rb', about: 'r, w, a or x, with b for bytes.' },
      block_size: { type: 'int | None', default: null, about: 'Left aside.' },
      cache_options: { type: 'dict | None', default: null, about: 'Left aside.' },
      compression: { type: 'str | None', default: null, about: 'Left aside.' },
      ...REST,
    },
  }),
  tool({
    ...READ,
    name: 'cat',
    returns: 'str | bytes',
    params: {
      ...pathOf('Path of the file.'),
      ...RECURSIVE,
      on_error: { type: 'str', default: 'raise', about: 'raise or omit.' },
      ...REST,
    },
    about: 'The contents of a file.',
    run: (app, { path, recursive, on_error }) => {
      const place = app.place(path);
      const node = app.tree.get(place);
      if (node.kind === 'file') return textOf(node.contents);
      const isMany = recursive && on_error === 'omit' && node.children.size > 0;
      throw isMany ? typeError("Unexpected return type from cat: <class 'dict'>") : osError('IsADirectoryError', place);
    },
  }),
  tool({
    ...WRITE,
    name: 'mkdir',
    returns: 'NoneType',
    params: {
      ...pathOf('Path of the folder.'),
      create_parents: { type: 'bool', default: true, about: 'Makes the folders above it too.' },
      ...REST,
    },
    about: 'Makes a folder.',
    run: (app, { path, create_parents }) => {
      app.makeFolder(path, create_parents);
      return null;
    },
  }),
  tool({
    ...WRITE,
    name: 'makedirs',
    returns: 'NoneType',
    params: {
      ...pathOf('Path of the folder.'),
      exist_ok: { type: 'bool', default: false, about: 'Whether it may be there already.' },
    },
    about: 'Makes a folder and those above it.',
    run: (app, { path, exist_ok }) => {
      const place = app.place(path);
      if (!(exist_ok && app.tree.find(place)?.kind === 'folder')) app.tree.makeFolder(place, true);
      return null;
    },
  }),
  tool({ ...MOVE, returns: 'NoneType', params: { ...MOVE.params, ...RECURSIVE, ...DEPTH, ...REST } }),
  tool({ ...LIST, returns: 'list[str | dict[str, Any]]', params: { ...LIST.params, ...REST } }),
  tool({ ...REMOVE, returns: 'NoneType', params: { ...REMOVE.params, ...DEPTH } }),
  tool({ ...EXISTS, params: { ...EXISTS.params, ...REST } }),
  tool({
    ...READ,
    name: 'display',
    returns: 'bool',
    params: pathOf('Path of the file.'),
    about: 'Shows a file to the user; says whether there is one. The agent does not see what is in it.',
    run: EXISTS.run,
  }),
  tool({ ...INFO, returns: 'dict[str, Any]' }),
  TREE,
  tool({
    ...READ,
    name: 'read_document',
    returns: 'str',
    params: {
      file_path: { type: 'str', about: 'Path of the document.' },
      max_lines: { type: 'int | None', default: 20, about: 'How many lines to return; all of them if null.' },
    },
    about: 'The text of a document. Documents are long: give a number of lines.',
    run: (app, { file_path, max_lines }) => {
      const text = documentText(app, file_path);
      const lines = text.split('\n');
      if (max_lines === null || max_lines <= 0 || lines.length <= max_lines) return text;
      const footer = `[Document truncated. Showing ${max_lines} of ${lines.length} lines]`;
      return `${lines.slice(0, max_lines).join('\n')}\n\n${footer}`;
    },
  }),
];

/** Reads a document's text. Every error except a path that leads out is a FileNotFoundError that names the document. */
function documentText(app: FilesApp, path: string): string {
  const place = app.place(path);
  const failed = (why: string) =>
    new PythonError('FileNotFoundError', `File not found or could not be read: ${path}. Error: ${why}`);
  let contents: Uint8Array;
  try {
    contents = app.tree.read(place);
  } catch (error) {
    throw failed((error as Error).message);
  }
  if (contents.length === 0) throw failed(`File is empty: ${path}`);
  const kind = documentKind(path);
  try {
    checkRead(path);
    if (kind !== null) return app.documents.textOf(kind, contents);
  } catch (error) {
    if (error instanceof DocumentError) throw failed(error.message);
    throw error;
  }
  const text = asText(contents);
  if (text === null) throw failed(`It is no text, nor of a kind that is read here; ${KINDS_READ}.`);
  return text;
}

export const sandbox = (name: string | undefined, className: string): FilesApp => new FilesApp(className, name, TOOLS);
