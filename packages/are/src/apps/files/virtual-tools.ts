// The tools of VirtualFileSystem, the reference's older face of the same files.
import { toolsOf } from '../../tool.ts';
import type { Tool } from '../../types.ts';
import { FilesApp } from './app.ts';
import { FOLDER, handle, pathOf, READ, RECURSIVE, REST, textOf, WRITE } from './sandbox-tools.ts';

const tool = toolsOf<FilesApp>();

const TOOLS: readonly Tool[] = [
  tool({
    ...WRITE,
    name: 'open',
    returns: null,
    params: { ...pathOf('Path of the file.'), mode: { type: 'str', default: 'rb', about: 'r, w, a or x, with b.' } },
    about: 'Opens a file. Opening to write makes the file, or empties it.',
    run: (app, { path, mode }) => {
      app.open(path, mode);
      return handle(path, mode);
    },
  }),
  tool({
    ...READ,
    name: 'cat',
    returns: 'bytes',
    params: pathOf('Path of the file.'),
    about: 'The contents of a file.',
    run: (app, { path }) => textOf(app.tree.read(app.place(path))),
  }),
  tool({
    ...WRITE,
    name: 'mkdir',
    returns: null,
    params: {
      ...pathOf('Path of the folder.'),
      create_recursive: { type: 'bool', default: true, about: 'Makes the folders above it too.' },
    },
    about: 'Makes a folder.',
    run: (app, { path, create_recursive }) => {
      app.makeFolder(path, create_recursive);
      return null;
    },
  }),
  tool({
    ...WRITE,
    name: 'mv',
    returns: null,
    params: { path1: { type: 'str', about: 'What to move.' }, path2: { type: 'str', about: 'Where to.' } },
    about: 'Moves a file or folder; into the target where that is a folder.',
    run: (app, { path1, path2 }) => {
      app.tree.move(app.place(path1), app.place(path2));
      return null;
    },
  }),
  tool({
    ...READ,
    name: 'ls',
    returns: null,
    params: { ...FOLDER, detail: { type: 'bool', default: false, about: 'With size and type.' } },
    about: 'Lists what is in a folder.',
    run: (app, { path, detail }) => app.list(path, detail),
  }),
  tool({
    ...WRITE,
    name: 'rm',
    returns: null,
    params: { ...pathOf('What to remove.'), ...RECURSIVE },
    about: 'Removes a file, or a folder with everything in it.',
    run: (app, { path, recursive }) => {
      app.tree.remove(app.place(path), recursive);
      return null;
    },
  }),
  tool({
    ...WRITE,
    name: 'rmdir',
    returns: null,
    params: pathOf('Path of the folder.'),
    about: 'Removes an empty folder.',
    run: (app, { path }) => {
      app.tree.removeFolder(app.place(path));
      return null;
    },
  }),
  tool({
    ...READ,
    name: 'exists',
    returns: null,
    params: pathOf('Path of the file or folder.'),
    about: 'Whether there is such a file or folder.',
    run: (app, { path }) => app.tree.find(app.place(path)) !== undefined,
  }),
  tool({
    ...READ,
    name: 'info',
    returns: null,
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
];

export const virtualFileSystem = (name?: string): FilesApp => new FilesApp('VirtualFileSystem', name, TOOLS);
