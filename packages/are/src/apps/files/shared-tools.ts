// Tools of the device's files that both of the reference's file systems share; each adds its own parameters and return types.
import { toolsOf } from '../../tool.ts';
import type { FilesApp } from './app.ts';

export const pathOf = (about: string) => ({ path: { type: 'str', about } }) as const;
export const REST = {
  kwargs: { type: 'dict[str, Any]', takesRest: true, about: 'Anything else is left aside.' },
} as const;
export const RECURSIVE = { recursive: { type: 'bool', default: false, about: 'With everything in it.' } } as const;
const FOLDER = { path: { type: 'str', default: '.', about: 'The folder; the root if not given.' } } as const;

/** Bytes that are no text become replacement characters; a byte order mark is kept, as in Python's utf-8. */
export const textOf = (contents: Uint8Array): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(contents);

export const READ = { operation: 'READ', isUnchecked: true } as const;
export const WRITE = { operation: 'WRITE', isUnchecked: true } as const;

export const OPEN = {
  ...WRITE,
  name: 'open',
  returns: null,
  about: 'Opens a file. Opening to write makes the file, or empties it.',
  run(app: FilesApp, { path, mode }: { path: string; mode: string }) {
    app.open(path, mode);
    // A program would read and write through this handle; an agent cannot use it.
    return `<open file '${path}', mode '${mode}'>`;
  },
} as const;
export const MOVE = {
  ...WRITE,
  name: 'mv',
  params: { path1: { type: 'str', about: 'What to move.' }, path2: { type: 'str', about: 'Where to.' } },
  about: 'Moves a file or folder; into the target where that is a folder.',
  run(app: FilesApp, { path1, path2 }: { path1: string; path2: string }) {
    app.tree.move(app.place(path1), app.place(path2));
    return null;
  },
} as const;
export const LIST = {
  ...READ,
  name: 'ls',
  params: { ...FOLDER, detail: { type: 'bool', default: false, about: 'With size and type.' } },
  about: 'Lists what is in a folder.',
  run: (app: FilesApp, { path, detail }: { path: string; detail: boolean }) => app.list(path, detail),
} as const;
export const REMOVE = {
  ...WRITE,
  name: 'rm',
  params: { ...pathOf('What to remove.'), ...RECURSIVE },
  about: 'Removes a file, or a folder with everything in it.',
  run(app: FilesApp, { path, recursive }: { path: string; recursive: boolean }) {
    app.tree.remove(app.place(path), recursive);
    return null;
  },
} as const;
export const EXISTS = {
  ...READ,
  name: 'exists',
  params: pathOf('Path of the file or folder.'),
  returns: null,
  about: 'Whether there is such a file or folder.',
  run: (app: FilesApp, { path }: { path: string }) => app.tree.find(app.place(path)) !== undefined,
} as const;
export const INFO = {
  ...READ,
  name: 'info',
  params: { ...pathOf('Path of the file or folder.'), ...REST },
  about: 'Path, size and type of a file or folder.',
  run: (app: FilesApp, { path }: { path: string }) => app.details(app.place(path)),
} as const;

export const TREE = toolsOf<FilesApp>()({
  ...READ,
  name: 'tree',
  returns: 'str',
  params: FOLDER,
  about: 'Draws a folder with everything in it.',
  run: (app, { path }) => app.drawn(path),
});
