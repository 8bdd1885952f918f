// The tools of VirtualFileSystem, the reference's older file system.
import { toolsOf } from '../../tool.ts';
import type { Tool } from '../../types.ts';
import { FilesApp } from './app.ts';
import { EXISTS, INFO, LIST, MOVE, OPEN, pathOf, READ, REMOVE, TREE, textOf, WRITE } from './shared-tools.ts';

const tool = toolsOf<FilesApp>();

const TOOLS: readonly Tool[] = [
  tool({
    ...OPEN,
    params: { ...pathOf('Path of the file.'), mode: { type: 'str', default: 'rb', about: 'r, w, a or x, with b.' } },
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
  tool({ ...MOVE, returns: null }),
  tool({ ...LIST, returns: null }),
  tool({ ...REMOVE, returns: null }),
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
  tool(EXISTS),
  tool({ ...INFO, returns: null }),
  TREE,
];

export const virtualFileSystem = (name?: string): FilesApp => new FilesApp('VirtualFileSystem', name, TOOLS);
