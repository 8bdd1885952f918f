// The tools of the device's files, as the phone has them.
import { PythonError, typeError } from '../../python-error.ts';
import { toolsOf } from '../../tool.ts';
import type { Tool } from '../../types.ts';
import type { Value } from '../../value.ts';
import { asText, FilesApp } from './app.ts';
import { convertedText } from './documents/document.ts';
import { DocumentError } from './documents/work.ts';
import { osError } from './tree.ts';

export const pathOf = (about: string) => ({ path: { type: 'str', about } }) as const;
export const REST = {
  kwargs: { type: 'dict[str, Any]', takesRest: true, about: 'Anything else is left aside.' },
} as const;
export const RECURSIVE = { recursive: { type: 'bool', default: false, about: 'With everything in it.' } } as const;
const DEPTH = { maxdepth: { type: 'int | None', default: null, about: 'Left aside.' } } as const;
export const FOLDER = { path: { type: 'str', default: '.', about: 'The folder; the root if not given.' } } as const;

/** What a program gets to read and write by; an agent can do nothing with it. */
export const handle = (path: string, mode: string): Value => `<open file '${path}', mode '${mode}'>`;

/** Bytes that are no text are shown with replacement characters; a byte order mark is one, as in Python's utf-8. */
export const textOf = (contents: Uint8Array): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(contents);

const tool = toolsOf<FilesApp>();
export const READ = { roles: ['agent'], operation: 'READ', isUnchecked: true } as const;
export const WRITE = { roles: ['agent'], operation: 'WRITE', isUnchecked: true } as const;

const TOOLS: readonly Tool[] = [
  tool({
    ...WRITE,
    name: 'open',
    returns: null,
    params: {
      ...pathOf('Path of the file.'),
      mode: { type: 'str', default: 'rb', about: 'r, w, a or x, with b for bytes.' },
      block_size: { type: 'int | None', default: null, about: 'Left aside.' },
      cache_options: { type: 'dict | None', default: null, about: 'Left aside.' },
      compression: { type: 'str | None', default: null, about: 'Left aside.' },
      ...REST,
    },
    about: 'Opens a file. Opening to write makes the file, or empties it.',
    run: (app, { path, mode }) => {
      app.open(path, mode);
      return handle(path, mode);
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
  tool({
    ...WRITE,
    name: 'mv',
    returns: 'NoneType',
    params: {
      path1: { type: 'str', about: 'What to move.' },
      path2: { type: 'str', about: 'Where to.' },
      ...RECURSIVE,
      ...DEPTH,
      ...REST,
    },
    about: 'Moves a file or folder; into the target where that is a folder.',
    run: (app, { path1, path2 }) => {
      app.tree.move(app.place(path1), app.place(path2));
      return null;
    },
  }),
  tool({
    ...READ,
    name: 'ls',
    returns: 'list[str | dict[str, Any]]',
    params: { ...FOLDER, detail: { type: 'bool', default: false, about: 'With size and type.' }, ...REST },
    about: 'Lists what is in a folder.',
    run: (app, { path, detail }) => app.list(path, detail),
  }),
  tool({
    ...WRITE,
    name: 'rm',
    returns: 'NoneType',
    params: { ...pathOf('What to remove.'), ...RECURSIVE, ...DEPTH },
    about: 'Removes a file, or a folder with everything in it.',
    run: (app, { path, recursive }) => {
      app.tree.remove(app.place(path), recursive);
      return null;
    },
  }),
  tool({
    ...READ,
    name: 'exists',
    returns: null,
    params: { ...pathOf('Path of the file or folder.'), ...REST },
    about: 'Whether there is such a file or folder.',
    run: (app, { path }) => app.tree.find(app.place(path)) !== undefined,
  }),
  tool({
    ...READ,
    name: 'display',
    returns: 'bool',
    params: pathOf('Path of the file.'),
    about: 'Shows a file to the user; says whether there is one. The agent does not see what is in it.',
    run: (app, { path }) => app.tree.find(app.place(path)) !== undefined,
  }),
  tool({
    ...READ,
    name: 'info',
    returns: 'dict[str, Any]',
    params: { ...pathOf('Path of the file or folder.'), ...REST },
    about: 'Path, size and type of a file or folder.',
    run: (app, { path }) => app.details(app.place(path)),
  }),
  tool({
    ...READ,
    name: 'tree',
    returns: 'str',
    params: FOLDER,
    about: 'Draws a folder with everything in it.',
    run: (app, { path }) => app.drawn(path),
  }),
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

/** Whatever is wrong is a FileNotFoundError that says so, but for a path that leads out. */
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
  try {
    const converted = convertedText(path, contents);
    if (converted !== null) return converted;
  } catch (error) {
    if (error instanceof DocumentError) throw failed(error.message);
    throw error;
  }
  const text = asText(contents);
  if (text === null) throw failed('It is no text, and documents of other kinds are not converted here.');
  return text;
}

export const sandbox = (name: string | undefined, className: string): FilesApp => new FilesApp(className, name, TOOLS);
